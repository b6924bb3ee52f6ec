// SPDX-License-Identifier: Apache-2.0
// The part of a Paje file before its first container: events, types and values.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "converters/formats.h"
#include "converters/writers/text.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// The numbers of the event definitions, StarPU's.
enum class PajeId : int {
  kDefineContainerType = 1,
  kDefineEventType = 2,
  kDefineStateType = 3,
  kDefineVariableType = 4,
  kDefineLinkType = 5,
  kDefineEntityValue = 6,
  kCreateContainer = 7,
  kDestroyContainer = 8,
  kNewEvent = 9,
  kSetState = 10,
  kPushState = 11,
  kPopState = 12,
  kSetVariable = 13,
  kStartLink = 18,
  kEndLink = 19,
  kSetTaskState = 20,     // with all that is known of the task
  kSetContextState = 21,  // the same in the row of its scheduling context
  kNewMemoryEvent = 22,
  kStartMessage = 23,
  kStartTransfer = 24,
  kNewCheckpoint = 25,
};

struct PajeOptions {
  bool color_by_name = false;
  bool events = true;
  bool counters = true;
  bool bus = true;
  bool flops = true;
  bool smooth = true;
  bool memory_states = false;
  bool use_task_color = false;
  bool starvz = false;  // the fields of StarPU before 1.4.8, which StarVZ 0.8 expects
};
PajeOptions PajeOptionsOf(const WriteOptions& options);

// The state type of each kind of row.
enum class PajeStateType : uint8_t { kThread, kWorker, kUserThread, kComm, kMemory, kCount };

// The short names ("aliases") by which the events of the file refer to states and tasks, and the
// header that declares them. Aliases of states are StarPU's; a task that is called like one of
// them ("C", "P", "Idle") gets another alias and keeps its name.
class PajeNames {
 public:
  PajeNames(const TraceModel& model, const PajeOptions& options,
            const std::vector<PajeStateType>& type_of_track);

  void WriteHeader(TextBuffer& out) const;

  // The alias of a type, "WS".
  static std::string_view Alias(PajeStateType type);
  std::string_view Alias(PajeStateType type, StateKind kind) const {
    return aliases_[static_cast<size_t>(type)][static_cast<size_t>(kind)];
  }
  // Writes the quoted alias of a task's name (0: "unknown").
  void PutTaskAlias(TextBuffer& out, StringId name) const;
  // Scheduling contexts that have a row: 1 .. ContextCount().
  uint32_t ContextCount() const { return contexts_; }

 private:
  void FindUsedNames(const std::vector<PajeStateType>& type_of_track);
  void WriteTypes(TextBuffer& out) const;
  void WriteStates(TextBuffer& out) const;
  void WriteTasks(TextBuffer& out) const;
  std::string TaskColor(StringId name) const;

  static constexpr size_t kTypes = static_cast<size_t>(PajeStateType::kCount);
  static constexpr size_t kKinds = static_cast<size_t>(StateKind::kCount);

  const TraceModel& model_;
  PajeOptions options_;
  uint32_t contexts_ = 9;
  std::array<std::array<std::string, kKinds>, kTypes> aliases_;
  std::array<std::array<bool, kKinds>, kTypes> declared_{};
  std::set<std::string, std::less<>> state_words_;    // aliases and names of states
  std::array<std::vector<bool>, kTypes> task_names_;  // by StringId: is a state of this type
  std::vector<uint32_t> rgb_of_name_;  // by StringId, the program's own colour; empty: none
};

// `text` between quotes. Paje knows no escape, so that a quote becomes a typographic one, a line
// break or another control character a blank, and an empty name a single blank.
void PutPajeString(TextBuffer& out, std::string_view text);
std::string PajeText(std::string_view text);

}  // namespace tasklens
