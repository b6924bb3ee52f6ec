// SPDX-License-Identifier: Apache-2.0
// The numbers of names in events, and the .pcf that lists them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "converters/paraver_numbers.h"
#include "converters/writers/text.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Numbers are assigned once, in the order of the model's tables, and never change: a .prv is
// written in one pass and its .pcf after it.
class ParaverNames {
 public:
  // `model` must outlive this. Relative source files are resolved against `directory`; "" leaves
  // them.
  ParaverNames(const TraceModel& model, ParaverDialect dialect, std::string_view directory);

  // From kParaverTaskTypes on. REQUIRES: a task has this name, or `name` is 0.
  uint32_t TaskType(StringId name) const { return type_of_name_[name]; }
  // The number of the state in this row of the table. REQUIRES: it is shown, see StateCursor.
  uint32_t State(uint32_t row) const;
  // From 1 on. REQUIRES: row of sites.
  uint32_t SiteLine(uint32_t site) const { return site + 1; }
  // 0 if unknown.
  uint32_t SiteFunction(uint32_t site) const { return function_of_site_[site]; }
  // From 1 on. REQUIRES: a message or thread_message of points has this text.
  uint32_t Message(StringId text) const { return message_of_text_[text]; }

  // The type of a counter of rows. REQUIRES: one has this name.
  uint32_t Counter(StringId name) const { return counters_.at(name).type; }
  // Converts a value to a whole number, to the precision of the type.
  int64_t CounterValue(StringId name, double value) const;

  // Writes a whole .pcf.
  void WriteLabels(TextBuffer& out) const;

 private:
  void NumberStates();
  uint32_t StateCount() const;
  void WriteOptions(TextBuffer& out) const;
  void WriteStates(TextBuffer& out) const;
  void WriteGradient(TextBuffer& out) const;
  void WriteTaskTypes(TextBuffer& out) const;
  void WriteSites(TextBuffer& out) const;
  void WriteOthers(TextBuffer& out) const;
  void BeginValues(TextBuffer& out, uint32_t type, std::string_view label) const;
  void WriteType(TextBuffer& out, uint32_t type, std::string_view label) const;
  void PutValue(TextBuffer& out, uint32_t value, std::string_view label) const;

  const TraceModel& model_;
  const ParaverDialect dialect_;
  const std::string directory_;
  // By StringId; 0: unused.
  std::vector<uint32_t> type_of_name_, message_of_text_;
  std::vector<StringId> types_, messages_, functions_;  // by value, from the first one on
  std::vector<uint32_t> rgb_of_type_;
  std::vector<uint32_t> function_of_site_;
  // States with a name of their file's own, by number.
  struct NamedState {
    StateKind kind;
    StringId name;
    auto operator<=>(const NamedState&) const = default;
  };
  std::map<uint32_t, NamedState> named_states_;
  std::map<NamedState, uint32_t> number_of_named_;
  std::map<uint32_t, int64_t> papi_codes_;  // by type
  struct OfRows {
    uint32_t type;
    bool is_whole;  // all of its values are whole numbers
  };
  std::map<StringId, OfRows> counters_;
};

}  // namespace tasklens
