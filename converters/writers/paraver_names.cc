// SPDX-License-Identifier: Apache-2.0
// Names, labels and colours.
#include "converters/writers/paraver_names.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "converters/writers/paraver_objects.h"
#include "converters/writers/task_graph.h"
#include "trace/colours/colours.h"

namespace tasklens {
namespace {

// The colours of a thread before it exists, and of numbers without a state.
constexpr uint32_t kNotCreatedRgb = 0xFFFFFF;
constexpr uint32_t kNoStateRgb = 0xC8C8C8;

// Unit of counters that are not whole numbers: PRECISION 6.
constexpr double kUnits = 1e6;

// Flags of a type: an index into Paraver's gradient of 15 colours.
constexpr int kTaskGradient = 9, kSiteGradient = 5, kCounterGradient = 7, kUserGradient = 2;

void PutColour(TextBuffer& out, uint32_t number, uint32_t rgb) {
  out.Put(number, "    {", rgb >> 16 & 255, ',', rgb >> 8 & 255, ',', rgb & 255, "}\n");
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Gives `value` the next number, in `number_of`, if it has none yet.
void Number(StringId value, uint32_t first, std::vector<uint32_t>& number_of,
            std::vector<StringId>& numbered) {
  if (number_of[value] != 0) return;
  number_of[value] = first + static_cast<uint32_t>(numbered.size());
  numbered.push_back(value);
}

}  // namespace

ParaverNames::ParaverNames(const TraceModel& model, ParaverDialect dialect,
                           std::string_view directory)
    : model_(model),
      dialect_(dialect),
      directory_(directory),
      type_of_name_(model.strings.size(), 0),
      message_of_text_(model.strings.size(), 0) {
  const TaskTable& tasks = model.tasks;
  Number(0, kParaverTaskTypes, type_of_name_, types_);
  for (uint32_t task = 0; task < tasks.size(); ++task)
    Number(tasks.name[task], kParaverTaskTypes, type_of_name_, types_);
  const NameColours colours(model);
  for (const StringId name : types_) rgb_of_type_.push_back(colours.OfName(name).rgb);
  std::vector<uint32_t> number_of_function(model.strings.size(), 0);
  for (const StringId function : model.sites.function) {
    if (function != 0) Number(function, 1, number_of_function, functions_);
    function_of_site_.push_back(number_of_function[function]);
  }
  for (size_t i = 0; i < model.points.size(); ++i) {
    const EventKind kind = model.points.kind[i];
    if (kind != EventKind::kMessage && kind != EventKind::kThreadMessage) continue;
    Number(static_cast<StringId>(model.points.Args(i)[0]), 1, message_of_text_, messages_);
  }
  for (const CounterSeries& series : model.counters) {
    if (series.kind != CounterKind::kOfFile) continue;
    const uint32_t type = kParaverCounters + static_cast<uint32_t>(counters_.size());
    OfRows& counter = counters_.try_emplace(series.name, OfRows{type, true}).first->second;
    if (dialect == ParaverDialect::k2001) continue;  // the dialect has no precision
    for (size_t i = 0; counter.is_whole && i < series.value.size(); ++i)
      counter.is_whole = series.value[i] == std::floor(series.value[i]);
  }
  NumberStates();
  for (const int64_t code : model.papi.code) papi_codes_.emplace(ParaverPapiType(code), code);
}

// Each name of a kind gets a number: the kind's own number (ours or Extrae's) if no other state
// needs it, so that readers know the kind as well; else one above the types of tasks.
void ParaverNames::NumberStates() {
  const StateTable& states = model_.states;
  if (states.name.AllDefault()) return;
  std::vector<bool> is_taken(kParaverTaskTypes, false);
  is_taken[kParaverNotCreated] = true;
  for (uint32_t row = 0; row < states.size(); ++row)
    if (states.name[row] == 0 && states.kind[row] != StateKind::kNone)
      is_taken[ParaverState(states.kind[row], dialect_)] = true;
  uint32_t next = kParaverTaskTypes + static_cast<uint32_t>(types_.size());
  for (uint32_t row = 0; row < states.size(); ++row) {
    if (states.name[row] == 0) continue;
    const NamedState state{states.kind[row], states.name[row]};
    const auto [number, is_new] = number_of_named_.try_emplace(state, 0);
    if (!is_new) continue;
    for (const uint32_t known : ParaverStatesLike(state.kind))
      if (number->second == 0 && !is_taken[known]) number->second = known;
    if (number->second == 0)
      number->second = next++;
    else
      is_taken[number->second] = true;
    named_states_[number->second] = state;
  }
}

uint32_t ParaverNames::State(uint32_t row) const {
  const StateKind kind = model_.states.kind[row];
  const StringId name = number_of_named_.empty() ? 0 : model_.states.name[row];
  return name == 0 ? ParaverState(kind, dialect_) : number_of_named_.at({kind, name});
}

// The numbers from 0 on, including those of task types.
uint32_t ParaverNames::StateCount() const {
  const uint32_t types_end = kParaverTaskTypes + static_cast<uint32_t>(types_.size());
  return named_states_.empty() ? types_end : std::max(types_end, named_states_.rbegin()->first + 1);
}

int64_t ParaverNames::CounterValue(StringId name, double value) const {
  constexpr double kLargest = 9e18;  // below 2^63
  const double scaled = std::round(counters_.at(name).is_whole ? value : value * kUnits);
  return static_cast<int64_t>(std::clamp(scaled, -kLargest, kLargest));
}

void ParaverNames::WriteLabels(TextBuffer& out) const {
  WriteOptions(out);
  WriteStates(out);
  if (dialect_ == ParaverDialect::k2001) WriteGradient(out);
  WriteTaskTypes(out);
  WriteSites(out);
  WriteOthers(out);
}

void ParaverNames::WriteOptions(TextBuffer& out) const {
  const bool today = dialect_ == ParaverDialect::kToday;
  out.Put(
      "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               ",
      today ? "NANOSEC" : "MICROSEC",
      "\nLOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n",
      today ? "NUM_OF_STATE_COLORS " : "NUM_OF_STATES_COLORS ", StateCount(),
      "\nYMAX_SCALE          20\n\n\nDEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n\n\n");
}

void ParaverNames::WriteStates(TextBuffer& out) const {
  std::vector<StateKind> kind_of(kParaverTaskTypes, StateKind::kNone);
  for (const StateDecl& decl : AllStates())
    if (decl.kind != StateKind::kNone) kind_of[ParaverState(decl.kind, dialect_)] = decl.kind;
  for (const auto& [number, state] : named_states_)
    if (number < kParaverTaskTypes) kind_of[number] = state.kind;
  out.Put("STATES\n");
  for (uint32_t number = 0; number < StateCount(); ++number) {
    if (const auto named = named_states_.find(number); named != named_states_.end())
      PutValue(out, number, model_.str(named->second.name));
    else if (number == kParaverNotCreated)
      PutValue(out, number, "Not created");
    else if (number < kParaverTaskTypes && kind_of[number] != StateKind::kNone)
      PutValue(out, number, Decl(kind_of[number]).name);
  }
  // Every number below the last has a colour, because Paraver chooses one for each that is missing.
  out.Put("\n\nSTATES_COLOR\n");
  for (uint32_t number = 0; number < kParaverTaskTypes; ++number)
    PutColour(out, number,
              number == kParaverNotCreated          ? kNotCreatedRgb
              : kind_of[number] != StateKind::kNone ? StateRgb(kind_of[number])
                                                    : kNoStateRgb);
  for (uint32_t i = 0; i < rgb_of_type_.size(); ++i)
    PutColour(out, kParaverTaskTypes + i, rgb_of_type_[i]);
  for (const auto& [number, state] : named_states_)
    if (number >= kParaverTaskTypes) PutColour(out, number, NameRgb(model_.str(state.name)));
  out.Put("\n\n");
}

// From green to blue, as in the document's tools.
void ParaverNames::WriteGradient(TextBuffer& out) const {
  constexpr uint32_t kColours = 15;
  out.Put("GRADIENT_COLOR\n");
  for (uint32_t i = 0; i < kColours; ++i) {
    const uint32_t share = 255 * i / (kColours - 1);
    PutColour(out, i, (255 - share) << 8 | share);
  }
  out.Put("\n\nGRADIENT_NAMES\n");
  for (uint32_t i = 0; i < kColours; ++i) PutValue(out, i, "Gradient " + std::to_string(i));
  out.Put("\n\n");
}

void ParaverNames::PutValue(TextBuffer& out, uint32_t value, std::string_view label) const {
  out.Put(value, "    ", ParaverLabel(label, dialect_), '\n');
}

void ParaverNames::WriteType(TextBuffer& out, uint32_t type, std::string_view label) const {
  const int gradient = type >= kParaverUserEvent                                  ? kUserGradient
                       : type >= kParaverSubmittedTasks                           ? kCounterGradient
                       : type == kParaverSiteFunction || type == kParaverSiteLine ? kSiteGradient
                                                                                  : kTaskGradient;
  out.Put("EVENT_TYPE\n", gradient, "    ", type, "    ", ParaverLabel(label, dialect_), '\n');
}

// Of a type whose events have a value for their end.
void ParaverNames::BeginValues(TextBuffer& out, uint32_t type, std::string_view label) const {
  WriteType(out, type, label);
  out.Put("VALUES\n");
  PutValue(out, 0, "End");
}

void ParaverNames::WriteTaskTypes(TextBuffer& out) const {
  BeginValues(out, kParaverTaskType, "Task");
  for (uint32_t i = 0; i < types_.size(); ++i)
    PutValue(out, kParaverTaskTypes + i, types_[i] == 0 ? "unknown" : model_.str(types_[i]));
  out.Put("\n\n");
}

// "42 (chol.c, /path/chol.c)": Extrae's format for a line.
void ParaverNames::WriteSites(TextBuffer& out) const {
  BeginValues(out, kParaverSiteFunction, "Task submitted by");
  for (uint32_t i = 0; i < functions_.size(); ++i) PutValue(out, i + 1, model_.str(functions_[i]));
  out.Put("\n\n");
  BeginValues(out, kParaverSiteLine, "Task submitted at line");
  const SiteTable& sites = model_.sites;
  for (uint32_t site = 0; site < sites.size(); ++site) {
    const std::string file = SourcePath(model_.str(sites.file[site]), directory_);
    PutValue(
        out, SiteLine(site),
        std::to_string(sites.line[site]) + " (" + std::string(BaseName(file)) + ", " + file + ")");
  }
  out.Put("\n\n");
}

void ParaverNames::WriteOthers(TextBuffer& out) const {
  BeginValues(out, kParaverApplication, "Application");
  PutValue(out, 1, "Begin");
  out.Put("\n\n");
  constexpr std::pair<uint32_t, std::string_view> kNumbers[] = {
      {kParaverTaskId, "Task number"},
      {kParaverIteration, "Iteration"},
      {kParaverSubiteration, "Inner iteration"},
      {kParaverSubmitted, "Submitted so long before"},
      {kParaverDepth, "States around the state"},
      {kParaverRepeated, "Ran so often before"},
      {kParaverSubmittedTasks, "Submitted tasks"},
      {kParaverReadyTasks, "Ready tasks"},
      {kParaverMemoryUsed, "Memory used (bytes)"},
      {kParaverUserEvent, "User event"},
  };
  for (const auto& [type, label] : kNumbers) {
    WriteType(out, type, label);
    out.Put("\n\n");
  }
  for (const auto& [type, code] : papi_codes_) {
    WriteType(out, type, "PAPI counter " + std::to_string(code));
    out.Put("\n\n");
  }
  for (const auto& [name, counter] : counters_) {
    WriteType(out, counter.type, model_.str(name));
    if (!counter.is_whole) out.Put("PRECISION 6\n");
    out.Put("\n\n");
  }
  if (messages_.empty()) return;
  WriteType(out, kParaverMessage, "Message");
  out.Put("VALUES\n");
  for (uint32_t i = 0; i < messages_.size(); ++i) PutValue(out, i + 1, model_.str(messages_[i]));
}

}  // namespace tasklens
