// SPDX-License-Identifier: Apache-2.0
// starpu_workers_activity: draws activity.data (converters/writers/activity.cc), or a trace, into
// activity.pdf.
//
// Deliberate differences from StarPU's script:
// - The colours are those of the handbook: tasks green, the runtime red, sleep black. (StarPU's
//   script paints sleep red and the runtime black.)
// - With several ranks, each worker of each rank has a row, and the numbers of tasks are the sums
//   of all ranks. (StarPU's script fails at "1_0", or mixes workers with the same number.)
// - If profiling is not switched off after it was switched on, the picture ends with the activity.
//   (StarPU's script ends it at any earlier switch.)
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "server/command_line/print_text.h"
#include "server/command_line/twins/twin.h"
#include "server/pictures/plot_pictures.h"

namespace tasklens {
namespace {

// Whether `word` is `name`, or `name` with a rank: "cnt_ready_1".
bool IsOf(std::string_view word, std::string_view name) {
  if (word == name) return true;
  if (!word.starts_with(name)) return false;
  word.remove_prefix(name.size());
  return word.size() > 1 && word.front() == '_' &&
         std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Collects the lines of activity.data.
class ActivityLines {
 public:
  // Adds a line. Returns false if it is not a line of activity.data.
  bool Add(const std::vector<std::string_view>& fields) {
    if (fields[0] == "name") return AddName(fields);
    const std::string word(fields[0]);
    int64_t time_ns = 0;
    double value = 0;
    if (fields.size() < 3 || !ReadMs(fields[1], time_ns)) return false;
    const bool is_ready = IsOf(word, "cnt_ready"),
               is_count = is_ready || IsOf(word, "cnt_submitted");
    if (!is_count && !IsOf(word, "set_profiling")) return AddPiece(word, time_ns, fields);
    if (fields.size() != 3 || !ReadNumber(fields[2], value)) return false;
    if (is_count) {
      StepCurve& curve = (is_ready ? ready_ : submitted_)[word];
      curve.time_ns.push_back(time_ns);
      curve.value.push_back(value);
    } else {
      if (value == 1 && first_on_ns_ == kNever) first_on_ns_ = time_ns;
      if (value == 0) last_off_ns_ = time_ns;
    }
    return true;
  }

  // Returns nothing if the lines contain no activity.
  std::optional<Activity> Take() {
    Activity activity{.submitted = Sum(submitted_), .ready = Sum(ready_)};
    if (begin_ns_ > end_ns_) return std::nullopt;
    for (const std::string& worker : order_) activity.workers.push_back(TakeWorker(worker));
    activity.begin_ns = first_on_ns_ == kNever ? begin_ns_ : first_on_ns_;
    activity.end_ns =
        last_off_ns_ == kNever || last_off_ns_ <= activity.begin_ns ? end_ns_ : last_off_ns_;
    return activity;
  }

 private:
  using Curves = std::map<std::string, StepCurve>;  // by the word of each rank's lines

  bool AddName(const std::vector<std::string_view>& fields) {
    if (fields.size() != 3) return false;
    Name(std::string(fields[1]), fields[2]);
    return true;
  }
  // Keeps the first name of a worker.
  void Name(const std::string& worker, std::string_view name) {
    if (names_.emplace(worker, name).second) order_.push_back(worker);
  }

  bool AddPiece(const std::string& worker, int64_t time_ns,
                const std::vector<std::string_view>& fields) {
    int64_t elapsed_ns = 0, task_ns = 0, sleeping_ns = 0;
    if (fields.size() != 5 || !ReadMs(fields[2], elapsed_ns) || !ReadMs(fields[3], task_ns) ||
        !ReadMs(fields[4], sleeping_ns) || elapsed_ns < 0 || task_ns < 0 || sleeping_ns < 0)
      return false;
    Name(worker, worker);
    // The sum of rounded numbers may exceed the rounded whole.
    task_ns = std::min(task_ns, elapsed_ns);
    sleeping_ns = std::min(sleeping_ns, elapsed_ns - task_ns);
    pieces_[worker].push_back({time_ns - elapsed_ns, time_ns, task_ns, sleeping_ns});
    See(time_ns - elapsed_ns, time_ns);
    return true;
  }

  WorkerActivity TakeWorker(const std::string& worker) {
    const size_t rank = worker.find('_');
    WorkerActivity of{
        rank == worker.npos ? names_[worker] : worker.substr(0, rank) + ": " + names_[worker],
        std::move(pieces_[worker])};
    std::stable_sort(of.pieces.begin(), of.pieces.end(),
                     [](const auto& a, const auto& b) { return a.end_ns < b.end_ns; });
    return of;
  }

  // Adds up the curves of all ranks.
  StepCurve Sum(const Curves& curves) {
    std::vector<const StepCurve*> all;
    for (const auto& [word, curve] : curves) {
      all.push_back(&curve);
      See(curve.time_ns.front(), curve.time_ns.back());
    }
    return SumOf(all);
  }
  void See(int64_t begin_ns, int64_t end_ns) {
    begin_ns_ = std::min(begin_ns_, begin_ns);
    end_ns_ = std::max(end_ns_, end_ns);
  }

  std::map<std::string, std::string> names_;  // by the number of the worker
  std::map<std::string, std::vector<ActivityPiece>> pieces_;
  std::vector<std::string> order_;  // workers, in the order of their first lines
  Curves submitted_, ready_;
  int64_t first_on_ns_ = kNever, last_off_ns_ = kNever;  // profiling first on, last off
  int64_t begin_ns_ = INT64_MAX, end_ns_ = INT64_MIN;
};

Result<Activity> ParseActivity(std::string_view text, const std::string& path) {
  ActivityLines lines;
  uint64_t number = 0;
  for (const std::string_view line : LinesOf(text)) {
    ++number;
    if (!line.empty() && !lines.Add(FieldsOf(line, '\t')))
      return Status(ErrorCode::kCorrupt,
                    fmt::format("{}, line {}: not a line of activity.data", path, number));
  }
  std::optional<Activity> activity = lines.Take();
  if (!activity)
    return Status(ErrorCode::kNotFound,
                  path + ": no activity: no worker existed for 75 ms, and no task was submitted");
  return *std::move(activity);
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
      return {ErrorCode::kInvalidArgument,
              "FROM_S must be before TO_S, and both between -1e9 and 1e9"};
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
  return WriteAndName({{path, drawing->Text(DrawActivity(runs, drawing->theme))}});
}

}  // namespace tasklens
