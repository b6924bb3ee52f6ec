// SPDX-License-Identifier: Apache-2.0
// Work that runs beside the main thread. Long work shows its progress, and work is ended when the
// server exceeds its memory limit.
//
// All running work shares the memory. So when there is not enough, all work that has run for at
// least a fiftieth of a second ends. Short requests are still answered.
//
// Threads: the main thread, with a Qt event loop, except Work::MarkBegun().
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
    // The work has left the queue and begun. Any thread.
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
    std::string_view limit_name;            // name of the limit in messages
    // Shows the progress of a call; returns nullptr if the client shows none.
    std::function<std::shared_ptr<WorkProgress>(const std::shared_ptr<Call>&, std::string_view)>
        show;
    // Called when memory runs out: frees caches.
    std::function<void()> give_back;
  };
  explicit Underway(Owner owner);

  // `title` is for people: "Critical path".
  std::shared_ptr<Work> Add(std::shared_ptr<Call> call, std::string title);
  // Removes work that has ended, whatever the answer; call it before answering.
  void Remove(const std::shared_ptr<Work>& work);
  // Cancels all work: nobody wants the answers any more.
  void Abandon();

 private:
  void Look();
  void RefuseBeyondLimit();

  const Owner owner_;
  std::vector<std::shared_ptr<Work>> works_;
  QTimer timer_;
};

// The title of a method for people: "Critical path" for "tasklens/criticalPath".
std::string TitleOfMethod(std::string_view method);

// The error for work that needs more memory than `limit_name` allows. `what` is the subject of the
// sentence.
Status BeyondMemoryLimit(std::string_view what, uint64_t limit_bytes, std::string_view limit_name);

}  // namespace tasklens
