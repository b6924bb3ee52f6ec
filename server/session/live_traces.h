// SPDX-License-Identifier: Apache-2.0
// Traces that grow, so that views of them grow: those whose programs still run are read again and
// again, and of a large one that was opened with its beginning (LoadOptions::first_bytes) the rest
// is read.
//
// Somebody waits for the rest: it is read at once, with all of the processors that those who look
// at the beginning leave. A running program is measured, so it comes first: all that reading is one
// trace at a time, by threads of low priority, and takes a tenth of one processor at most. After a
// reading that took this process the processor time t there is a pause of nine t, and of a quarter
// of a second at least. So a small trace is read some four times a second; of a large one each
// reading costs more, and its views grow in larger steps. Between them live_progress.h knows how
// far the program is.
//
// Threads: the main thread, with a Qt event loop, where nothing else is said.
#pragma once

#include <QObject>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/session/loop.h"
#include "server/session/session.h"

namespace tasklens {

class LiveTraces {
 public:
  // How traces are read again.
  struct How {
    SourceRoots roots;
    uint64_t memory_limit_bytes = 0;   // of this process; 0: none
    std::string_view limit_name = "";  // for people: what sets it
  };
  // Called with the trace as it has become, under the id that it had, and whether it grows on,
  // which is false the last time. Answers whether anybody wants to know more.
  using Grown = std::function<bool(std::shared_ptr<const OpenTrace> trace, bool is_growing)>;
  // Called now and then while the rest of the open trace `id` is read, with how much of it is.
  using Reading = std::function<void(const std::string& id, double share)>;
  LiveTraces(MainQueue& queue, Grown grown, Reading reading = nullptr);
  // For all readings that begin from now on; sources are looked for again where roots changed.
  void SetHow(const How& how);
  // Stops a reading that is under way.
  ~LiveTraces();

  // Does nothing for a trace that is complete, that nobody completes any more, or that is followed
  // already. Following ends when the trace is complete, or when its program was killed, or when
  // reading it takes more memory than is allowed, or fails: OpenTrace::not_read says why.
  void Follow(const std::shared_ptr<const OpenTrace>& trace, bool may_run_git);
  // Ends the following of all others, and the reading that is under way for it.
  void KeepOnly(const std::vector<std::shared_ptr<const OpenTrace>>& traces);
  // Ends the reading of the rest of the trace `id`, which stays as it is.
  void StopReading(const std::string& id);
  // Whether the open trace `id` grows. Any thread.
  bool IsGrowing(const std::string& id) const;

  bool IsIdle() { return reader_.IsIdle() && rest_reader_.IsIdle(); }

 private:
  struct Followed;
  struct Outcome;
  class ReadingProgress;

  void Start(const std::shared_ptr<Followed>& followed);
  void OnRead(const std::shared_ptr<Followed>& followed, const Outcome& outcome);
  Outcome Read(const Followed& followed, const How& how);
  void Forget(const std::string& id);

  MainQueue& queue_;
  const Grown grown_;
  const Reading reading_;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;  // of what follows
  How how_;
  std::map<std::string, std::shared_ptr<Followed>> followed_;  // by id
  QObject context_;                                            // of timers
  Pool reader_{1, Pool::Ground::kBack};
  Pool rest_reader_{1, Pool::Ground::kBack};  // of beginnings
};

}  // namespace tasklens
