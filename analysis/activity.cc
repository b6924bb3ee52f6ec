// SPDX-License-Identifier: Apache-2.0
// Distributes states of workers over pieces of time.
#include "analysis/activity.h"

#include <algorithm>
#include <utility>

#include "analysis/statistics.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

class Spread {
 public:
  Spread(int64_t begin_ns, int64_t end_ns, uint32_t pieces)
      : begin_ns_(begin_ns), length_ns_(end_ns - begin_ns), pieces_(pieces) {}

  int64_t Border(uint32_t i) const {
    return begin_ns_ + static_cast<int64_t>(static_cast<double>(length_ns_) * i / pieces_);
  }
  uint32_t pieces() const { return pieces_; }
  uint32_t PieceOf(int64_t time_ns) const {
    const double share = static_cast<double>(time_ns - begin_ns_) / static_cast<double>(length_ns_);
    auto piece = static_cast<uint32_t>(std::clamp(share * pieces_, 0., pieces_ - 1.));
    while (piece > 0 && Border(piece) > time_ns) --piece;
    while (piece + 1 < pieces_ && Border(piece + 1) <= time_ns) ++piece;
    return piece;
  }

 private:
  int64_t begin_ns_, length_ns_;
  uint32_t pieces_;
};

int64_t ReadyNs(const TraceModel& model, uint32_t worker) {
  const WorkerTable& workers = model.workers;
  if (workers.ready_ns[worker] != kNever) return workers.ready_ns[worker];
  if (workers.start_ns[worker] != kNever) return workers.start_ns[worker];
  const RowRange rows = StatesOf(model.states, workers.track[worker]);
  return rows.empty() ? model.duration_ns : int64_t{model.states.start_ns[rows.front()]};
}

std::vector<ActivityPiece> PiecesOf(const TraceModel& model, uint32_t worker,
                                    const Spread& spread) {
  const StateTable& states = model.states;
  const int64_t stop_ns = model.workers.stop_ns[worker];
  const int64_t from_ns = ReadyNs(model, worker);
  const int64_t to_ns = stop_ns == kNever ? model.duration_ns : stop_ns;
  std::vector<ActivityPiece> all(spread.pieces());
  for (uint32_t i = 0; i < all.size(); ++i) {
    all[i].begin_ns = std::clamp(spread.Border(i), from_ns, std::max(from_ns, to_ns));
    all[i].end_ns = std::clamp(spread.Border(i + 1), from_ns, std::max(from_ns, to_ns));
  }
  int64_t done_ns = from_ns;  // so that no time counts twice
  for (const uint32_t row : StatesOf(states, model.workers.track[worker])) {
    const bool is_task = states.kind[row] == StateKind::kTask;
    if (!is_task && states.kind[row] != StateKind::kSleeping) continue;
    const int64_t start_ns = std::max<int64_t>(done_ns, states.start_ns[row]);
    const int64_t end_ns = std::min<int64_t>(to_ns, states.end_ns[row]);
    if (start_ns >= end_ns) continue;
    done_ns = end_ns;
    for (uint32_t i = spread.PieceOf(start_ns); i < all.size() && spread.Border(i) < end_ns; ++i) {
      const int64_t within_ns =
          std::min(end_ns, spread.Border(i + 1)) - std::max(start_ns, spread.Border(i));
      (is_task ? all[i].task_ns : all[i].sleeping_ns) += std::max<int64_t>(within_ns, 0);
    }
  }
  std::erase_if(all, [](const ActivityPiece& piece) { return piece.begin_ns >= piece.end_ns; });
  return all;
}

// Sums the counters over all ranks.
StepCurve SumOfCounters(const TraceModel& model, CounterKind kind) {
  std::vector<StepCurve> curves;
  for (const CounterSeries& series : model.counters) {
    if (series.kind != kind) continue;
    StepCurve& curve = curves.emplace_back();
    for (size_t i = 0; i < series.time_ns.size(); ++i) {
      curve.time_ns.push_back(series.time_ns[i]);
      curve.value.push_back(series.value[i]);
    }
  }
  std::vector<const StepCurve*> all;
  for (const StepCurve& curve : curves) all.push_back(&curve);
  return SumOf(all);
}

}  // namespace

StepCurve SumOf(const std::vector<const StepCurve*>& curves) {
  struct Change {
    int64_t time_ns;
    double by;
  };
  std::vector<Change> changes;
  for (const StepCurve* curve : curves)
    for (size_t i = 0; i < curve->time_ns.size(); ++i)
      changes.push_back({curve->time_ns[i], curve->value[i] - (i > 0 ? curve->value[i - 1] : 0)});
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
  StepCurve sum;
  double value = 0;
  for (const Change& change : changes) {
    value += change.by;
    if (!sum.time_ns.empty() && sum.time_ns.back() == change.time_ns) {
      sum.value.back() = value;
      continue;
    }
    sum.time_ns.push_back(change.time_ns);
    sum.value.push_back(value);
  }
  return sum;
}

Activity ActivityOf(const TraceModel& model, uint32_t pieces) {
  Activity result;
  const size_t workers = model.workers.size();
  int64_t begin_ns = INT64_MAX;
  for (uint32_t worker = 0; worker < workers; ++worker)
    begin_ns = std::min(begin_ns, ReadyNs(model, worker));
  if (workers == 0 || begin_ns >= model.duration_ns) return result;
  result.begin_ns = begin_ns;
  result.end_ns = model.duration_ns;
  pieces = static_cast<uint32_t>(
      std::min<int64_t>(pieces, std::max<int64_t>(result.end_ns - begin_ns, 1)));
  const Spread spread(begin_ns, result.end_ns, pieces);
  for (uint32_t worker = 0; worker < workers; ++worker)
    result.workers.push_back(
        {StatisticsLabel(model, StatisticsBy::kWorker, worker), PiecesOf(model, worker, spread)});
  result.submitted = SumOfCounters(model, CounterKind::kSubmittedTasks);
  result.ready = SumOfCounters(model, CounterKind::kReadyTasks);
  return result;
}

}  // namespace tasklens
