// SPDX-License-Identifier: Apache-2.0
// The part of a Paje file before its first container: events, types and values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
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
  kSetTaskState = 20,     // with all known data of the task
  kSetContextState = 21,  // the same in the row of the task's scheduling context
  kNewMemoryEvent = 22,
  kStartMessage = 23,
  kStartTransfer = 24,
  kNewCheckpoint = 25,
  kSetTaskAgain = 30,  // our own: kSetTaskState of a task that continues after a pause
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
  // The fields of StarPU before 1.4.8, with texts cut so that no line of pj_dump reaches 500 bytes:
  // the columns and sizes that StarVZ 0.8 supports.
  bool starvz = false;
  std::string_view Shortened(std::string_view text) const {
    return starvz ? text.substr(0, 64) : text;
  }
};
PajeOptions PajeOptionsOf(const WriteOptions& options);

// The state type of each kind of row.
enum class PajeStateType : uint8_t { kThread, kWorker, kUserThread, kComm, kMemory, kCount };

// The short names ("aliases") of states and tasks in the events of the file, and the header that
// declares them. Readers look values up by alias and by name, so:
// - aliases of states are StarPU's, unless a task has this name ("C", "P"): then the state gets
//   another one;
// - a task with the name of a state ("Idle") shares the value of that state; its line has a JobId.
class PajeNames {
 public:
  PajeNames(const TraceModel& model, const PajeOptions& options,
            const std::vector<PajeStateType>& type_of_track);

  // `messages`: the pairs of container types, from and to, with messages between them.
  using TypePairs = std::set<std::pair<std::string_view, std::string_view>>;
  // Types of containers, and the names of curves of another tool's file on them.
  using Curves = std::set<std::pair<std::string_view, StringId>>;
  void WriteHeader(TextBuffer& out, const TypePairs& messages, const Curves& curves) const;
  // Returns the alias of the type of links between rows of these types, "ML_W_UT".
  static std::string MessageAlias(std::string_view from, std::string_view to);
  // Returns the alias of the type of a curve on rows of this type, "V_W_17".
  static std::string CurveAlias(std::string_view type, StringId name);

  // The alias of a type, "WS".
  static std::string_view Alias(PajeStateType type);
  std::string_view Alias(PajeStateType type, StateKind kind) const {
    return aliases_[static_cast<size_t>(type)][static_cast<size_t>(kind)];
  }
  // Writes the quoted value of a task's name (0: "unknown") in a row of `type`.
  void PutTask(TextBuffer& out, PajeStateType type, StringId name) const;
  // The same for a state with a name of the file's own.
  void PutNamedState(TextBuffer& out, PajeStateType type, StringId name) const {
    PutTask(out, type, name);
  }
  // The same in the row of a scheduling context, and the value between its tasks.
  void PutContextTask(TextBuffer& out, StringId name) const;
  std::string_view ContextIdle() const { return context_idle_; }
  // Scheduling contexts that have a row: 1 .. ContextCount().
  uint32_t ContextCount() const { return contexts_; }

 private:
  std::string_view Text(StringId name) const {
    return name ? options_.Shortened(model_.str(name)) : "unknown";
  }
  void FindUsedNames(const std::vector<PajeStateType>& type_of_track);
  void ChooseAliases();
  void WriteTypes(TextBuffer& out, const TypePairs& messages, const Curves& curves) const;
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
  std::string context_idle_ = "I";
  std::array<std::vector<bool>, kTypes> task_names_;  // by StringId: is a value of this state type
  // The same for states with a name of the file's own, and their kinds.
  std::array<std::map<StringId, StateKind>, kTypes> named_states_;
  std::set<std::pair<uint32_t, StringId>> names_of_context_;  // (context, name)
  std::vector<uint8_t> state_of_name_;  // by StringId: the StateKind + 1 with the same name, else 0
  std::vector<uint32_t> rgb_of_name_;   // by StringId, the program's own colour; empty: none
};

// `text` between quotes. Paje has no escapes, so a quote becomes a typographic one, a line break or
// another control character a blank, and an empty name a single blank.
struct PajeString {
  std::string_view text;
  void operator()(TextBuffer& out) const;
};
std::string PajeText(std::string_view text);

}  // namespace tasklens
