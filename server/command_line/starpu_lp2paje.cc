// SPDX-License-Identifier: Apache-2.0
// Parses a solution and writes it as states of workers.
#include "server/command_line/starpu_lp2paje.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

#include "server/command_line/command.h"
#include "server/version.h"
#include "trace/support/read_number.h"
#include "trace/support/source.h"
#include "trace/support/words.h"

namespace tasklens {
namespace {

struct Task {
  double start_ms = 0, end_ms = 0;
  std::optional<uint32_t> worker;
};

struct Solution {
  double length_ms = 0;
  uint32_t workers = 0;
  // In the order in which the text first mentions them.
  std::vector<std::pair<uint64_t, Task>> tasks;
};

// Takes `letter` and a number off the front of `text`: 'c' takes "c12" and returns 12; 't' leaves
// "w3" of "t12w3". Returns false if `text` does not begin so.
template <class Integer>
bool TakeNumber(std::string_view& text, char letter, Integer& number) {
  if (text.empty() || text[0] != letter) return false;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

Status Corrupt(std::string message) { return {ErrorCode::kCorrupt, std::move(message)}; }

// Parses the names and values of variables after the heading.
Result<Solution> Parse(std::string_view text) {
  constexpr std::string_view kHeading = "Actual values of the variables:";
  // lp_solve -i prints its intermediate solutions as well; the last one is the best.
  const size_t at = text.rfind(kHeading);
  if (at == std::string_view::npos)
    return Corrupt("not a solution of lp_solve: the line \"" + std::string(kHeading) +
                   "\" is missing");
  text.remove_prefix(at + kHeading.size());
  Solution solution;
  std::map<uint64_t, size_t> index;
  const auto task = [&](uint64_t number) -> Task& {
    const auto [it, is_new] = index.try_emplace(number, solution.tasks.size());
    if (is_new) solution.tasks.emplace_back(number, Task{});
    return solution.tasks[it->second].second;
  };
  double workers = 0;
  while (true) {
    std::string_view name = TakeWord(text);
    const std::string_view number = TakeWord(text);
    double value = 0;
    if (!ReadNumber(number, value)) break;  // the end, or other text
    uint64_t job = 0;
    uint32_t worker = 0;
    if (name == "tmax") {
      solution.length_ms = value;
    } else if (name == "nw") {
      workers = value;
    } else if (TakeNumber(name, 'c', job) && name.empty()) {
      task(job).end_ms = value;
    } else if (TakeNumber(name, 's', job) && name.empty()) {
      task(job).start_ms = value;
    } else if (TakeNumber(name, 't', job) && TakeNumber(name, 'w', worker) && name.empty() &&
               value > 0.5) {
      task(job).worker = worker;
    }
  }
  constexpr double kMostWorkers = 1e6;
  if (!(workers >= 1 && workers <= kMostWorkers) || solution.tasks.empty())
    return Corrupt(
        "the solution has no schedule; call starpu_bound_start() with deps = 1, so that the "
        "program has tasks");
  solution.workers = static_cast<uint32_t>(workers);
  for (const auto& [job, of] : solution.tasks)
    if (!of.worker || *of.worker >= solution.workers)
      return Corrupt(fmt::format("task {} has no worker", job));
  return solution;
}

constexpr std::string_view kHeader =
    "%EventDef PajeDefineContainerType 1\n"
    "%  Alias         string\n"
    "%  ContainerType string\n"
    "%  Name          string\n"
    "%EndEventDef\n"
    "%EventDef PajeCreateContainer     2\n"
    "%  Time          date\n"
    "%  Alias         string\n"
    "%  Type          string\n"
    "%  Container     string\n"
    "%  Name          string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineStateType     3\n"
    "%  Alias         string\n"
    "%  ContainerType string\n"
    "%  Name          string\n"
    "%EndEventDef\n"
    "%EventDef PajeDestroyContainer    4\n"
    "%  Time          date\n"
    "%  Name          string\n"
    "%  Type          string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 5\n"
    "%  Alias         string\n"
    "%  EntityType    string\n"
    "%  Name          string\n"
    "%  Color         color\n"
    "%EndEventDef\n"
    "%EventDef PajeSetState 6\n"
    "%  Time          date\n"
    "%  Type          string\n"
    "%  Container     string\n"
    "%  Value         string\n"
    "%EndEventDef\n"
    "1 W 0 Worker\n"
    "3 S W \"Worker State\"\n";

std::string PajeText(const Solution& solution) {
  std::string text(kHeader);
  const size_t count = solution.tasks.size();
  // StarPU numbers tasks backwards, from the last one in the text.
  const auto place = [count](size_t i) { return count - 1 - i; };
  for (size_t i = 0; i < count; ++i)
    text += fmt::format("5 R{0} S Running_{0} \"0.0 1.0 0.0\"\n", i);
  text += "5 F S Idle \"1.0 0.0 0.0\"\n";
  for (uint32_t worker = 0; worker < solution.workers; ++worker)
    text += fmt::format("2 0 W{0} W 0 \"{0}\"\n", worker);
  struct State {
    double time_ms;
    bool is_start;  // at equal times, ends come first
    std::string line;
  };
  std::vector<State> states;
  for (size_t i = 0; i < count; ++i) {
    const Task& task = solution.tasks[i].second;
    states.push_back({task.start_ms, true,
                      fmt::format("6 {:f} S W{} R{}\n", task.start_ms, *task.worker, place(i))});
    states.push_back(
        {task.end_ms, false, fmt::format("6 {:f} S W{} F\n", task.end_ms, *task.worker)});
  }
  std::stable_sort(states.begin(), states.end(), [](const State& a, const State& b) {
    return std::pair(a.time_ms, a.is_start) < std::pair(b.time_ms, b.is_start);
  });
  for (const State& state : states) text += state.line;
  for (uint32_t worker = 0; worker < solution.workers; ++worker)
    text += fmt::format("4 {:f} W{} W\n", solution.length_ms, worker);
  return text;
}

std::string SummaryText(const Solution& solution) {
  const auto& tasks = solution.tasks;
  std::string text = fmt::format("{} workers, {} tasks\n", solution.workers, tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i)
    text += fmt::format("{}: task {} on {}: {:f} - {:f}\n", i, tasks[i].first,
                        *tasks[i].second.worker, tasks[i].second.start_ms, tasks[i].second.end_ms);
  // Smaller overlaps come from the solver's tolerance and its numbers of six digits.
  const double tolerance_ms = 2e-5 * solution.length_ms;
  for (size_t i = 0; i < tasks.size(); ++i)
    for (size_t j = i + 1; j < tasks.size(); ++j) {
      const Task &a = tasks[i].second, &b = tasks[j].second;
      if (a.worker == b.worker && a.start_ms < b.end_ms - tolerance_ms &&
          b.start_ms < a.end_ms - tolerance_ms)
        text += fmt::format("oops, {} and {} sharing worker {} !!\n", tasks[i].first,
                            tasks[j].first, *a.worker);
    }
  return text;
}

}  // namespace

Result<LpSchedule> ScheduleOfSolution(std::string_view solution) {
  const auto parsed = Parse(solution);
  if (!parsed.ok()) return parsed.status();
  return LpSchedule{PajeText(*parsed), SummaryText(*parsed)};
}

int StarpuLp2Paje(std::span<const std::string> arguments) {
  if (!arguments.empty()) {
    if (arguments[0] == "-v" || arguments[0] == "--version") {
      fmt::print("starpu_lp2paje (TaskLens) {}\n", kVersion);
    } else if (arguments[0] == "-h" || arguments[0] == "--help") {
      fmt::print(
          "usage: lp_solve PROGRAM | starpu_lp2paje > PAJE_FILE\n"
          "Writes the schedule that lp_solve found for a program of starpu_bound_print_lp() in "
          "Paje's format.\n");
    } else {
      return Fail({ErrorCode::kInvalidArgument,
                   "'" + arguments[0] +
                       "': unexpected argument; the solution is read from standard input"});
    }
    return kExitDone;
  }
  const auto source = OpenSource("-");
  if (!source.ok()) return Fail(source.status());
  const auto bytes = (*source)->bytes();
  const auto schedule =
      ScheduleOfSolution({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!schedule.ok()) return Fail(schedule.status());
  std::fputs(schedule->summary.c_str(), stderr);
  std::fputs(schedule->paje.c_str(), stdout);
  return kExitDone;
}

}  // namespace tasklens
