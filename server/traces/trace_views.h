// SPDX-License-Identifier: Apache-2.0
// Views of an open trace that requests need repeatedly. Each view is made on first use and kept
// while the trace is open.
//
// Threads: any. If another thread is making the requested view, the caller waits for it. If `stop`
// is set while a view is made, nothing is kept and the result is nullptr.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

enum class ArrowKind : uint8_t;
enum class ColourBy : uint8_t;
enum class GroupBy : uint8_t;
enum class StatisticsBy : uint8_t;
class GraphBrowser;
class GroupFinder;
class JoinedDependencies;
class LastDependencies;
class PathIndex;
class TaskColours;
class TimelineArrows;
class TimelineCurves;
class TimelineFlags;
class TimelineIndex;
struct Bounds;
struct CriticalPath;
struct Finding;
struct GraphQuery;
struct IdleReport;
struct StatisticsRow;
struct TaskSelection;
struct TimelineRows;
struct Topology;

// A value that is made once, on first use.
template <class T>
class Once {
 public:
  template <class Make>
  std::shared_ptr<const T> Get(Stop stop, const Make& make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (value_) return value_;
    std::shared_ptr<const T> made = make();
    if (Stopped(stop)) return nullptr;
    return value_ = std::move(made);
  }
  // Callers that hold the value keep it.
  void Forget() { Set(nullptr); }
  void Set(std::shared_ptr<const T> value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    value_ = std::move(value);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

class TraceViews {
 public:
  explicit TraceViews(std::shared_ptr<const TraceModel> model);
  ~TraceViews();

  std::shared_ptr<const TimelineIndex> Timeline(Stop stop);
  // Uses a timeline that was already made from the same model.
  void UseTimeline(std::shared_ptr<const TimelineIndex> timeline) {
    timeline_.Set(std::move(timeline));
  }
  std::shared_ptr<const TimelineRows> Rows(Stop stop);
  std::shared_ptr<const TimelineCurves> Curves(Stop stop);
  // `with_scheduler`: also a flag for each task that became ready or was taken by a worker.
  std::shared_ptr<const TimelineFlags> Flags(bool with_scheduler, Stop stop);
  std::shared_ptr<const TimelineArrows> Arrows(ArrowKind kind, Stop stop);
  std::shared_ptr<const std::vector<double>> Estimates(Stop stop);  // EstimatesOfTasks()
  std::shared_ptr<const JoinedDependencies> Placed(Stop stop);      // PlacedDependencies()
  std::shared_ptr<const Topology> Levels(Stop stop);
  std::shared_ptr<const TaskSelection> Selection(bool internal, Stop stop);
  std::shared_ptr<const TaskColours> Colours(ColourBy by, Stop stop);
  std::shared_ptr<const std::vector<Finding>> Findings(Stop stop);
  std::shared_ptr<const CriticalPath> Critical(Stop stop);
  std::shared_ptr<const PathIndex> Path(Stop stop);
  std::shared_ptr<const LastDependencies> WhyLate();
  std::shared_ptr<const IdleReport> Idleness(Stop stop);
  std::shared_ptr<const Bounds> LowerBounds(Stop stop);
  // `internal`: includes the runtime's own tasks.
  std::shared_ptr<const std::vector<StatisticsRow>> StatisticsOf(StatisticsBy by, bool internal,
                                                                 Stop stop);
  // For each row of model.sites, the list of its tasks.
  std::shared_ptr<const Lists<uint32_t>> TasksBySite(Stop stop);

  // Calls `use` with a browser for `query` in which the groups in query.open are open. `key`
  // identifies the browser and covers all of the query but query.open. Keeps the last kBrowsers
  // browsers of whole graphs and the last browser of a part (query.only), so that looking at many
  // parts does not drop the whole. Returns false if stopped.
  bool Browse(const std::string& key, const GraphQuery& query, Stop stop,
              const std::function<void(GraphBrowser&)>& use);

  // Calls `use` with a finder for `query`. The last finder is kept; it is identified by selection,
  // nesting and `only`. Returns false if stopped.
  bool FindGroups(const GraphQuery& query, Stop stop, const std::function<void(GroupFinder&)>& use);

 private:
  std::shared_ptr<const IdleReport> SharedIdleness(Stop stop);

  static constexpr size_t kBrowsers = 2;
  // The number of values of each enumeration.
  static constexpr size_t kArrows = 4, kStatistics = 6, kColours = 6;
  struct Kept {
    std::string key;
    std::unique_ptr<GraphBrowser> browser;
  };

  const std::shared_ptr<const TraceModel> model_;
  Once<TimelineIndex> timeline_;
  Once<TimelineRows> rows_;
  Once<TimelineCurves> curves_;
  std::array<Once<TimelineFlags>, 2> flags_;          // without and with the scheduler's
  std::array<Once<TimelineArrows>, kArrows> arrows_;  // by ArrowKind
  Once<std::vector<double>> estimates_;
  Once<JoinedDependencies> placed_;
  Once<Topology> levels_;
  std::array<Once<TaskSelection>, 2> selections_;  // without and with internal tasks
  Once<std::vector<Finding>> findings_;
  Once<CriticalPath> critical_;
  Once<PathIndex> path_;
  Once<LastDependencies> last_dependencies_;
  // 80 bytes a task, so an idle report that only the findings needed is not kept.
  Once<IdleReport> idleness_;
  std::atomic<bool> is_idleness_asked_ = false;
  Once<Bounds> bounds_;
  // By StatisticsBy, without and with internal tasks.
  std::array<std::array<Once<std::vector<StatisticsRow>>, 2>, kStatistics> statistics_;
  Once<Lists<uint32_t>> tasks_by_site_;
  std::array<Once<TaskColours>, kColours> colours_;
  std::mutex browsers_mutex_;
  std::deque<Kept> browsers_, part_browsers_;  // the most recently used first
  std::mutex finder_mutex_;
  std::unique_ptr<GroupFinder> finder_;
};

}  // namespace tasklens
