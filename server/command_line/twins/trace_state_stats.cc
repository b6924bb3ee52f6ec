// SPDX-License-Identifier: Apache-2.0
// starpu_trace_state_stats: adds up the time in each state of trace.rec
// (converters/writers/states.cc) or of a trace; writes times.csv and efficiencies.csv.
//
// Deliberate differences from StarPU's script:
// - Each thread that is not a worker ("W: -1") has its own stack of states. StarPU's script has one
//   for all of them, so that a state of one thread ends with that of another, perhaps before it
//   began. (Workers of several ranks have the same number in StarPU's file, which does not contain
//   the rank.)
// - States with the same name and different categories ("Sleeping" of workers and of MPI) get a
//   line each. StarPU's script adds them up under the category that comes first.
// - The number of a worker may contain its rank ("W: 1_0"), which StarPU's script cannot read.
// - If profiling is started but not stopped, it ends with the trace.
// - An efficiency without any time to divide by is 1, because nothing was lost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "server/command_line/print_text.h"
#include "server/command_line/twins/twin.h"
#include "server/command_line/whole_files.h"
#include "server/pictures/plot_pictures.h"

namespace tasklens {
namespace {

struct StateEvent {
  enum class Type : uint8_t { kSet, kPush, kPop } type = Type::kSet;
  std::string_view name, category;
  double start_ms = 0;
};

struct Total {
  std::string_view name, category;
  uint64_t count = 0;
  double duration_ms = 0;
};

// Adds up the totals of each state, in the order in which the states come first.
void AddTo(std::vector<Total>& totals, const Total& more) {
  for (Total& total : totals)
    if (total.name == more.name && total.category == more.category) {
      total.count += more.count;
      total.duration_ms += more.duration_ms;
      return;
    }
  totals.push_back(more);
}

// Adds up the states of a worker, in the order in which they first ended.
class Worker {
 public:
  std::vector<StateEvent> events;

  std::vector<Total> Totals(const std::vector<std::pair<double, double>>& stretches) {
    for (size_t i = 0; i < events.size(); ++i) {
      if (i > 0 && events[i - 1].name == "Deinitializing") break;  // the rest makes no sense
      const StateEvent& event = events[i];
      if (stretches.empty() || std::any_of(stretches.begin(), stretches.end(), [&](const auto& s) {
            return event.start_ms > s.first && event.start_ms < s.second;
          }))
        Take(event);
    }
    // The last state, if it was set, lasts until the profiling ends.
    if (!stretches.empty() && !events.empty() && events.back().type == StateEvent::Type::kSet) {
      StateEvent last = events.back();
      for (const auto& [from, to] : stretches)
        if (last.start_ms > from && last.start_ms < to) last.start_ms = to;
      Take(last);
    }
    return std::move(totals_);
  }

 private:
  void Take(const StateEvent& event) {
    StateEvent before;
    switch (event.type) {
      case StateEvent::Type::kPush: stack_.push_back(event); return;
      case StateEvent::Type::kPop:
        if (stack_.empty()) {  // the state began before the profiling
          has_current_ = false;
          return;
        }
        before = stack_.back();
        stack_.pop_back();
        break;
      case StateEvent::Type::kSet:
        before = current_;
        current_ = event;
        if (!has_current_) {
          has_current_ = true;
          return;
        }
        break;
    }
    const double duration_ms = event.start_ms - before.start_ms;
    AddTo(totals_, {before.name, before.category, 1, duration_ms});
  }

  std::vector<Total> totals_;
  std::vector<StateEvent> stack_;
  StateEvent current_;
  bool has_current_ = false;
};

struct Record {
  std::string_view event, name, category, worker, thread, start;
};

// Parses records: lines "KEY: value", ended by an empty line.
std::vector<Record> RecordsOf(std::string_view text) {
  std::vector<Record> records;
  Record record;
  const auto end = [&] {
    if (!record.event.empty()) records.push_back(record);
    record = {};
  };
  for (const std::string_view line : LinesOf(text)) {
    if (line.empty()) {
      end();
      continue;
    }
    if (line.size() < 3 || line[1] != ':') continue;
    const std::string_view value = line.substr(3);
    switch (line[0]) {
      case 'E': record.event = value; break;
      case 'N': record.name = value; break;
      case 'C': record.category = value; break;
      case 'W': record.worker = value; break;
      case 'T': record.thread = value; break;
      case 'S': record.start = value; break;
      default: break;
    }
  }
  end();
  return records;
}

// Formats a number like Python: with at least one digit after the point.
std::string PythonNumber(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == text.npos) text += ".0";
  return text;
}
// Rounds to six digits after the point.
double Rounded(double value) { return std::round(value * 1e6) / 1e6; }

std::string CsvName(std::string_view name) {
  std::string out = "\"";
  for (const char c : Printable(name)) (c == '"' ? out += '"' : out) += c;
  return out + '"';
}

struct Times {
  double idle_ms = 0, runtime_ms = 0, task_ms = 0, scheduling_ms = 0;
};

Times TimesOf(const std::vector<Total>& totals) {
  Times times;
  for (const Total& total : totals) {
    if (total.category == "Runtime")
      (total.name == "Scheduling" ? times.scheduling_ms : times.runtime_ms) += total.duration_ms;
    else if (total.category == "Task")
      times.task_ms += total.duration_ms;
    else if (total.category == "Other")
      times.idle_ms += total.duration_ms;
  }
  return times;
}

double Share(double part, double whole) { return Rounded(whole > 0 ? part / whole : 1); }

Result<std::vector<Total>> TotalsOf(std::string_view text, const std::string& path) {
  // The rows of workers by number, and of other threads by number and thread; in the order of the
  // records.
  std::map<std::pair<std::string_view, std::string_view>, size_t> rows;
  std::vector<Worker> workers;
  std::vector<std::pair<double, double>> stretches;
  double last_ms = 0;
  std::vector<double> begins, ends;
  for (const Record& record : RecordsOf(text)) {
    StateEvent event{.name = record.name, .category = record.category};
    if (!ReadNumber(record.start, event.start_ms))
      return Status(ErrorCode::kCorrupt,
                    path + ": a record of " + Printable(record.event) + " has no time");
    last_ms = std::max(last_ms, event.start_ms);
    if (record.category == "Program") {
      if (record.name == "start_profiling") begins.push_back(event.start_ms);
      if (record.name == "stop_profiling") ends.push_back(event.start_ms);
      continue;
    }
    if (record.event == "SetState")
      event.type = StateEvent::Type::kSet;
    else if (record.event == "PushState")
      event.type = StateEvent::Type::kPush;
    else if (record.event == "PopState")
      event.type = StateEvent::Type::kPop;
    else
      return Status(ErrorCode::kCorrupt,
                    path + ": '" + Printable(record.event) + "' is not an event of trace.rec");
    const bool is_thread = record.worker == "-1" || record.worker.ends_with("_-1");
    const auto [row, is_new] = rows.emplace(
        std::pair(record.worker, is_thread ? record.thread : std::string_view()), workers.size());
    if (is_new) workers.emplace_back();
    workers[row->second].events.push_back(event);
  }
  if (workers.empty())
    return Status(ErrorCode::kNotFound, path + ": the file has no states of workers");
  for (size_t i = 0; i < begins.size(); ++i)
    stretches.emplace_back(begins[i], i < ends.size() ? ends[i] : last_ms);
  std::vector<Total> totals;
  for (Worker& worker : workers)
    for (const Total& total : worker.Totals(stretches)) AddTo(totals, total);
  return totals;
}

// Draws a bar for each efficiency, in percent.
PlotCanvas DrawEfficiencies(const std::vector<std::pair<std::string, double>>& values,
                            const PlotTheme& theme) {
  PlotCanvas canvas(504, 60 + 26 * static_cast<double>(values.size()) + 50, theme, "Efficiencies");
  canvas.Text(18, 24, 14, "Efficiencies", theme.ink, TextAnchor::kStart, true);
  double most = 100;
  for (const auto& [name, value] : values) most = std::max(most, 100 * value);
  const double ends[] = {most};
  const PlotChart chart(canvas, {110, 44, 360, 26 * static_cast<double>(values.size())},
                        PlotAxisFor(PlotQuantity::kPercent, "efficiency", ends),
                        {PlotQuantity::kCount, "", 0, 1, false, false});
  double y = 44;
  for (const auto& [name, value] : values) {
    const double right = chart.X(100 * value);
    canvas.Text(102, y + 17, 10, name, theme.ink, TextAnchor::kEnd);
    canvas.Rect(110, y + 4, std::max(right - 110, 0.5), 18, uint32_t{0x1565C0});
    const bool is_wide = right > 200;
    canvas.Text(is_wide ? right - 5 : right + 5, y + 17, 10,
                PlotValueText(100 * value, PlotQuantity::kPercent), is_wide ? 0xFFFFFF : theme.ink,
                is_wide ? TextAnchor::kEnd : TextAnchor::kStart);
    y += 26;
  }
  return canvas;
}

}  // namespace

Status TraceStateStats(const TwinArguments& arguments) {
  const auto drawing = DrawingOf(arguments);
  if (!drawing.ok()) return drawing.status();
  if (arguments.operands.size() > 1)
    return {ErrorCode::kInvalidArgument, "too many arguments: only one TRACE_REC can be named"};
  double sequential_ms = 0;
  if (arguments.Has("-s")) {
    std::string text = arguments.Get("-s");
    if (text.starts_with('=')) text.erase(0, 1);
    if (!ReadNumber(text, sequential_ms) || sequential_ms <= 0)
      return {ErrorCode::kInvalidArgument, "-s takes a time in ms above 0, not '" + text + "'"};
  }
  const std::string& path = arguments.operands[0];
  const auto text = StarpuText(path, "trace.rec", "states");
  if (!text.ok()) return text.status();
  const auto totals = TotalsOf(*text, path);
  if (!totals.ok()) return totals.status();
  std::map<std::string, std::string> files;
  const Times times = TimesOf(*totals);
  if (arguments.Has("-t"))
    files["times.csv"] = fmt::format(
        "\"Time\",\"Duration\"\n\"Runtime\",{}\n\"Task\",{}\n\"Idle\",{}\n\"Scheduling\",{}\n",
        PythonNumber(times.runtime_ms), PythonNumber(times.task_ms), PythonNumber(times.idle_ms),
        PythonNumber(times.scheduling_ms));
  if (arguments.Has("-e") || sequential_ms > 0) {
    if (sequential_ms == 0) {
      fmt::print(
          stderr,
          "tasklens: note: the task efficiency is 1.0, because -s, the duration of all tasks "
          "one after the other, is not given\n");
      sequential_ms = times.task_ms;
    }
    const double worked = times.task_ms + times.scheduling_ms;
    const double task = Share(sequential_ms, times.task_ms),
                 scheduling = Share(times.task_ms, worked),
                 runtime = Share(worked, worked + times.runtime_ms),
                 pipeline =
                     Share(worked + times.runtime_ms, worked + times.runtime_ms + times.idle_ms);
    const std::vector<std::pair<std::string, double>> values = {
        {"Parallel", Rounded(task * runtime * pipeline * scheduling)},
        {"Task", task},
        {"Runtime", runtime},
        {"Scheduling", scheduling},
        {"Pipeline", pipeline}};
    std::string csv = "\"Efficiency\",\"Value\"\n";
    for (const auto& [name, value] : values)
      csv += fmt::format("\"{}\",{}\n", name, PythonNumber(value));
    files["efficiencies.csv"] = csv;
    files["efficiencies" + drawing->ending] =
        drawing->Text(DrawEfficiencies(values, drawing->theme));
  }
  if (Status s = WriteWholeFiles(files); !s.ok()) return s;
  fmt::print("\"Name\",\"Count\",\"Type\",\"Duration\"\n");
  for (const Total& total : *totals)
    if (!total.name.empty() && !total.category.empty())
      PrintText("{},{},{},{}\n", CsvName(total.name), total.count, CsvName(total.category),
                PythonNumber(Rounded(total.duration_ms)));
  return Status::Ok();
}

}  // namespace tasklens
