// SPDX-License-Identifier: Apache-2.0
// Growing traces. The trace of a running program is read again and again, and the rest of a large
// trace that was opened with its beginning (LoadOptions::first_bytes) is read in the background.
// Views of these traces grow with them.
//
// A user waits for the rest of a large trace, so that is read at once, with all processors that
// requests leave idle. A running program is being measured and must not be disturbed. So its trace
// is read by one low-priority thread, one trace at a time, which takes at most a tenth of one
// processor: after a reading that took t of processor time the thread pauses for nine t, and for at
// least a quarter of a second. A small trace is thus read about four times a second; readings of a
// large trace cost more, so its views grow in larger steps. Between two readings live_progress.h
// reports the progress of the program.
//
// Threads: the main thread, with a Qt event loop, unless stated otherwise.
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
  // Settings for the readings.
  struct How {
    SourceRoots roots;
    uint64_t memory_limit_bytes = 0;   // of this process; 0: none
    std::string_view limit_name = "";  // name of the limit in messages
  };
  // Called with the new state of the trace, under its old id. `is_growing` is false on the last
  // call. Returns true to get further calls.
  using Grown = std::function<bool(std::shared_ptr<const OpenTrace> trace, bool is_growing)>;
  // Called from time to time while the rest of the open trace `id` is read, with the share read so
  // far.
  using Reading = std::function<void(const std::string& id, double share)>;
  LiveTraces(MainQueue& queue, Grown grown, Reading reading = nullptr);
  // Applies to readings that begin from now on. If the roots changed, sources are looked for again.
  void SetHow(const How& how);
  // Stops the current reading.
  ~LiveTraces();

  // Starts following a trace. Does nothing if the trace is complete, cannot grow any more, or is
  // followed already. Following ends when the trace is complete, its program was killed, or a
  // reading fails or needs more memory than allowed; OpenTrace::not_read gives the reason.
  void Follow(const std::shared_ptr<const OpenTrace>& trace, bool may_run_git);
  // Stops following all other traces and cancels their readings.
  void KeepOnly(const std::vector<std::shared_ptr<const OpenTrace>>& traces);
  // Stops reading the rest of the trace `id`, which stays as it is.
  void StopReading(const std::string& id);
  // True if the open trace `id` still grows. Any thread.
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
  mutable std::mutex mutex_;  // guards the members below
  How how_;
  std::map<std::string, std::shared_ptr<Followed>> followed_;  // by id
  QObject context_;                                            // owns the timers
  Pool reader_{1, Pool::Ground::kBack};
  Pool rest_reader_{1, Pool::Ground::kBack};  // reads the rest after a beginning
};

}  // namespace tasklens
