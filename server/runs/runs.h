// SPDX-License-Identifier: Apache-2.0
// Programs that are running now: reads their output, reports their end, and stops them.
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
  ~Runs();  // ends the programs that may not outlive this process

  // Returns a new id, such as "r1", for a run of one program or of several in sequence.
  std::string NewId() { return "r" + std::to_string(next_id_++); }
  // Starts a program as the run `id`. `on_end` is called once, after the last `on_output`.
  // REQUIRES: no program runs under this id.
  Status Start(const std::string& id, const Launch& launch, OnOutput on_output, OnEnd on_end);

  // Asks the processes of the run to end; ends those that are alive after three seconds, or after
  // the launch's patience_s if that is longer.
  Status Stop(const std::string& id);
  void EndAllNow();
  std::vector<std::string> Ids() const;

 private:
  struct Run;
  struct Channel;
  void Watch(Run& run, Channel& channel, int fd);
  void Read(Run& run, Channel& channel);
  // Returns false at the end of the channel, and closes it.
  bool ReadSome(Run& run, Channel& channel);
  void Close(Run& run, Channel& channel);
  void Emit(Run& run, Channel& channel, bool at_end);
  void FinishIfOver(Run& run);
  std::vector<pid_t> KeepersBut(const Run& run) const;

  int next_id_ = 1;
  std::map<std::string, std::unique_ptr<Run>> runs_;
};

}  // namespace tasklens
