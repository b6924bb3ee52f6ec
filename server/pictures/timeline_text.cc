// SPDX-License-Identifier: Apache-2.0
// Prints one character a column, from the sums of its states.
#include "server/pictures/timeline_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "analysis/text.h"
#include "server/pictures/time_axis.h"

namespace tasklens {
namespace {

constexpr size_t kLongestName = 24;
constexpr size_t kTickColumns = 16;  // least distance of ticks

// The letter of a state where there is no task.
char LetterOf(StateKind kind) {
  switch (kind) {
    case StateKind::kNone: return ' ';
    case StateKind::kIdle:
    case StateKind::kSleeping: return '.';
    case StateKind::kScheduling: return 's';
    case StateKind::kFetchingInput: return 'f';
    case StateKind::kPushingOutput: return 'p';
    case StateKind::kOverhead: return 'o';
    case StateKind::kWaitingTask:
    case StateKind::kWaitingAllTasks: return 'w';
    case StateKind::kSubmittingTask: return 'S';
    // Tasks of the runtime; tasks of the program have signs.
    case StateKind::kTask:
    case StateKind::kExecuting: return 'r';
    default: return static_cast<char>(Decl(kind).name.front() | 0x20);
  }
}

// A sign for tasks, and the least share of a column for it.
struct TaskSign {
  char sign;
  double least_share;
  std::string_view meaning;
};
constexpr TaskSign kTaskSigns[] = {{'#', 0.5, "in tasks for half of the column or more"},
                                   {'+', 0.1, "for a tenth or more"},
                                   {':', 0, "for less"}};

class TextPicture {
 public:
  explicit TextPicture(const TimelineScene& scene) : scene_(scene) {
    for (const TimelineRow& row : scene.rows.rows)
      if (row.track != kNone) width_ = std::max(width_, RowName(row).size());
  }

  std::string Draw() {
    std::string rows;
    for (const TimelineRow& row : scene_.rows.rows)
      if (row.track != kNone) DrawRow(row, rows);
    return Axis() + rows + Legend();
  }

 private:
  std::string RowName(const TimelineRow& row) const {
    return NameWithRank(scene_.model, row).substr(0, kLongestName);
  }

  std::string Axis() const {
    const int64_t length_ns = scene_.to_ns - scene_.from_ns;
    const double count = std::max(1., static_cast<double>(scene_.pixels) / kTickColumns);
    std::string line;  // and how many characters it has
    size_t columns = 0;
    for (const Tick& tick :
         TicksOf(RunClock(scene_.model), Span{scene_.from_ns, scene_.to_ns}, count)) {
      const double share =
          static_cast<double>(tick.at_ns - scene_.from_ns) / static_cast<double>(length_ns);
      const auto column = static_cast<size_t>(std::max(share, 0.) * scene_.pixels);
      const size_t wide = 1 + tick.text.size() - (tick.text.find("\xC2\xB5") != std::string::npos);
      if (column < columns || column + wide > scene_.pixels) continue;
      line.append(column - columns, ' ').append("|" + tick.text);
      columns = column + wide;
    }
    line.append(scene_.pixels - columns, ' ');
    return fmt::format("{:<{}}  {}   in tasks\n", "", width_, line);
  }

  void DrawRow(const TimelineRow& row, std::string& out) {
    const TimelineMix mix =
        scene_.index.Mix(row.track, scene_.from_ns, scene_.to_ns, scene_.pixels).WithoutCodelets();
    std::string line;
    uint64_t in_tasks_ns = 0;
    bool has_tasks = row.kind == TimelineRowKind::kWorker;
    for (size_t column = 0; column < mix.pixels.size(); ++column) {
      const uint64_t tasks_ns = TasksNs(mix, column);
      in_tasks_ns += tasks_ns;
      has_tasks = has_tasks || mix.pixels[column].tasks > 0;
      line += Sign(mix, column, tasks_ns);
    }
    NameStates(row);
    const auto length_ns = static_cast<double>(scene_.to_ns - scene_.from_ns);
    out += fmt::format(
        "{:<{}} |{}|{}\n", RowName(row), width_, line,
        has_tasks ? "  " + ShareText(static_cast<double>(in_tasks_ns) / length_ns) : "");
  }

  static uint64_t TasksNs(const TimelineMix& mix, size_t column) {
    uint64_t time_ns = 0;
    for (size_t kind = 0; kind < mix.kinds.size(); ++kind)
      if (mix.kinds[kind].IsTask()) time_ns += mix.TimeNs(column, kind);
    return time_ns;
  }

  char Sign(const TimelineMix& mix, size_t column, uint64_t tasks_ns) {
    const TimelineMix::Pixel& pixel = mix.pixels[column];
    if (tasks_ns > 0 || pixel.tasks > 0) {
      const double share =
          static_cast<double>(tasks_ns) / static_cast<double>(pixel.end_ns - pixel.start_ns);
      for (const TaskSign& sign : kTaskSigns)
        if (share >= sign.least_share) return signs_.insert(sign.sign), sign.sign;
    }
    // In rows that are unknown for part of the time, known states win.
    uint64_t most_ns = 0;
    char letter = ' ';
    for (size_t kind = 0; kind < mix.kinds.size(); ++kind) {
      const StateKind state = mix.kinds[kind].kind;
      if (state == StateKind::kNone || mix.TimeNs(column, kind) <= most_ns) continue;
      most_ns = mix.TimeNs(column, kind);
      letter = LetterOf(state);
    }
    signs_.insert(letter);
    return letter;
  }

  // Collects by letter the names that the file uses for the row's states.
  void NameStates(const TimelineRow& row) {
    for (const std::vector<TimelineSlice>& layer : scene_.PictureOf(row).layers)
      for (const TimelineSlice& slice : layer) {
        const StateKind kind = scene_.model.states.kind[slice.state];
        const bool is_task = Decl(kind).group == StateGroup::kTask;
        const std::string name(is_task ? "tasks of the runtime's own"
                                       : scene_.model.StateNameOf(slice.state));
        std::string& names = names_[LetterOf(kind)];
        if (names.find(name) == names.npos) names += (names.empty() ? "" : ", ") + name;
      }
    // If a deeper state covers it, at least its kind is known.
    const TimelineMix mixed = scene_.PictureOf(row).mixed;
    for (const MixKind& kind : mixed.kinds) {
      std::string& names = names_[LetterOf(kind.kind)];
      if (names.empty()) names = Decl(kind.kind).name;
    }
  }

  std::string Legend() const {
    std::string legend;
    const auto add = [&](char sign, std::string_view meaning) {
      legend += fmt::format("{}{}  {}", legend.empty() ? "" : "   ", sign, meaning);
    };
    for (const TaskSign& sign : kTaskSigns)
      if (signs_.contains(sign.sign)) add(sign.sign, sign.meaning);
    for (const auto& [letter, names] : names_)
      if (letter != ' ' && signs_.contains(letter)) add(letter, names);
    return legend + "\n";
  }

  const TimelineScene& scene_;
  size_t width_ = 0;
  std::set<char> signs_;               // that were printed
  std::map<char, std::string> names_;  // of states, by letter
};

}  // namespace

std::string TimelineText(const TimelineScene& scene) { return TextPicture(scene).Draw(); }

}  // namespace tasklens
