// SPDX-License-Identifier: Apache-2.0
// Finds the zero; formats and parses times.
#include "analysis/run_clock.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/execution_order.h"
#include "trace/model/executions.h"
#include "trace/support/read_number.h"

namespace tasklens {
namespace {

struct Unit {
  int64_t ns;
  std::string_view name;
};
constexpr Unit kUnits[] = {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1000, "\xC2\xB5s"}, {1, "ns"}};
// Further units for input.
constexpr Unit kTyped[] = {{60'000'000'000, "min"}, {1000, "us"}, {1000, "\xCE\xBCs"}};

uint64_t Size(int64_t ns) {
  return ns < 0 ? -static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
}

const Unit& UnitOf(int64_t ns) {
  for (const Unit& unit : kUnits)
    if (Size(ns) >= static_cast<uint64_t>(unit.ns)) return unit;
  return kUnits[3];
}

int64_t UnitNs(std::string_view name) {
  for (const Unit& unit : kUnits)
    if (unit.name == name) return unit.ns;
  for (const Unit& unit : kTyped)
    if (unit.name == name) return unit.ns;
  return 0;
}

// The multiples of `step` on both sides of `ns`.
int64_t RoundedDown(int64_t ns, int64_t step) {
  const int64_t rest = ns % step;
  return ns - (rest < 0 ? rest + step : rest);
}
int64_t RoundedUp(int64_t ns, int64_t step) { return -RoundedDown(-ns, step); }

// The difference of any two times, clamped so that rounded values fit into an int64_t.
int64_t Since(int64_t at_ns, int64_t zero_ns) {
  constexpr int64_t kMost = 4'000'000'000'000'000'000;
  return std::clamp(at_ns, -kMost, kMost) - std::clamp(zero_ns, -kMost, kMost);
}

}  // namespace

RunClock::RunClock(const TraceModel& model) {
  const TaskTable& tasks = model.tasks;
  int64_t first_ns = kNever;
  bool ran = false;
  const auto include = [&](int64_t start_ns, int64_t end_ns, int64_t submit_ns, uint32_t type) {
    if (type & kTaskDataAcquire) return;
    const bool executed = Executed(start_ns, end_ns);
    if (!executed && (ran || submit_ns == kNever)) return;
    const bool is_submission = submit_ns != kNever && (!executed || submit_ns <= start_ns);
    const int64_t begin_ns = is_submission ? submit_ns : start_ns;
    if (executed == ran && first_ns != kNever && begin_ns >= first_ns) return;
    first_ns = begin_ns;
    ran = executed;
    zero_ = is_submission ? Zero::kFirstSubmission : Zero::kFirstTask;
  };
  for (size_t task = 0; task < tasks.size(); ++task)
    include(tasks.start_ns[task], tasks.end_ns[task], tasks.submit_ns[task], tasks.type[task]);
  ForEachEarlierRun(model, [&](const EarlierRun& run) {
    include(run.start_ns, run.end_ns, run.submit_ns, tasks.type[run.task]);
  });
  if (first_ns != kNever) zero_ns_ = first_ns;
}

std::string_view RunClock::ZeroText() const {
  switch (zero_) {
    case Zero::kFirstSubmission: return "the first submission";
    case Zero::kFirstTask: return "the start of the first task";
    case Zero::kFirstEvent: break;
  }
  return "the first event";
}

std::string RunClock::Text(int64_t at_ns) const {
  const int64_t ns = Since(at_ns, zero_ns_);
  return MomentText(ns, 1, ns);
}

std::string RunClock::Text(int64_t at_ns, int64_t about_ns) const {
  const int64_t ns = Since(at_ns, zero_ns_);
  return MomentText(ns, StepNs(about_ns), ns);
}

std::string RunClock::Text(Span stretch) const {
  const int64_t step_ns = StepNs(stretch.length_ns());
  const int64_t begin_ns = RoundedUp(Since(stretch.begin_ns, zero_ns_), step_ns);
  const int64_t end_ns = RoundedDown(Since(stretch.end_ns, zero_ns_), step_ns);
  const int64_t larger_ns = Size(begin_ns) > Size(end_ns) ? begin_ns : end_ns;
  return MomentText(begin_ns, step_ns, larger_ns) + " to " + MomentText(end_ns, step_ns, larger_ns);
}

Result<int64_t> RunClock::Parse(std::string_view text) const {
  constexpr std::string_view kHow = "write 250ns, 1.5us, 2ms or 0.1s";
  const size_t digits = text.find_first_not_of("0123456789.+-eE");
  std::string_view number = text.substr(0, digits);
  std::string_view unit = digits == text.npos ? "" : text.substr(digits);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (number.starts_with('+')) number.remove_prefix(1);
  double value = 0;
  const bool is_number = ReadNumber(number, value);
  if (is_number && unit.empty() && value != 0)
    return Status(ErrorCode::kInvalidArgument,
                  "'" + std::string(text) + "' has no unit; " + std::string(kHow));
  const int64_t unit_ns = unit.empty() ? 1 : UnitNs(unit);
  if (!is_number || unit_ns == 0 || !(std::fabs(value * static_cast<double>(unit_ns)) < 4e18))
    return Status(ErrorCode::kInvalidArgument,
                  "'" + std::string(text) + "' is no time; " + std::string(kHow));
  return zero_ns_ + std::llround(value * static_cast<double>(unit_ns));
}

int64_t StepNs(int64_t about_ns) {
  int64_t step_ns = 1;
  while (step_ns <= about_ns / 10'000) step_ns *= 10;
  return step_ns;
}

std::string MomentText(int64_t ns, int64_t step_ns, int64_t unit_of_ns) {
  if (ns == 0) unit_of_ns = Size(unit_of_ns) > 0 ? unit_of_ns : 1'000'000;
  const uint64_t size = (Size(ns) + static_cast<uint64_t>(step_ns) / 2) /
                        static_cast<uint64_t>(step_ns) * static_cast<uint64_t>(step_ns);
  // "1 s", not "1000 ms", of a time that is rounded up.
  const Unit& unit = UnitOf(static_cast<int64_t>(std::max(Size(unit_of_ns), size)));
  const auto unit_ns = static_cast<uint64_t>(unit.ns);
  std::string text = std::to_string(size / unit_ns);
  if (uint64_t rest = size % unit_ns; rest > 0) {
    std::string decimals = std::to_string(unit_ns + rest).substr(1);
    text += "." + decimals.substr(0, decimals.find_last_not_of('0') + 1);
  }
  return (ns < 0 && size > 0 ? "-" : "") + text + " " + std::string(unit.name);
}

}  // namespace tasklens
