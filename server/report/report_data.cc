// SPDX-License-Identifier: Apache-2.0
// Chooses the data of a run to keep, and writes it as columns.
#include "server/report/report_data.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/advice.h"
#include "analysis/call_sites.h"
#include "analysis/colours.h"
#include "analysis/critical_path.h"
#include "analysis/graph_view.h"
#include "analysis/idle.h"
#include "analysis/joined_dependencies.h"
#include "analysis/last_dependencies.h"
#include "analysis/path_view.h"
#include "analysis/run_clock.h"
#include "analysis/statistics.h"
#include "analysis/task_details.h"
#include "analysis/task_estimates.h"
#include "analysis/task_times.h"
#include "analysis/timeline.h"
#include "analysis/timeline_arrows.h"
#include "analysis/timeline_curves.h"
#include "analysis/timeline_flags.h"
#include "analysis/timeline_rows.h"
#include "analysis/workers_of_tasks.h"
#include "server/answers/answers.h"
#include "server/report/chosen_tasks.h"
#include "server/report/columns.h"
#include "server/report/graph_tree.h"
#include "server/report/json_list.h"
#include "server/report/numbered_texts.h"
#include "server/report/overview.h"
#include "server/report/report_plots.h"
#include "server/report/source_quote.h"
#include "trace/support/beside.h"

namespace tasklens {

using nlohmann::json;

namespace {

constexpr double kCounterSteps = 1000;      // of fractional values: more than a picture has pixels
constexpr uint32_t kMostPixels = 1u << 24;  // of the timeline in the report
constexpr uint32_t kFirstPixels = 1024;     // of arrows and flags, at least
constexpr size_t kMostSites = 1'000;        // in the table
constexpr size_t kTreesAtOnce = 2;          // each needs about 50 bytes a task while it is built
// What colours tasks, besides their codelets: those have colours by their names.
constexpr ColourBy kReportColourings[] = {ColourBy::kWorker, ColourBy::kDuration,
                                          ColourBy::kWaiting, ColourBy::kSlack,
                                          ColourBy::kIteration};

using Slice = ReportSlice;

// Returns choose(pixels) for the finest picture of the whole run that has at most `most` of the
// `all` things, or all. Starts with `pixels` and sets it to the number used.
template <class Choose>
auto Finest(size_t most, size_t all, uint32_t& pixels, const Choose& choose) {
  auto chosen = choose(pixels);
  while (chosen.size() < all && pixels < kMostPixels) {
    auto finer = choose(pixels * 2);
    if (finer.size() > most) break;
    chosen = std::move(finer);
    pixels *= 2;
  }
  return chosen;
}

class Report {
 public:
  Report(const OpenTrace& trace, const ReportLimits& limits)
      : trace_(trace),
        model_(*trace.model),
        views_(*trace.views),
        limits_(limits),
        rows_(model_),
        names_(model_),
        details_(model_) {
    for (uint32_t task = 0; task < model_.tasks.size() && !has_internal_; ++task)
      has_internal_ = !IsUserTask(model_, task);
  }

  std::string Bytes() {
    // Findings and statistics take seconds for a million tasks. Findings need the most memory by
    // far, so only steps that need little memory run at the same time.
    auto findings =
        Beside([this] { return JsonList(FindingMessages(model_, *views_.Findings(nullptr))); });
    AddRows();
    ChooseSlices();
    header_["advice"] = findings.get();
    auto statistics = Beside([this] { return AllStatisticsJson(); });
    path_ = *views_.Critical(nullptr);
    ChooseTasks();
    messages::OverviewAnswer overview = OverviewMessage(trace_, kMostSites);
    AddReasons(model_, *views_.Idleness(nullptr), *views_.LowerBounds(nullptr), path_, overview);
    overview.paths.clear();  // paths on the author's machine
    Write(overview, header_["overview"]);
    WriteSlices();
    WriteTasks();
    WriteData();
    WriteFields();
    WriteDependencies();
    WriteCriticalPath();
    WriteColours();
    WriteCounters();
    WriteArrows();
    WriteFlags("event", false);
    WriteFlags("scheduler", true);
    WriteGraphs();
    AddSites();
    header_.update(statistics.get());
    WritePlots();
    header_["texts"]["names"] = names_.Take();
    header_["texts"]["details"] = details_.Take();
    header_["kept"] = kept_;
    header_["columns"] = columns_.directory();
    const std::string text = header_.dump(-1, ' ', false, json::error_handler_t::replace);
    std::string bytes;
    for (int shift = 0; shift < 32; shift += 8)
      bytes += static_cast<char>(static_cast<uint32_t>(text.size()) >> shift);
    return bytes + text + columns_.bytes();
  }

 private:
  // Also plots. Statistics that include the runtime's own tasks are written only if there are any.
  json AllStatisticsJson() const {
    json all = {{"stats", StatisticsJson(false)}, {"plots", ReportPlots(trace_, limits_.plots)}};
    if (has_internal_) all["statsWithInternal"] = StatisticsJson(true);
    return all;
  }

  json StatisticsJson(bool internal) const {
    json all = json::object();
    for (const StatisticsBy by : {StatisticsBy::kCodelet, StatisticsBy::kSite,
                                  StatisticsBy::kWorker, StatisticsBy::kState}) {
      messages::Groups answer;
      SetGroups(model_, by, *views_.StatisticsOf(by, internal, nullptr), kMostSites, {}, answer);
      Write(answer, all[answer.by]);
    }
    return all;
  }

  void AddRows() {
    json rows = json::array(), states = json::array();
    for (const TimelineRow& row : rows_.rows)
      rows.push_back({{"name", row.name},
                      {"kind", TimelineRowKindName(row.kind)},
                      {"rank", model_.ranks.rank[row.rank_index]}});
    for (const StateDecl& state : AllStates()) states.push_back(state.name);
    json workers = json::array();
    for (uint32_t worker = 0; worker < model_.workers.size(); ++worker)
      workers.push_back(
          {{"name", StatisticsLabel(model_, StatisticsBy::kWorker, worker)},
           {"row", rows_.of_worker[worker] == kNone ? -1 : int64_t{rows_.of_worker[worker]}},
           {"kind", WorkerArchName(model_.workers.arch[worker])}});
    header_["texts"] = {
        {"rows", std::move(rows)}, {"states", std::move(states)}, {"workers", std::move(workers)}};
  }

  // Keeps every state, or as fine a timeline as the limit permits.
  void ChooseSlices() {
    const StateTable& states = model_.states;
    size_t total = 0;
    for (size_t i = 0; i < states.size(); ++i) total += states.kind[i] != StateKind::kNone;
    const TimelineIndex index(model_);
    const int64_t end_ns = std::max<int64_t>(model_.duration_ns, 1);
    int64_t detail_ns = 0;
    if (total <= limits_.slices) {
      for (uint32_t track = 0; track < model_.tracks.size(); ++track)
        for (uint32_t depth = 0; depth < index.Depths(track); ++depth)
          for (const uint32_t state : index.StatesIn(track, depth, 0, end_ns))
            Keep(slices_, track, depth, {states.start_ns[state], states.end_ns[state], state, 1});
    } else {
      // Sparse rows have far more pixels than slices.
      uint32_t pixels = 1;
      slices_ = Finest(limits_.slices, total, pixels,
                       [&](uint32_t fine) { return SlicesAt(index, end_ns, fine); });
      detail_ns = end_ns / pixels;
      WriteMixes(index, end_ns, pixels);
    }
    kept_["slices"] = slices_.size();
    kept_["statesTotal"] = total;
    kept_["detailNs"] = detail_ns;
  }

  std::vector<Slice> SlicesAt(const TimelineIndex& index, int64_t end_ns, uint32_t pixels) const {
    std::vector<Slice> slices;
    for (uint32_t track = 0; track < model_.tracks.size(); ++track)
      for (uint32_t depth = 0; depth < index.Depths(track); ++depth)
        for (const TimelineSlice& slice : index.Slices(track, depth, 0, end_ns, pixels))
          Keep(slices, track, depth, slice);
    return slices;
  }

  // Writes the contents of mixed pixels, row by row.
  void WriteMixes(const TimelineIndex& index, int64_t end_ns, uint32_t pixels) {
    json rows = json::array();
    std::vector<TimelineMix::Pixel> all;
    std::vector<std::vector<uint64_t>> times_ns;  // by index in the kinds of a row
    for (uint32_t track = 0; track < model_.tracks.size(); ++track) {
      const TimelineMix mixed = index.Picture(track, 0, end_ns, pixels).mixed;
      if (mixed.pixels.empty()) continue;
      json kinds = json::array();
      for (const MixKind& kind : mixed.kinds)
        kinds.push_back(
            {{"state", static_cast<uint32_t>(kind.kind)},
             {"internal", kind.is_internal},
             {"name", kind.codelet == kNone ? -1 : static_cast<int64_t>(names_.Of(kind.codelet))}});
      rows.push_back({{"row", rows_.of_track[track]},
                      {"first", all.size()},
                      {"count", mixed.pixels.size()},
                      {"kinds", std::move(kinds)}});
      while (times_ns.size() < mixed.kinds.size()) times_ns.emplace_back(all.size());
      for (size_t kind = 0; kind < times_ns.size(); ++kind)
        for (size_t pixel = 0; pixel < mixed.pixels.size(); ++pixel)
          times_ns[kind].push_back(kind < mixed.kinds.size() ? mixed.TimeNs(pixel, kind) : 0);
      all.insert(all.end(), mixed.pixels.begin(), mixed.pixels.end());
    }
    header_["mixed"] = std::move(rows);
    columns_.Steps("mixGap", all.size(),
                   [&](size_t i) { return all[i].start_ns - (i > 0 ? all[i - 1].end_ns : 0); });
    columns_.Plain("mixLength", all.size(),
                   [&](size_t i) { return all[i].end_ns - all[i].start_ns; });
    columns_.Plain("mixDepth", all.size(), [&](size_t i) { return all[i].depth; });
    columns_.Plain("mixCount", all.size(), [&](size_t i) { return all[i].count; });
    columns_.Plain("mixTasks", all.size(), [&](size_t i) { return all[i].tasks; });
    for (size_t kind = 0; kind < times_ns.size(); ++kind)
      columns_.Plain("mixTime" + std::to_string(kind), all.size(),
                     [&](size_t i) { return times_ns[kind][i]; });
  }

  void Keep(std::vector<Slice>& slices, uint32_t track, uint32_t depth,
            const TimelineSlice& slice) const {
    if (model_.states.kind[slice.state] == StateKind::kNone && slice.count == 1) return;
    slices.push_back({track, depth, slice});
  }

  void ChooseTasks() {
    tasks_ = ChooseReportTasks(model_, slices_, path_, limits_.tasks);
    place_.assign(model_.tasks.size(), kNone);
    for (uint32_t place = 0; place < tasks_.size(); ++place) place_[tasks_[place]] = place;
    kept_["tasks"] = tasks_.size();
    kept_["tasksTotal"] = model_.tasks.size();
  }

  void WriteSlices() {
    const auto at = [&](size_t i) -> const TimelineSlice& { return slices_[i].slice; };
    const size_t count = slices_.size();
    json layers = json::array();
    for (size_t i = 0; i < count; ++i)
      if (i == 0 || slices_[i].track != slices_[i - 1].track ||
          slices_[i].depth != slices_[i - 1].depth)
        layers.push_back(
            {{"row", rows_.of_track[slices_[i].track]}, {"depth", slices_[i].depth}, {"first", i}});
    header_["layers"] = std::move(layers);
    // The gap to the end of the slice before: mostly 0, because states fill a row.
    columns_.Steps("sliceGap", count,
                   [&](size_t i) { return at(i).start_ns - (i > 0 ? at(i - 1).end_ns : 0); });
    columns_.Plain("sliceLength", count, [&](size_t i) { return at(i).end_ns - at(i).start_ns; });
    columns_.Plain("sliceState", count, [&](size_t i) {
      return static_cast<uint64_t>(model_.states.kind[at(i).state]);
    });
    columns_.Plain("sliceCount", count, [&](size_t i) { return at(i).count; });
    columns_.Steps("sliceTask", count, [&](size_t i) {
      const uint32_t task = model_.states.task[at(i).state];
      return task == kNone || place_[task] == kNone ? int64_t{-1} : int64_t{place_[task]};
    });
    if (has_internal_)
      columns_.Steps("sliceInternal", count, [&](size_t i) {
        const uint32_t task = model_.states.task[at(i).state];
        return int64_t{task != kNone && !IsUserTask(model_, task)};
      });
    // Keeps the names of tasks that were dropped, and the names of states that differ from their
    // kinds.
    columns_.Plain("sliceName", count, [&](size_t i) {
      const uint32_t state = at(i).state, task = model_.states.task[state];
      if (task != kNone) return 1 + names_.Of(NameOf(task));
      const StringId name = model_.states.name[state];
      return name == 0 ? size_t{0} : 1 + names_.Of(name);
    });
  }

  StringId NameOf(uint32_t task) const { return model_.tasks.name[task]; }

  template <class Value>
  void Task(std::string_view name, const Value& value) {
    columns_.Steps(name, tasks_.size(), [&](size_t i) {
      const auto v = static_cast<int64_t>(value(tasks_[i]));
      return v == kNever ? int64_t{-1} : v;
    });
  }

  void WriteTasks() {
    const TaskTable& tasks = model_.tasks;
    const auto slack = views_.Colours(ColourBy::kSlack, nullptr);
    Task("taskRow", [&](uint32_t t) { return t; });
    Task("taskJob", [&](uint32_t t) { return tasks.job[t]; });
    Task("taskRank", [&](uint32_t t) { return model_.ranks.rank[tasks.rank_index[t]]; });
    Task("taskName", [&](uint32_t t) { return names_.Of(NameOf(t)); });
    Task("taskSite", [&](uint32_t t) {
      return tasks.site[t] < model_.sites.size() ? int64_t{tasks.site[t]} : -1;
    });
    Task("taskWorker", [&](uint32_t t) {
      return tasks.worker[t] < model_.workers.size() ? int64_t{tasks.worker[t]} : -1;
    });
    Task("taskSubmit", [&](uint32_t t) { return tasks.submit_ns[t]; });
    Task("taskReady", [&](uint32_t t) { return TimesOf(model_, t).ready_ns; });
    Task("taskStart", [&](uint32_t t) { return tasks.start_ns[t]; });
    Task("taskEnd", [&](uint32_t t) { return tasks.end_ns[t]; });
    Task("taskSlack", [&](uint32_t t) { return slack->values()[t]; });
    if (has_internal_) Task("taskInternal", [&](uint32_t t) { return !IsUserTask(model_, t); });
    if (!tasks.cut.AllDefault()) Task("taskCut", [&](uint32_t t) { return tasks.cut[t]; });
    // Set if tasks ran on several workers or more than once: the columns do not tell the parts
    // apart.
    header_["hasParts"] = !FirstWorkers(model_).empty() || !OtherWorkers(model_).empty();
    Task("taskHasTag", [&](uint32_t t) { return tasks.has_tag[t]; });
    // A tag has 64 bits, a JavaScript number 53.
    Task("taskTagHigh", [&](uint32_t t) { return tasks.tag[t] >> 32; });
    Task("taskTagLow", [&](uint32_t t) { return tasks.tag[t] & 0xffffffff; });
    Task("taskFlops", [&](uint32_t t) { return FlopsOf(t); });
    Task("taskTaken", [&](uint32_t t) { return tasks.pop_ns[t]; });
  }

  // Writes the fields of tasks as the server tells them. Those that the page makes from other
  // columns have no columns.
  void WriteFields() {
    constexpr std::string_view kOfOthers[] = {
        "Name",   "Worker", "Time",      "Duration", "Job",   "Parameters", "Tag",
        "Source", "Rank",   "Submitted", "Ready",    "Taken", "Waits for",  "Waited for by"};
    constexpr size_t kAtOnce = 1 << 15;  // tasks; each needs about 500 bytes
    const RunClock clock(model_);
    std::vector<std::pair<std::string_view, NumberedPatterns>> fields;
    for (size_t first = 0; first < tasks_.size(); first += kAtOnce) {
      const auto some = std::span(tasks_).subspan(first, std::min(kAtOnce, tasks_.size() - first));
      for (const TaskDetails& details : DescribeTasks(model_, some)) {
        const auto texts = TaskFields(model_, details, clock);
        for (size_t i = fields.size(); i < texts.size(); ++i)
          fields.push_back({texts[i].first, {}});
        for (size_t i = 0; i < texts.size(); ++i)
          if (std::ranges::find(kOfOthers, texts[i].first) == std::end(kOfOthers))
            fields[i].second.Add(texts[i].second);
      }
    }
    json& list = header_["fields"] = json::array();
    for (auto& [name, texts] : fields) {
      const std::string column = "taskField" + std::to_string(list.size());
      list.push_back({{"name", name}});
      if (texts.pattern_of().empty()) continue;
      list.back()["column"] = column;
      json& patterns = list.back()["patterns"] = texts.TakePatterns();
      if (patterns.size() == 1 && texts.numbers().empty()) continue;  // the same for all
      columns_.Steps(column, tasks_.size(), [&](size_t i) { return texts.pattern_of()[i]; });
      columns_.Steps(column + "Number", texts.numbers().size(),
                     [&](size_t i) { return texts.numbers()[i]; });
    }
    if (const std::vector<double> lengths = EstimatesOfTasks(model_); !lengths.empty())
      Task("taskExpected", [&](uint32_t t) {
        return lengths[t] < 9e15 ? std::max(std::llround(lengths[t]), 1LL) : -1LL;
      });
  }

  int64_t FlopsOf(uint32_t task) const {
    const double flops = model_.tasks.flops[task];
    return flops > 0 && flops < 9e15 ? static_cast<int64_t>(flops + 0.5) : 0;
  }

  // Writes the handles that tasks access.
  void WriteData() {
    std::vector<std::pair<TaskAccess, StringId>> accesses;
    columns_.Plain("taskAccesses", tasks_.size(), [&](size_t i) {
      const auto list = model_.accesses[tasks_[i]];
      const auto parameters = model_.parameters[tasks_[i]];
      for (size_t k = 0; k < list.size(); ++k)
        accesses.emplace_back(list[k], k < parameters.size() ? parameters[k] : StringId{});
      return list.size();
    });
    std::unordered_map<uint32_t, size_t> numbers;
    std::vector<uint32_t> handles;
    columns_.Steps("accessHandle", accesses.size(), [&](size_t i) {
      const uint32_t handle = accesses[i].first.handle;
      if (handle >= model_.handles.size()) return int64_t{-1};
      const auto [it, is_new] = numbers.try_emplace(handle, handles.size());
      if (is_new) handles.push_back(handle);
      return static_cast<int64_t>(it->second);
    });
    columns_.Plain("accessMode", accesses.size(), [&](size_t i) { return accesses[i].first.mode; });
    columns_.Plain("accessSizeBytes", accesses.size(),
                   [&](size_t i) { return accesses[i].first.size_bytes; });
    columns_.Steps("accessNuma", accesses.size(),
                   [&](size_t i) { return accesses[i].first.numa_nodes; });
    columns_.Plain("accessText", accesses.size(),
                   [&](size_t i) { return details_.Of(accesses[i].second); });
    const HandleTable& table = model_.handles;
    const auto coordinate = [&](size_t i, size_t axis) {
      const auto list = table.coordinates[handles[i]];
      return axis < list.size() ? int64_t{list[axis]} : INT32_MIN;
    };
    columns_.Plain("handleAddressHigh", handles.size(),
                   [&](size_t i) { return table.address[handles[i]] >> 32; });
    columns_.Plain("handleAddressLow", handles.size(),
                   [&](size_t i) { return table.address[handles[i]] & 0xffffffff; });
    columns_.Steps("handleRow", handles.size(), [&](size_t i) { return handles[i]; });
    columns_.Plain("handleName", handles.size(),
                   [&](size_t i) { return details_.Of(table.name[handles[i]]); });
    columns_.Steps("handleX", handles.size(), [&](size_t i) { return coordinate(i, 0); });
    columns_.Steps("handleY", handles.size(), [&](size_t i) { return coordinate(i, 1); });
  }

  // Writes for each kept task a list of others, those that are kept: their numbers as the column
  // "task" + `kind`, how far back each is as the column `kind` + "Back". Returns the length of all
  // lists.
  template <class ForEach>
  size_t WriteLists(const std::string& kind, const ForEach& for_each) {
    std::vector<int64_t> distances;
    columns_.Plain("task" + kind, tasks_.size(), [&](size_t i) {
      const size_t before = distances.size();
      for_each(tasks_[i], [&](uint32_t other) {
        if (place_[other] != kNone) distances.push_back(static_cast<int64_t>(i) - place_[other]);
      });
      return distances.size() - before;
    });
    columns_.Plain(kind + "Back", distances.size(), [&](size_t i) {
      const int64_t distance = distances[i];
      return static_cast<uint64_t>(distance < 0 ? -2 * distance - 1 : 2 * distance);
    });
    return distances.size();
  }

  void WriteDependencies() {
    kept_["dependencies"] = WriteLists("Predecessors", [&](uint32_t task, const auto& visit) {
      for (const DepEnd& end : model_.predecessors[task]) visit(end.task);
    });
    kept_["dependenciesTotal"] = model_.predecessors.items.size();
    // Those that arrows show besides: through tasks without a place in the timeline; and those that
    // graphs show besides: by tags and messages, and through the runtime's own tasks if these are
    // not shown.
    const auto write = [&](const std::string& kind, const JoinedDependencies& joined) {
      WriteLists(kind, [&](uint32_t task, const auto& visit) {
        for (const uint32_t before : joined.Joined(task)) visit(before);
      });
    };
    write("Placed", *views_.Placed(nullptr));
    write("Joined", views_.Selection(false, nullptr)->dependencies);
    if (has_internal_) write("JoinedInternal", views_.Selection(true, nullptr)->dependencies);
    // The kept task that each waited for last.
    const auto why_late = views_.WhyLate();
    Task("taskLast", [&](uint32_t t) {
      const uint32_t last = why_late->NextOf(t);
      return last == kNone || place_[last] == kNone ? int64_t{-1} : int64_t{place_[last]};
    });
    // Counts all dependencies, also those on tasks that were not kept.
    columns_.Plain("taskPredecessorsTotal", tasks_.size(),
                   [&](size_t i) { return model_.predecessors[tasks_[i]].size(); });
    columns_.Plain("taskSuccessorsTotal", tasks_.size(),
                   [&](size_t i) { return model_.successors[tasks_[i]].size(); });
  }

  // Writes the critical path, in stretches as fine as the limit permits, and the tasks on it.
  void WriteCriticalPath() {
    const PathIndex index(model_, rows_, path_);
    const int64_t end_ns = std::max<int64_t>(model_.duration_ns, 1);
    uint32_t pixels = kFirstPixels;
    const std::vector<PathStretch> path =
        Finest(limits_.path, index.size(), pixels,
               [&](uint32_t fine) { return index.View(0, end_ns, fine); });
    columns_.Steps("pathRow", path.size(), [&](size_t i) { return path[i].row; });
    columns_.Steps("pathGap", path.size(),
                   [&](size_t i) { return path[i].start_ns - (i > 0 ? path[i - 1].end_ns : 0); });
    columns_.Plain("pathLength", path.size(),
                   [&](size_t i) { return path[i].end_ns - path[i].start_ns; });
    columns_.Plain("pathCount", path.size(), [&](size_t i) { return path[i].count; });
    columns_.Plain("pathWork", path.size(), [&](size_t i) { return path[i].work_ns; });
    std::vector<bool> is_on(model_.tasks.size());
    for (const CriticalStep& step : path_.steps) is_on[step.task] = true;
    columns_.Plain("taskOnPath", tasks_.size(),
                   [&](size_t i) { return static_cast<uint64_t>(is_on[tasks_[i]]); });
    kept_["pathStretches"] = path.size();
    header_["criticalPath"] = {
        {"workNs", path_.work_ns}, {"waitNs", path_.wait_ns}, {"count", path_.steps.size()}};
  }

  // Writes the legends, and the entry of each task and of each slice whose task is not kept; for
  // groups see WriteGraphs().
  void WriteColours() {
    for (const ColourBy by : kReportColourings) {
      const TaskColours& colours = *colourings_.emplace_back(views_.Colours(by, nullptr));
      const std::string name(ColourByName(by));
      Write(LegendMessage(colours.legend()), header_["legends"][name]);
      columns_.Plain("taskColour" + name, tasks_.size(),
                     [&](size_t i) { return colours.EntryOf(tasks_[i]); });
      columns_.Plain("sliceColour" + name, slices_.size(), [&](size_t i) {
        const uint32_t task = model_.states.task[slices_[i].slice.state];
        return task == kNone || place_[task] != kNone ? 0 : colours.EntryOf(task);
      });
    }
    if (!colourings_.front()->has_own()) return;
    const auto own = [&](uint32_t task) {
      return task == kNone || model_.tasks.rgb[task] == kNone
                 ? int64_t{-1}
                 : int64_t{model_.tasks.rgb[task] & 0xffffff};
    };
    columns_.Steps("sliceRgb", slices_.size(),
                   [&](size_t i) { return own(model_.states.task[slices_[i].slice.state]); });
    Task("taskRgb", own);
  }

  // Writes each counter in at most counter_points intervals, with its lowest and highest value.
  void WriteCounters() {
    const TimelineCurves curves(model_, rows_);
    const int64_t end_ns = std::max<int64_t>(model_.duration_ns, 1);
    json list = json::array();
    for (size_t i = 0; i < std::min(curves.curves().size(), limits_.counters); ++i) {
      const Curve& curve = curves.curves()[i];
      const size_t changes = curves.ChangeCount(i);
      uint32_t pixels = limits_.counter_points;
      const std::vector<CurveSlice> slices =
          changes < limits_.counter_points
              ? curves.AllSlices(i, end_ns)
              : Finest(limits_.counter_points, changes, pixels,
                       [&](uint32_t fine) { return curves.Slices(i, 0, end_ns, fine); });
      const double largest = std::max(std::fabs(curve.min), std::fabs(curve.max));
      const bool is_whole = std::all_of(slices.begin(), slices.end(), [](const CurveSlice& s) {
        return s.min == std::trunc(s.min) && s.max == std::trunc(s.max);
      });
      const double unit = is_whole || largest == 0 ? 1 : largest / kCounterSteps;
      const std::string column = "counter" + std::to_string(i);
      const auto write = [&](std::string_view name, const auto& value) {
        columns_.Steps(column + std::string(name), slices.size(),
                       [&](size_t k) { return std::llround(value(slices[k])); });
      };
      write("Start", [](const CurveSlice& s) { return static_cast<double>(s.start_ns); });
      write("End", [](const CurveSlice& s) { return static_cast<double>(s.end_ns); });
      write("Low", [&](const CurveSlice& s) { return s.min / unit; });
      write("High", [&](const CurveSlice& s) { return s.max / unit; });
      const double mean_unit = largest == 0 ? 1 : largest / kCounterSteps;
      write("Mean", [&](const CurveSlice& s) { return s.mean / mean_unit; });
      list.push_back({{"kind", CurveKindName(curve.kind)},
                      {"name", curve.name},
                      {"unit", curve.unit},
                      {"row", curve.row},
                      {"min", curve.min},
                      {"max", curve.max},
                      {"step", unit},
                      {"meanStep", mean_unit},
                      {"column", column}});
    }
    kept_["counters"] = list.size();
    kept_["countersTotal"] = curves.curves().size();
    header_["counters"] = std::move(list);
  }

  // Writes arrows; those of dependencies come from WriteDependencies().
  void WriteArrows() {
    const int64_t end_ns = std::max<int64_t>(model_.duration_ns, 1);
    std::vector<std::pair<ArrowKind, TimelineArrow>> kept;
    uint64_t total = 0;
    for (const ArrowKind kind : {ArrowKind::kTransfer, ArrowKind::kMessage, ArrowKind::kSteal}) {
      const TimelineArrows arrows(model_, rows_, kind);
      uint32_t pixels = kFirstPixels;
      const std::vector<TimelineArrow> chosen =
          Finest(limits_.arrows, arrows.size(), pixels,
                 [&](uint32_t fine) { return arrows.View(0, end_ns, fine).arrows; });
      for (const TimelineArrow& arrow : chosen) kept.emplace_back(kind, arrow);
      total += arrows.size();
      kept_[std::string(ArrowKindName(kind)) + "s"] = chosen.size();
    }
    kept_["arrowsTotal"] = total;
    const auto write = [&](std::string_view name, const auto& value) {
      columns_.Steps(name, kept.size(),
                     [&](size_t i) { return static_cast<int64_t>(value(kept[i].second)); });
    };
    columns_.Plain("arrowKind", kept.size(),
                   [&](size_t i) { return static_cast<uint64_t>(kept[i].first); });
    write("arrowFromRow", [](const TimelineArrow& arrow) { return arrow.from_row; });
    write("arrowToRow", [](const TimelineArrow& arrow) { return arrow.to_row; });
    write("arrowStart", [](const TimelineArrow& arrow) { return arrow.start_ns; });
    write("arrowLength", [](const TimelineArrow& arrow) { return arrow.end_ns - arrow.start_ns; });
    write("arrowCount", [](const TimelineArrow& arrow) { return arrow.count; });
  }

  // Writes columns whose names begin with `kind`.
  void WriteFlags(std::string_view kind, bool with_scheduler) {
    const TimelineFlags flags(model_, rows_, with_scheduler);
    const int64_t end_ns = std::max<int64_t>(model_.duration_ns, 1);
    const auto choose = [&](uint32_t pixels) {
      std::vector<std::pair<uint32_t, TimelineFlag>> chosen;  // with their rows
      for (uint32_t row = 0; row < rows_.rows.size(); ++row)
        for (const TimelineFlag& flag : flags.Flags(row, 0, end_ns, pixels))
          chosen.emplace_back(row, flag);
      return chosen;
    };
    size_t total = 0;
    for (const auto& [row, flag] : choose(1)) total += flag.count;
    uint32_t pixels = kFirstPixels;
    const auto kept = Finest(limits_.flags, total, pixels, choose);
    kept_[std::string(kind) + "Flags"] = kept.size();
    kept_[std::string(kind) + "FlagsTotal"] = total;
    NumberedTexts texts;
    const auto column = [&](std::string_view name, const auto& value) {
      columns_.Steps(std::string(kind) + "Flag" + std::string(name), kept.size(), value);
    };
    column("Row", [&](size_t i) { return kept[i].first; });
    column("At", [&](size_t i) { return kept[i].second.time_ns; });
    column("Count", [&](size_t i) { return kept[i].second.count; });
    column("Text", [&](size_t i) { return texts.Of(FlagText(model_, kept[i].second.point)); });
    header_["texts"][std::string(kind)] = texts.Take();
  }

  // Moves the pictures of the plots, megabytes each, out of the header: a page parses the header
  // before it shows anything.
  void WritePlots() {
    size_t number = 0;
    for (json& picture : header_["plots"]["pictures"]) {
      if (!picture["svg"].is_string()) continue;
      const std::string column = "plot" + std::to_string(number++);
      columns_.Text(column, std::exchange(picture["svg"], column).get_ref<const std::string&>());
    }
  }

  void WriteGraphs() {
    const auto topology = views_.Levels(nullptr);
    json graphs = json::array();
    // The groupings that a page without a server offers.
    const std::vector<std::vector<GroupBy>> nestings = {{GroupBy::kIteration, GroupBy::kCodelet},
                                                        {GroupBy::kCodelet},
                                                        {GroupBy::kSite},
                                                        {GroupBy::kIteration},
                                                        {GroupBy::kLevels},
                                                        {GroupBy::kData},
                                                        {GroupBy::kWorker}};
    const size_t trees = nestings.size() * (has_internal_ ? 2 : 1);
    std::deque<std::future<GraphTree>> ahead;
    size_t begun = 0;
    for (size_t number = 0; number < trees; ++number) {
      for (; begun < std::min(trees, number + kTreesAtOnce); ++begun)
        ahead.push_back(Beside([&, begun] {
          return BuildGraphTree(model_, *topology, nestings[begun % nestings.size()],
                                limits_.groups, colourings_, begun >= nestings.size());
        }));
      const GraphTree tree = ahead.front().get();
      ahead.pop_front();
      const std::string prefix = "graph" + std::to_string(number);
      json graph = GraphHeader(tree, nestings[number % nestings.size()]);
      graph["internal"] = number >= nestings.size();
      graph["labels"] = WriteNodes(prefix, tree);
      graph["column"] = prefix;
      graphs.push_back(std::move(graph));
      WriteEdges(prefix, tree);
    }
    header_["graphs"] = std::move(graphs);
  }

  static json GraphHeader(const GraphTree& tree, const std::vector<GroupBy>& nesting) {
    json by = json::array();
    for (const GroupBy group : nesting) by.push_back(GroupByName(group));
    const bool wants_levels =
        std::find(nesting.begin(), nesting.end(), GroupBy::kLevels) != nesting.end();
    const bool has_levels = tree.nodes.size() > 1 && tree.nodes[1].node.id.starts_with("/levels.");
    return {{"group", std::move(by)}, {"byLevelInstead", has_levels && !wants_levels}};
  }

  // Writes columns whose names begin with `prefix`. Returns the labels of the nodes.
  json WriteNodes(const std::string& prefix, const GraphTree& tree) {
    NumberedTexts labels;
    const auto node = [&](std::string_view name, const auto& value) {
      columns_.Steps(prefix + std::string(name), tree.nodes.size(), [&](size_t i) {
        const auto v = static_cast<int64_t>(value(tree.nodes[i].node));
        return v == kNever ? int64_t{-1} : v;
      });
    };
    columns_.Steps(prefix + "Parent", tree.nodes.size(), [&](size_t i) {
      return tree.nodes[i].parent == kNone ? int64_t{-1} : int64_t{tree.nodes[i].parent};
    });
    node("Label", [&](const GraphNode& n) { return labels.Of(n.label); });
    node("Task", [&](const GraphNode& n) {
      return n.task == kNone || place_[n.task] == kNone ? int64_t{-1} : int64_t{place_[n.task]};
    });
    node("Name", [&](const GraphNode& n) { return names_.Of(NameOf(n.first_task)); });
    node("Mixed", [&](const GraphNode& n) { return n.one_name ? 0 : 1; });
    node("Site", [&](const GraphNode& n) {
      const uint32_t site = model_.tasks.site[n.first_task];
      return site < model_.sites.size() ? int64_t{site} : -1;
    });
    node("Tasks", [&](const GraphNode& n) { return n.tasks; });
    node("Total", [&](const GraphNode& n) { return n.total_ns; });
    node("Start", [&](const GraphNode& n) { return n.start_ns; });
    node("End", [&](const GraphNode& n) { return n.end_ns; });
    for (size_t by = 0; by < colourings_.size(); ++by)
      columns_.Plain(prefix + "Colour" + std::string(ColourByName(colourings_[by]->by())),
                     tree.nodes.size(), [&](size_t i) { return tree.nodes[i].colours[by]; });
    columns_.Steps(prefix + "Leaf", tasks_.size(), [&](size_t i) {
      const uint32_t leaf = tree.leaf_of[tasks_[i]];
      return leaf == kNone ? int64_t{-1} : int64_t{leaf};
    });
    return labels.Take();
  }

  void WriteEdges(const std::string& prefix, const GraphTree& tree) {
    const size_t edges = tree.edges.size();
    columns_.Steps(prefix + "From", edges, [&](size_t i) { return tree.edges[i].from; });
    columns_.Steps(prefix + "To", edges, [&](size_t i) { return tree.edges[i].to; });
    columns_.Plain(prefix + "Count", edges, [&](size_t i) { return tree.edges[i].count; });
  }

  // Writes all sites, those with tasks first, with the lines around them if the source is readable.
  void AddSites() {
    json sites = json::object();
    std::map<std::string, Result<TracedSource>> files;
    size_t quoted = 0;
    std::vector<uint32_t> in_order(model_.sites.size());
    std::iota(in_order.begin(), in_order.end(),
              0);  // kNone, of a line without costs, is the largest
    std::ranges::stable_sort(in_order, {}, [&](uint32_t site) { return trace_.cost_of[site]; });
    std::map<uint32_t, WaitCost> waits;
    for (const WaitCost& wait : WaitsBySite(model_)) waits.emplace(wait.site, wait);
    for (const uint32_t site : in_order) {
      const uint32_t line = model_.sites.line[site];
      json& row = sites[std::to_string(site)] = {{"line", line}};
      row["file"] = model_.str(model_.sites.file[site]);
      row["function"] = model_.str(model_.sites.function[site]);
      if (const auto wait = waits.find(site); wait != waits.end())
        row["waits"] = {{"calls", wait->second.calls}, {"totalNs", wait->second.total_ns}};
      if (quoted == limits_.sources) continue;
      const Result<std::string> path = trace_.sources->PathOf(model_, site);
      if (!path.ok()) {
        row["problem"] = path.status().message();
        continue;
      }
      auto it = files.find(*path);
      if (it == files.end()) it = files.emplace(*path, ReadTracedSource(trace_, *path)).first;
      if (!it->second.ok()) {
        row["problem"] = it->second.status().message();
        continue;
      }
      SourceQuote quote = QuoteLine(it->second->text, line);
      if (quote.first_line == 0) {
        row["problem"] = *path + " has no line " + std::to_string(line) + " any more";
        continue;
      }
      row["path"] = *path;
      if (!it->second->note.empty()) row["note"] = it->second->note;
      row["firstLine"] = quote.first_line;
      row["lines"] = std::move(quote.lines);
      ++quoted;
    }
    header_["sites"] = std::move(sites);
  }

  const OpenTrace& trace_;
  const TraceModel& model_;
  TraceViews& views_;  // shared with other reports of the trace
  const ReportLimits limits_;
  json header_ = json::object(), kept_ = json::object();
  ColumnBytes columns_;
  const TimelineRows rows_;
  NumberedNames names_, details_;
  std::vector<Slice> slices_;
  std::vector<uint32_t> tasks_;  // rows of the kept tasks
  std::vector<uint32_t> place_;  // per task: its index in tasks_, or kNone
  CriticalPath path_;
  bool has_internal_ = false;                                   // tasks of the runtime's own
  std::vector<std::shared_ptr<const TaskColours>> colourings_;  // as in kReportColourings
};

}  // namespace

std::string ReportData(const OpenTrace& trace, const ReportLimits& limits) {
  return Report(trace, limits).Bytes();
}

}  // namespace tasklens
