// SPDX-License-Identifier: Apache-2.0
// Traces whose programs still run: read again and again, so that views of them grow.
//
// A running program is measured, so it comes first: all the reading is one trace at a time, by
// threads of low priority, and takes a tenth of one processor at most. After a reading that took
// this process the processor time t there is a pause of nine t, and of a quarter of a second at
// least. So a small trace is read some four times a second; of a large one each reading costs more,
// and its views grow in larger steps. Between them live_progress.h knows how far the program is.
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
#include <vector>

#include "server/session/loop.h"
#include "server/session/session.h"

namespace tasklens {

class LiveTraces {
 public:
  // How traces are read again.
  struct How {
    SourceRoots roots;
    uint64_t memory_limit_bytes = 0;  // of this process; 0: none
  };
  // Called with the trace as it has become, under the id that it had, and whether it grows on,
  // which is false the last time. Answers whether anybody wants to know more.
  using Grown = std::function<bool(std::shared_ptr<const OpenTrace> trace, bool is_growing)>;
  LiveTraces(MainQueue& queue, Grown grown);
  // For all readings that begin from now on; sources are looked for again where roots changed.
  void SetHow(const How& how);
  // Stops a reading that is under way.
  ~LiveTraces();

  // Does nothing for a trace that is complete, that nobody completes any more, or that is followed
  // already. Following ends when the trace is complete, or when its program was killed, or when
  // reading it takes more memory than is allowed.
  void Follow(const std::shared_ptr<const OpenTrace>& trace, bool may_run_git);
  // Whether the open trace `id` grows. Any thread.
  bool IsGrowing(const std::string& id) const;

  bool IsIdle() { return reader_.IsIdle(); }

 private:
  struct Followed;
  struct Reading;
  class StopReading;

  void Start(const std::shared_ptr<Followed>& followed);
  void OnRead(const std::shared_ptr<Followed>& followed, const Reading& reading);
  Reading Read(const Followed& followed, const How& how) const;
  void Forget(const std::string& id);

  MainQueue& queue_;
  const Grown grown_;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;  // of what follows
  How how_;
  std::map<std::string, std::shared_ptr<Followed>> followed_;  // by id
  QObject context_;                                            // of timers
  Pool reader_{1, Pool::Ground::kBack};
};

}  // namespace tasklens
