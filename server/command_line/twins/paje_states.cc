// SPDX-License-Identifier: Apache-2.0
// Keeps a stack of open states for each container and type.
#include "server/command_line/twins/paje_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "converters/readers/paje_file.h"
#include "server/command_line/summary.h"
#include "server/command_line/twins/twin.h"
#include "trace/support/diagnostics.h"

namespace tasklens {
namespace {

// Translates aliases to names, or names to aliases.
using Names = std::unordered_map<std::string, std::string>;

struct Change {
  double time_ms;
  PajeEvent event;
  std::string container, type, value;
};

// The containers within each container; all by alias.
using Children = std::unordered_map<std::string, std::vector<std::string>>;

class Stacks {
 public:
  Stacks(Children& children, PajeStates& out) : children_(children), out_(out) {}

  void Apply(const Change& change, const std::string& container, const std::string& value) {
    See(change.time_ms);
    if (change.event == PajeEvent::kDestroyContainer) {
      Destroy(change.container, change.time_ms);
      return;
    }
    std::vector<uint32_t>& stack = stacks_[change.container][change.type];
    switch (change.event) {
      case PajeEvent::kSetState: EndAll(stack, change.time_ms); [[fallthrough]];
      case PajeEvent::kPushState:
        stack.push_back(static_cast<uint32_t>(out_.states.size()));
        out_.states.push_back({RowOf(container, containers_, out_.containers),
                               RowOf(value, values_, out_.values), change.time_ms, change.time_ms});
        break;
      case PajeEvent::kPopState:
        if (stack.empty()) break;
        out_.states[stack.back()].end_ms = change.time_ms;
        stack.pop_back();
        break;
      case PajeEvent::kResetState: EndAll(stack, change.time_ms); break;
      default: break;
    }
  }

  void Finish() {
    for (auto& [container, types] : stacks_)
      for (auto& [type, stack] : types) EndAll(stack, last_ms_);
  }
  void See(double time_ms) { last_ms_ = std::max(last_ms_, time_ms); }

 private:
  static uint32_t RowOf(const std::string& name, std::unordered_map<std::string, uint32_t>& rows,
                        std::vector<std::string>& names) {
    const auto [found, is_new] = rows.emplace(name, static_cast<uint32_t>(names.size()));
    if (is_new) names.push_back(name);
    return found->second;
  }
  void EndAll(std::vector<uint32_t>& stack, double time_ms) {
    for (const uint32_t state : stack) out_.states[state].end_ms = time_ms;
    stack.clear();
  }
  // Destroys a container and all within it. They are erased from the maps, so that a file with
  // cycles of containers, or with many such lines, takes no more than linear time.
  void Destroy(const std::string& first, double time_ms) {
    std::vector<std::string> todo{first};
    while (!todo.empty()) {
      const std::string container = std::move(todo.back());
      todo.pop_back();
      if (const auto found = stacks_.find(container); found != stacks_.end()) {
        for (auto& [type, stack] : found->second) EndAll(stack, time_ms);
        stacks_.erase(found);
      }
      if (const auto found = children_.find(container); found != children_.end()) {
        for (std::string& child : found->second) todo.push_back(std::move(child));
        children_.erase(found);
      }
    }
  }

  Children& children_;
  PajeStates& out_;
  std::unordered_map<std::string, std::map<std::string, std::vector<uint32_t>>> stacks_;
  std::unordered_map<std::string, uint32_t> containers_, values_;
  double last_ms_ = std::numeric_limits<double>::lowest();
};

Result<std::string> PajeTextOf(const std::string& path) {
  const auto text = WholeText(path);
  if (text.ok() && IsPaje(*text)) return text;
  return StarpuText(path, "paje.trace", "paje");
}

// Returns the long name of a state. Several versions of StarPU wrote short names.
std::string LongName(const std::string& value, PajeScript script) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"F", "Freeing"},        {"A", "Allocating"},        {"W", "WritingBack"},
      {"No", "Nothing"},       {"I", "Initializing"},      {"D", "Deinitializing"},
      {"Fi", "FetchingInput"}, {"Po", "PushingOutput"},    {"C", "Callback"},
      {"B", "Overhead"},       {"Sl", "Sleeping"},         {"P", "Progressing"},
      {"U", "Unpartitioning"}, {"Ar", "AllocatingReuse"},  {"R", "Reclaiming"},
      {"Co", "DriverCopy"},    {"CoA", "DriverCopyAsync"}, {"Su", "SubmittingTask"}};
  for (const auto& [alias, name] : kShort)
    if (alias == value) return std::string(name);
  if (script == PajeScript::kSummary && value == "Sc") return "Scheduling";
  if (script == PajeScript::kSummary && value == "E") return "Executing";
  return value;
}

// The definitions in a Paje file, and the changes of states.
struct PajeContent {
  Names containers, values;  // by alias; values by "TYPE ALIAS"
  Names aliases;             // of containers, by name; a line may destroy by name or alias
  Children children;
  std::vector<Change> changes;

  void Add(const PajeLine& line) {
    const std::string alias(line[PajeField::kAlias].empty() ? line[PajeField::kName]
                                                            : line[PajeField::kAlias]);
    switch (line.event) {
      case PajeEvent::kDefineEntityValue:
        values[std::string(line[PajeField::kType]) + ' ' + alias] = line[PajeField::kName];
        break;
      case PajeEvent::kCreateContainer:
        containers[alias] = line[PajeField::kName];
        aliases.emplace(line[PajeField::kName], alias);
        children[std::string(line[PajeField::kContainer])].push_back(alias);
        break;
      case PajeEvent::kDestroyContainer: AddChange(line, PajeField::kName); break;
      case PajeEvent::kNewEvent:
      case PajeEvent::kSetState:
      case PajeEvent::kPushState:
      case PajeEvent::kPopState:
      case PajeEvent::kResetState: AddChange(line, PajeField::kContainer); break;
      default: break;
    }
  }

 private:
  void AddChange(const PajeLine& line, PajeField container) {
    double time_ms = 0;
    if (!ReadNumber(line[PajeField::kTime], time_ms)) return;
    changes.push_back({time_ms, line.event, std::string(line[container]),
                       std::string(line[PajeField::kType]), std::string(line[PajeField::kValue])});
  }
};

Result<PajeContent> ReadContent(const std::string& path) {
  auto text = PajeTextOf(path);
  if (!text.ok()) return text.status();
  if (!IsPaje(*text))
    return Status(ErrorCode::kCorrupt, path + ": not a Paje file and not another trace");
  const auto source = MemorySource(path, std::move(*text));
  PajeContent content;
  Diagnostics diags;
  const Status read =
      ReadPajeLines(*source, nullptr, diags, [&](const PajeLine& line) { content.Add(line); });
  ReportDiagnostics(diags, /*strict=*/false);
  if (!read.ok()) return read;
  std::stable_sort(content.changes.begin(), content.changes.end(),
                   [](const Change& a, const Change& b) { return a.time_ms < b.time_ms; });
  return content;
}

bool IsMark(const Change& change, std::string_view name) {
  return change.event == PajeEvent::kNewEvent && change.value == name;
}

// Applies the change, with the names of its container and value if the file defines them.
void Apply(Change& change, const PajeContent& from, PajeScript script, Stacks& stacks) {
  stacks.See(change.time_ms);
  if (change.event == PajeEvent::kNewEvent) return;
  const auto container = from.containers.find(change.container);
  const auto alias = from.aliases.find(change.container);
  if (container == from.containers.end() && alias != from.aliases.end())
    change.container = alias->second;
  const auto value = from.values.find(change.type + ' ' + change.value);
  stacks.Apply(change, container == from.containers.end() ? change.container : container->second,
               LongName(value == from.values.end() ? change.value : value->second, script));
}

}  // namespace

Result<PajeStates> PajeStatesOf(const std::string& path, PajeScript script) {
  Result<PajeContent> read = ReadContent(path);
  if (!read.ok()) return read.status();
  std::vector<Change>& changes = read->changes;
  const bool has_marks = script == PajeScript::kStates &&
                         std::any_of(changes.begin(), changes.end(), [](const Change& change) {
                           return IsMark(change, "start_profiling");
                         });
  bool is_within = !has_marks;
  PajeStates result;
  Stacks stacks(read->children, result);
  for (Change& change : changes) {
    if (has_marks && IsMark(change, "start_profiling")) is_within = true;
    if (is_within) Apply(change, *read, script, stacks);
    if (has_marks && IsMark(change, "stop_profiling")) is_within = false;
  }
  stacks.Finish();
  if (result.states.empty()) return Status(ErrorCode::kNotFound, path + ": the file has no states");
  return result;
}

Result<PajeChoice> ParsePajeChoice(const std::string& range, const std::string& names) {
  PajeChoice choice;
  const auto fields = FieldsOf(range, ':');
  if (fields.size() != 2 || !ReadNumber(fields[0], choice.from_ms) ||
      !ReadNumber(fields[1], choice.to_ms))
    return Status(ErrorCode::kInvalidArgument,
                  "-r takes FROM:TO in ms, such as 100:300 or 100:-1, not '" + range + "'");
  choice.has_end = choice.to_ms != -1;
  if (choice.has_end && choice.from_ms > choice.to_ms)
    return Status(ErrorCode::kInvalidArgument, "-r " + range + " ends before it begins");
  if (names != "All")
    for (const std::string_view name : FieldsOf(names, ',')) choice.names.emplace_back(name);
  return choice;
}

PajeStates ChosenStates(const PajeStates& states, const PajeChoice& choice) {
  PajeStates result{states.containers, states.values, {}};
  double first_ms = std::numeric_limits<double>::infinity();
  for (const PajeState& state : states.states) {
    if (!choice.names.empty() && std::find(choice.names.begin(), choice.names.end(),
                                           states.values[state.value]) == choice.names.end())
      continue;
    result.states.push_back(state);
    first_ms = std::min(first_ms, state.start_ms);
  }
  std::erase_if(result.states, [&](PajeState& state) {
    const double duration_ms = state.duration_ms();
    state.start_ms -= first_ms;
    state.end_ms = state.start_ms + duration_ms;
    return state.start_ms < choice.from_ms || (choice.has_end && state.end_ms > choice.to_ms);
  });
  return result;
}

}  // namespace tasklens
