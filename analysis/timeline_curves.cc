// SPDX-License-Identifier: Apache-2.0
// Sums of running tasks and copies, and their minima, maxima and means by blocks.
#include "analysis/timeline_curves.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/execution_order.h"
#include "analysis/pixels.h"
#include "analysis/sort_by_time.h"
#include "analysis/task_stretches.h"

namespace tasklens {
namespace {

// Larger than any real value; sums of any number of these, times any time, are finite.
constexpr double kLargest = 1e250;

double Sane(double value) {
  return std::isfinite(value) ? std::clamp(value, -kLargest, kLargest) : 0;
}

// Returns a copy of the series with values that can be summed, if some cannot (values are
// untrusted); else nullptr.
std::unique_ptr<CounterSeries> SaneSeries(const CounterSeries& series) {
  const size_t size = series.time_ns.size();
  size_t sane = 0;
  while (sane < size && series.value[sane] == Sane(series.value[sane])) ++sane;
  if (sane == size) return nullptr;
  auto copy = std::make_unique<CounterSeries>();
  for (size_t i = 0; i < size; ++i) {
    copy->time_ns.push_back(series.time_ns[i]);
    copy->value.push_back(Sane(series.value[i]));
  }
  return copy;
}

struct CurveWords {
  std::string_view key, name, unit;
};
// By CurveKind. The last two have names of their own, which may include a unit.
constexpr CurveWords kWords[] = {
    {"submitted_tasks", "submitted tasks", "tasks"},
    {"ready_tasks", "ready tasks", "tasks"},
    {"gflops", "Speed", "GFlop/s"},
    {"memory_used", "memory in use", "bytes"},
    {"bandwidth_in", "bandwidth in", "bytes/s"},
    {"bandwidth_out", "bandwidth out", "bytes/s"},
    {"papi", "", "events/s"},
    {"of_file", "", ""},
};

Curve CurveOf(CurveKind kind, uint32_t row) {
  const CurveWords& words = kWords[static_cast<size_t>(kind)];
  return {.kind = kind, .row = row, .name = std::string(words.name), .unit = words.unit};
}

// Returns the length of a period, exact up to rounding for any times; 0 if it ends before it
// begins.
double LengthNs(int64_t begin_ns, int64_t end_ns) {
  if (end_ns <= begin_ns) return 0;
  return static_cast<double>(static_cast<uint64_t>(end_ns) - static_cast<uint64_t>(begin_ns));
}

// Adds a period of one value; extends the previous slice if it has the same value.
void AddFlat(std::vector<CurveSlice>& slices, int64_t from_ns, int64_t to_ns, double value) {
  if (from_ns >= to_ns) return;
  if (!slices.empty() && slices.back().min == value && slices.back().max == value)
    slices.back().end_ns = to_ns;
  else
    slices.push_back({from_ns, to_ns, value, value, value});
}

}  // namespace

std::string_view CurveKindName(CurveKind kind) { return kWords[static_cast<size_t>(kind)].key; }

struct TimelineCurves::Part {
  int64_t start_ns, end_ns;  // start_ns < end_ns
  double value;
};

class TimelineCurves::Totals {
 public:
  void Add(double value, double length_ns) {
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
    integral_ += value * length_ns;
  }
  void Add(const Block& block) {
    min_ = std::min(min_, block.min);
    max_ = std::max(max_, block.max);
    integral_ += block.integral;
  }
  // REQUIRES: a value was added.
  CurveSlice Slice(int64_t begin_ns, int64_t end_ns) const {
    const double length_ns = LengthNs(begin_ns, end_ns);
    const double mean = length_ns > 0 ? integral_ / length_ns : max_;
    return {begin_ns, end_ns, min_, max_, std::clamp(mean, min_, max_)};
  }
  double min() const { return min_; }
  double max() const { return max_; }
  double integral() const { return integral_; }

 private:
  double min_ = INFINITY, max_ = -INFINITY, integral_ = 0;
};

void TimelineCurves::Add(Curve curve, Samples samples) {
  const CounterSeries& series = *samples.series;
  const size_t size = series.time_ns.size();
  for (size_t begin = 0; begin < size; begin += kBlock) {
    Totals totals;
    for (size_t i = begin; i < std::min(size, begin + kBlock); ++i)
      totals.Add(series.value[i],
                 i + 1 < size ? LengthNs(series.time_ns[i], series.time_ns[i + 1]) : 0);
    samples.blocks.push_back({totals.min(), totals.max(), totals.integral()});
    curve.min = std::min(curve.min, totals.min());
    curve.max = std::max(curve.max, totals.max());
  }
  if (curve.min == 0 && curve.max == 0) return;
  curves_.push_back(std::move(curve));
  samples_.push_back(std::move(samples));
}

// Adds a curve with the sum of all parts at each time at which it changes.
void TimelineCurves::AddSum(Curve curve, std::vector<Part> parts) {
  struct Change {
    int64_t time_ns;
    double value;  // value of the part
    int32_t sign;  // 1: it begins, -1: it ends
  };
  if (Stopped(stop_)) return;
  std::vector<Change> changes;
  changes.reserve(2 * parts.size());
  for (const Part& part : parts) {
    changes.push_back({part.start_ns, part.value, 1});
    changes.push_back({part.end_ns, part.value, -1});
  }
  std::vector<Part>().swap(parts);
  SortByTime(changes);
  if (Stopped(stop_)) return;
  auto series = std::make_unique<CounterSeries>();
  double sum = 0;
  int64_t under_way = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    under_way += change.sign;
    // Exactly 0 when no part is left, despite rounding.
    sum = under_way == 0 ? 0 : sum + change.sign * change.value;
    if (i + 1 < changes.size() && changes[i + 1].time_ns == change.time_ns) continue;
    if (!series->value.empty() && series->value.back() == sum) continue;
    series->time_ns.push_back(change.time_ns);
    series->value.push_back(sum);
  }
  const CounterSeries* own = series.get();
  Add(std::move(curve), {own, std::move(series), {}});
}

void TimelineCurves::AddRecorded(const TraceModel& model, const TimelineRows& rows) {
  for (const CounterSeries& series : model.counters) {
    if (Stopped(stop_)) return;
    const bool of_row =
        series.kind == CounterKind::kMemoryUsedBytes || series.kind == CounterKind::kOfFile;
    if (of_row && series.track >= rows.of_track.size()) continue;
    const uint32_t row = of_row ? rows.of_track[series.track] : rows.scheduler[series.rank_index];
    // By CounterKind.
    static constexpr CurveKind kKinds[] = {CurveKind::kSubmittedTasks, CurveKind::kReadyTasks,
                                           CurveKind::kMemoryUsed, CurveKind::kOfFile};
    Curve curve = CurveOf(kKinds[static_cast<size_t>(series.kind)], row);
    std::unique_ptr<CounterSeries> own;
    if (series.kind == CounterKind::kOfFile) {
      curve.name = model.str(series.name);
      own = SaneSeries(series);
    }
    const CounterSeries* const shown = own ? own.get() : &series;
    Add(curve, {shown, std::move(own), {}});
  }
}

void TimelineCurves::AddFlops(const TraceModel& model, const TimelineRows& rows) {
  const TaskTable& tasks = model.tasks;
  if (tasks.flops.AllDefault()) return;
  std::vector<std::vector<Part>> of_worker(model.workers.size()), of_rank(model.ranks.size());
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (Stopped(stop_, task)) return;
    if (!Executed(tasks, task) || tasks.RunNs(task) <= 0) continue;
    const double flops = Sane(tasks.flops[task]);  // flop per ns is GFlop/s
    const double rate = flops / static_cast<double>(tasks.RunNs(task));
    if (rate <= 0) continue;
    ForEachStretch(model, task, [&](uint32_t worker, int64_t start_ns, int64_t end_ns) {
      if (start_ns == end_ns) return;
      const Part part{start_ns, end_ns, rate};
      of_rank[tasks.rank_index[task]].push_back(part);
      if (worker < of_worker.size()) of_worker[worker].push_back(part);
    });
  }
  for (uint32_t rank = 0; rank < of_rank.size(); ++rank)
    AddSum(CurveOf(CurveKind::kGFlops, rows.scheduler[rank]), std::move(of_rank[rank]));
  for (uint32_t worker = 0; worker < of_worker.size(); ++worker)
    if (rows.of_worker[worker] != kNone)
      AddSum(CurveOf(CurveKind::kGFlops, rows.of_worker[worker]), std::move(of_worker[worker]));
}

void TimelineCurves::AddBandwidths(const TraceModel& model, const TimelineRows& rows) {
  const TransferTable& transfers = model.transfers;
  std::map<std::pair<uint32_t, CurveKind>, std::vector<Part>> parts;  // by row
  for (uint32_t i = 0; i < transfers.size(); ++i) {
    const int64_t start_ns = transfers.start_ns[i], end_ns = transfers.end_ns[i];
    if (end_ns == kNever || end_ns <= start_ns) continue;
    const double bytes_per_s =
        1e9 * static_cast<double>(transfers.size_bytes[i]) / LengthNs(start_ns, end_ns);
    const Part part{start_ns, end_ns, bytes_per_s};
    const uint32_t rank = transfers.rank_index[i];
    const uint32_t source = rows.OfMemoryNode(rank, transfers.source_node[i]);
    const uint32_t target = rows.OfMemoryNode(rank, transfers.target_node[i]);
    if (source != kNone) parts[{source, CurveKind::kBandwidthOut}].push_back(part);
    if (target != kNone) parts[{target, CurveKind::kBandwidthIn}].push_back(part);
  }
  for (auto& [key, of_key] : parts) {
    const auto [row, kind] = key;
    AddSum(CurveOf(kind, row), std::move(of_key));
  }
}

void TimelineCurves::AddPapi(const TraceModel& model, const TimelineRows& rows) {
  const TaskTable& tasks = model.tasks;
  const PapiTable& papi = model.papi;
  std::map<std::pair<uint32_t, int64_t>, std::vector<Part>> parts;  // by row and code
  for (size_t i = 0; i < papi.task.size(); ++i) {
    const uint32_t task = papi.task[i];
    if (task >= tasks.size() || !Executed(tasks, task)) continue;
    const int64_t start_ns = tasks.start_ns[task], end_ns = tasks.end_ns[task];
    const uint32_t worker = tasks.worker[task];
    if (start_ns == end_ns || worker >= rows.of_worker.size() || rows.of_worker[worker] == kNone)
      continue;
    const double rate = 1e9 * static_cast<double>(papi.value[i]) / LengthNs(start_ns, end_ns);
    parts[{rows.of_worker[worker], papi.code[i]}].push_back({start_ns, end_ns, rate});
  }
  for (auto& [key, of_key] : parts) {
    char name[32];
    std::snprintf(name, sizeof name, "PAPI %#llx", static_cast<unsigned long long>(key.second));
    Curve curve = CurveOf(CurveKind::kPapi, key.first);
    curve.name = name;
    curve.papi_code = key.second;
    AddSum(std::move(curve), std::move(of_key));
  }
}

TimelineCurves::TimelineCurves(const TraceModel& model, const TimelineRows& rows, Stop stop)
    : stop_(stop) {
  AddRecorded(model, rows);
  AddFlops(model, rows);
  AddBandwidths(model, rows);
  AddPapi(model, rows);
  std::vector<size_t> order(curves_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(curves_[a].row, curves_[a].kind) < std::pair(curves_[b].row, curves_[b].kind);
  });
  std::vector<Curve> curves;
  std::vector<Samples> samples;
  for (const size_t index : order) {
    curves.push_back(std::move(curves_[index]));
    samples.push_back(std::move(samples_[index]));
  }
  curves_ = std::move(curves);
  samples_ = std::move(samples);
}

// Returns the totals over samples [first, last), which begin before `end_ns`; `first` counts from
// `begin_ns` on, and the last lasts until `end_ns`.
TimelineCurves::Totals TimelineCurves::Over(const Samples& samples, size_t first, size_t last,
                                            int64_t begin_ns, int64_t end_ns) const {
  const CounterSeries& series = *samples.series;
  Totals totals;
  for (size_t i = first; i < last;) {
    if (i > first && i % kBlock == 0 && i + kBlock < last) {
      totals.Add(samples.blocks[i / kBlock]);
      i += kBlock;
      continue;
    }
    const int64_t from_ns = std::max(begin_ns, series.time_ns[i]);
    const int64_t to_ns = i + 1 < last ? series.time_ns[i + 1] : end_ns;
    totals.Add(series.value[i], LengthNs(from_ns, to_ns));
    ++i;
  }
  return totals;
}

std::vector<CurveSlice> TimelineCurves::AllSlices(size_t curve, int64_t end_ns) const {
  const CounterSeries& samples = *samples_[curve].series;
  std::vector<CurveSlice> slices;
  int64_t from_ns = 0;
  double value = 0;
  for (size_t i = 0; i < samples.time_ns.size(); ++i) {
    const int64_t time_ns = std::clamp<int64_t>(samples.time_ns[i], from_ns, end_ns);
    AddFlat(slices, from_ns, time_ns, value);
    from_ns = time_ns;
    value = samples.value[i];
  }
  AddFlat(slices, from_ns, end_ns, value);
  return slices;
}

std::vector<CurveSlice> TimelineCurves::Slices(size_t curve, int64_t begin_ns, int64_t end_ns,
                                               uint32_t pixels) const {
  const CounterSeries& samples = *samples_[curve].series;
  const size_t size = samples.time_ns.size();
  const Pixels view{begin_ns, end_ns, pixels};
  std::vector<CurveSlice> slices;
  size_t next = FirstNot(0, size, [&](size_t i) { return samples.time_ns[i] <= begin_ns; });
  for (uint64_t pixel = 0; pixel < pixels;) {
    const int64_t from_ns = view.Start(pixel), to_ns = view.Start(pixel + 1);
    const double before = next > 0 ? samples.value[next - 1] : 0;
    const size_t after = FirstNot(next, size, [&](size_t i) { return samples.time_ns[i] < to_ns; });
    if (after == next) {
      // One value until the pixel with the next change.
      ++pixel;
      while (pixel < pixels && (next == size || view.Start(pixel + 1) <= samples.time_ns[next]))
        ++pixel;
      AddFlat(slices, from_ns, view.Start(pixel), before);
      continue;
    }
    ++pixel;
    Totals totals = Over(samples_[curve], next, after, samples.time_ns[next], to_ns);
    if (samples.time_ns[next] > from_ns)
      totals.Add(before, LengthNs(from_ns, samples.time_ns[next]));
    if (totals.min() == totals.max())
      AddFlat(slices, from_ns, to_ns, totals.min());
    else if (to_ns > from_ns)
      slices.push_back(totals.Slice(from_ns, to_ns));
    next = after;
  }
  return slices;
}

double TimelineCurves::ValueAt(size_t curve, int64_t time_ns) const {
  const CounterSeries& samples = *samples_[curve].series;
  const auto after = std::upper_bound(samples.time_ns.begin(), samples.time_ns.end(), time_ns);
  return after == samples.time_ns.begin()
             ? 0
             : samples.value[static_cast<size_t>(after - samples.time_ns.begin()) - 1];
}

}  // namespace tasklens
