// SPDX-License-Identifier: Apache-2.0
// Programs that are running now: their output, their end, and how to stop them.
//
// Threads: the main thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/runs/guarded_process.h"
#include "trace/support/status.h"

namespace tasklens {

class Runs {
 public:
  enum class Stream { kOut, kErr };
  using OnOutput = std::function<void(Stream, std::string_view text)>;  // valid UTF-8
  using OnEnd = std::function<void(const ProcessEnd&)>;

  Runs();
  ~Runs();  // ends what still runs and is not to outlive us

  // An id for a run of one or several programs, one after another: "r1".
  std::string NewId() { return "r" + std::to_string(next_id_++); }
  // Starts a program as the run `id`. `on_end` is called once, after the last `on_output`.
  // REQUIRES: no program runs under this id.
  Status Start(const std::string& id, const Launch& launch, OnOutput on_output, OnEnd on_end);

  // Asks the run's processes to end; those that have not after three seconds are ended.
  Status Stop(const std::string& id);
  void EndAllNow();
  std::vector<std::string> Ids() const;

 private:
  struct Run;
  struct Channel;
  void Watch(Run& run, Channel& channel, int fd);
  void Read(Run& run, Channel& channel);
  // False when the channel was at its end; then it is closed.
  bool ReadSome(Run& run, Channel& channel);
  void Close(Run& run, Channel& channel);
  void Emit(Run& run, Channel& channel, bool at_end);
  void FinishIfOver(Run& run);
  std::vector<pid_t> KeepersBut(const Run& run) const;

  int next_id_ = 1;
  std::map<std::string, std::unique_ptr<Run>> runs_;
};

}  // namespace tasklens
