// SPDX-License-Identifier: Apache-2.0
// Work that is under way beside the main thread: what takes long shows its progress, and what the
// server grows beyond its memory for is ended.
//
// All work of a moment shares the memory, so when there is not enough all of it ends that has been
// at it for a fiftieth of a second. Short answers come all the same.
//
// Threads: the main thread, with a Qt event loop, but for Work::MarkBegun().
#pragma once

#include <QTimer>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/session/host.h"

namespace tasklens {

class Underway {
 public:
  class Work {
   public:
    // It does not wait for others any more. Any thread.
    void MarkBegun() { begun_ = std::chrono::steady_clock::now(); }

   private:
    friend class Underway;
    static constexpr auto kNotYet = std::chrono::steady_clock::time_point::max();
    std::shared_ptr<Call> call_;
    std::string title_;
    std::chrono::steady_clock::time_point since_;
    std::atomic<std::chrono::steady_clock::time_point> begun_{kNotYet};
    bool is_shown_ = false;
  };

  struct Owner {
    std::function<uint64_t()> limit_bytes;  // of this process; 0: none
    std::string_view limit_name;            // for people: what sets it
    // Begins the progress of a call; nullptr: nobody looks at any.
    std::function<std::shared_ptr<WorkProgress>(const std::shared_ptr<Call>&, std::string_view)>
        show;
    // There is not enough memory: frees what can be made again.
    std::function<void()> give_back;
  };
  explicit Underway(Owner owner);

  // `title` is for people: "Critical path".
  std::shared_ptr<Work> Add(std::shared_ptr<Call> call, std::string title);
  // It has ended, whatever was answered; before its own answer.
  void Remove(const std::shared_ptr<Work>& work);
  // Nobody wants any of it any more.
  void Abandon();

 private:
  void Look();
  void RefuseBeyondLimit();

  const Owner owner_;
  std::vector<std::shared_ptr<Work>> works_;
  QTimer timer_;
};

// Of a method, for people: "Critical path" of "tasklens/criticalPath".
std::string TitleOfMethod(std::string_view method);

// The error of what needs more than `limit_name` allows: `what` is its subject.
Status BeyondMemoryLimit(std::string_view what, uint64_t limit_bytes, std::string_view limit_name);

}  // namespace tasklens
