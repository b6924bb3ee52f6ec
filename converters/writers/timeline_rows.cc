// SPDX-License-Identifier: Apache-2.0
// Names, lanes and moments.
#include "converters/writers/timeline_rows.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <span>
#include <tuple>

#include "converters/rank_word.h"
#include "converters/writers/text.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

// `rows`: transfers to one node in order of their starts.
void AddLanes(const TraceModel& model, std::span<const uint32_t> rows,
              std::vector<TransferLane>& lanes) {
  const TransferTable& transfers = model.transfers;
  using LaneEnd = std::pair<int64_t, size_t>;  // (free from, lane)
  std::priority_queue<LaneEnd, std::vector<LaneEnd>, std::greater<>> ends;
  for (const uint32_t row : rows) {
    size_t lane = lanes.size();
    if (!ends.empty() && ends.top().first <= transfers.start_ns[row]) {
      lane = ends.top().second;
      ends.pop();
    } else {
      lanes.push_back({transfers.rank_index[row], transfers.target_node[row], {}});
    }
    lanes[lane].rows.push_back(row);
    ends.push({EndOfTransfer(model, row), lane});
  }
}

}  // namespace

std::string ProcessName(const TraceModel& model, uint32_t rank_index) {
  std::string program(LastInfo(model, "program", "program"));
  if (model.ranks.size() > 1)
    program +=
        ", " + std::string(RankWord(model)) + " " + std::to_string(model.ranks.rank[rank_index]);
  return program;
}

std::string CounterName(const TraceModel& model, const CounterSeries& series) {
  switch (series.kind) {
    case CounterKind::kSubmittedTasks: return "submitted tasks";
    case CounterKind::kReadyTasks: return "ready tasks";
    case CounterKind::kMemoryUsedBytes:
    case CounterKind::kOfFile: break;
  }
  std::string name =
      series.kind == CounterKind::kOfFile ? std::string(model.str(series.name)) : "memory used";
  if (series.track < model.tracks.size())
    name += ", " + std::string(model.str(model.tracks.name[series.track]));
  return name;
}

std::optional<std::string> PointName(const TraceModel& model, size_t point) {
  switch (model.points.kind[point]) {
    case EventKind::kUserEvent: return "user event " + std::to_string(model.points.Args(point)[0]);
    case EventKind::kMessage:
    case EventKind::kThreadMessage:
      return CleanText(model.str(static_cast<StringId>(model.points.Args(point)[0])));
    default: return std::nullopt;
  }
}

bool RanOnWorker(const TraceModel& model, uint32_t task) {
  return model.tasks.start_ns[task] != kNever && model.tasks.worker[task] != kNone;
}

std::vector<TransferLane> TransferLanes(const TraceModel& model) {
  const TransferTable& transfers = model.transfers;
  std::vector<uint32_t> rows(transfers.size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto target = [&](uint32_t row) {
    return std::pair(transfers.rank_index[row], transfers.target_node[row]);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(target(a), transfers.start_ns[a]) <
           std::pair(target(b), transfers.start_ns[b]);
  });
  std::vector<TransferLane> lanes;
  for (size_t begin = 0; begin < rows.size();) {
    size_t end = begin;
    while (end < rows.size() && target(rows[end]) == target(rows[begin])) ++end;
    AddLanes(model, std::span(rows).subspan(begin, end - begin), lanes);
    begin = end;
  }
  return lanes;
}

std::vector<MessageMoment> MessageMoments(const TraceModel& model) {
  std::vector<MessageMoment> moments;
  const MessageTable& messages = model.messages;
  for (uint32_t row = 0; row < messages.size(); ++row) {
    if (!HasBothEnds(model, row)) continue;
    moments.push_back({messages.send_ns[row], messages.source[row], row, true});
    moments.push_back({messages.receive_ns[row], messages.target[row], row, false});
  }
  const auto key = [](const MessageMoment& moment) {
    return std::tuple(moment.rank_index, moment.time_ns, moment.row, !moment.sends);
  };
  std::sort(moments.begin(), moments.end(),
            [&](const MessageMoment& a, const MessageMoment& b) { return key(a) < key(b); });
  return moments;
}

std::string MomentName(const TraceModel& model, const MessageMoment& moment) {
  const MessageTable& messages = model.messages;
  const uint32_t peer = moment.sends ? messages.target[moment.row] : messages.source[moment.row];
  return (moment.sends ? "to rank " : "from rank ") + std::to_string(model.ranks.rank[peer]);
}

}  // namespace tasklens
