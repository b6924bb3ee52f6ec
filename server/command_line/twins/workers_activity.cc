// SPDX-License-Identifier: Apache-2.0
// starpu_workers_activity: activity.data (converters/writers/activity.cc), or a trace, as
// activity.pdf.
//
// Differences from StarPU's, on purpose:
// - What is drawn is what the handbook says of it: tasks green, the runtime red, sleep black.
//   (StarPU's script paints sleep red and the runtime black.)
// - Several ranks: each worker of each rank has its row, where StarPU's fails at "1_0" or mixes
//   equal numbers; the numbers of tasks are those of all ranks.
// - Where profiling was switched off, FROM and TO are times like all others, not lines.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "server/command_line/print_text.h"
#include "server/command_line/twins/twin.h"
#include "server/command_line/whole_files.h"
#include "server/pictures/plot_pictures.h"

namespace tasklens {
namespace {

// "cnt_ready_1" of rank 1, "cnt_ready" of a run of one.
bool IsOf(std::string_view word, std::string_view name) {
  if (word == name) return true;
  if (!word.starts_with(name)) return false;
  word.remove_prefix(name.size());
  return word.size() > 1 && word.front() == '_' &&
         std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Result<Activity> ParseActivity(std::string_view text, const std::string& path) {
  std::map<std::string, std::string> names;
  std::map<std::string, WorkerActivity> workers;
  std::map<std::string, StepCurve> submitted, ready;
  std::vector<std::string> order;
  int64_t first_on_ns = kNever, last_off_ns = kNever;
  int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
  uint64_t number = 0;
  for (const std::string_view line : LinesOf(text)) {
    ++number;
    if (line.empty()) continue;
    const auto fields = FieldsOf(line, '\t');
    const Status wrong(ErrorCode::kCorrupt,
                       fmt::format("{}, line {}: not a line of activity.data", path, number));
    const std::string word(fields[0]);
    int64_t time_ns = 0;
    double value = 0;
    if (word == "name") {
      if (fields.size() != 3) return wrong;
      const std::string worker(fields[1]);
      if (names.emplace(worker, fields[2]).second) order.push_back(worker);
      continue;
    }
    if (fields.size() < 3 || !ReadMs(fields[1], time_ns)) return wrong;
    if (IsOf(word, "cnt_ready") || IsOf(word, "cnt_submitted")) {
      if (fields.size() != 3 || !ReadNumber(fields[2], value)) return wrong;
      StepCurve& curve = (IsOf(word, "cnt_ready") ? ready : submitted)[word];
      curve.time_ns.push_back(time_ns);
      curve.value.push_back(value);
    } else if (IsOf(word, "set_profiling")) {
      if (fields.size() != 3 || !ReadNumber(fields[2], value)) return wrong;
      if (value == 1 && first_on_ns == kNever) first_on_ns = time_ns;
      if (value == 0) last_off_ns = time_ns;
    } else {
      int64_t elapsed_ns = 0, task_ns = 0, sleeping_ns = 0;
      if (fields.size() != 5 || !ReadMs(fields[2], elapsed_ns) || !ReadMs(fields[3], task_ns) ||
          !ReadMs(fields[4], sleeping_ns) || elapsed_ns < 0 || task_ns < 0 || sleeping_ns < 0)
        return wrong;
      if (names.emplace(word, word).second) order.push_back(word);
      // Rounded numbers may add up to a little more than their whole.
      task_ns = std::min(task_ns, elapsed_ns);
      sleeping_ns = std::min(sleeping_ns, elapsed_ns - task_ns);
      workers[word].pieces.push_back({time_ns - elapsed_ns, time_ns, task_ns, sleeping_ns});
      begin_ns = std::min(begin_ns, time_ns - elapsed_ns);
      end_ns = std::max(end_ns, time_ns);
    }
  }
  Activity activity;
  for (const std::string& worker : order) {
    WorkerActivity& of = workers[worker];
    const size_t rank = worker.find('_');
    of.name = rank == worker.npos ? names[worker] : worker.substr(0, rank) + ": " + names[worker];
    std::stable_sort(of.pieces.begin(), of.pieces.end(),
                     [](const auto& a, const auto& b) { return a.end_ns < b.end_ns; });
    activity.workers.push_back(std::move(of));
  }
  for (auto* curves : {&submitted, &ready}) {
    std::vector<const StepCurve*> all;
    for (const auto& [word, curve] : *curves) {
      all.push_back(&curve);
      begin_ns = std::min(begin_ns, curve.time_ns.front());
      end_ns = std::max(end_ns, curve.time_ns.back());
    }
    (curves == &ready ? activity.ready : activity.submitted) = SumOf(all);
  }
  if (begin_ns > end_ns)
    return Status(ErrorCode::kNotFound,
                  path + ": no activity is in it: no worker was there for 75 ms, and no task");
  activity.begin_ns = first_on_ns == kNever ? begin_ns : first_on_ns;
  activity.end_ns =
      last_off_ns == kNever || last_off_ns <= activity.begin_ns ? end_ns : last_off_ns;
  return activity;
}

}  // namespace

Status WorkersActivity(const TwinArguments& arguments) {
  const auto drawing = DrawingOf(arguments);
  if (!drawing.ok()) return drawing.status();
  std::vector<std::string> inputs = arguments.operands;
  double from_s = 0, to_s = 0;
  const bool is_part = inputs.size() >= 3 && ReadNumber(inputs[inputs.size() - 2], from_s) &&
                       ReadNumber(inputs.back(), to_s);
  if (is_part) {
    if (!(from_s < to_s && from_s >= -1e9 && to_s <= 1e9))
      return {ErrorCode::kInvalidArgument, "the stretch ends before it begins"};
    inputs.resize(inputs.size() - 2);
  }
  std::vector<ActivityOfRun> runs;
  for (const std::string& input : inputs) {
    auto text = StarpuText(input, "activity.data", "activity");
    if (!text.ok()) return text.status();
    auto activity = ParseActivity(*text, input);
    if (!activity.ok()) return activity.status();
    if (is_part) {
      activity->begin_ns = static_cast<int64_t>(from_s * 1e9);
      activity->end_ns = static_cast<int64_t>(to_s * 1e9);
    }
    PrintText("START {} END {}\n", fmt::format("{}", static_cast<double>(activity->begin_ns) / 1e9),
              fmt::format("{}", static_cast<double>(activity->end_ns) / 1e9));
    runs.push_back({inputs.size() > 1 ? input : "", std::move(*activity)});
  }
  const std::string path = arguments.Get("-d", ".") + "/activity" + drawing->ending;
  const std::vector sheets{DrawActivity(runs, drawing->theme)};
  if (Status s = WriteWholeFiles({{path, PlotText(sheets, drawing->format)}}); !s.ok()) return s;
  PrintText("{}\n", path);
  return Status::Ok();
}

}  // namespace tasklens
