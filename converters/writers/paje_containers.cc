// SPDX-License-Identifier: Apache-2.0
// Builds containers from the tables of the model.
#include "converters/writers/paje_containers.h"

#include <algorithm>

#include "converters/rank_word.h"
#include "converters/writers/task_graph.h"
#include "trace/model/executions.h"
#include "trace/model/questions.h"

namespace tasklens {

int64_t PajeMemoryNodeOf(EventKind kind, std::span<const uint64_t> args) {
  const size_t index = kind == EventKind::kDataState         ? 1
                       : kind == EventKind::kDataRequest     ? 1
                       : kind == EventKind::kMemoryOpStart   ? 0
                       : kind == EventKind::kMemoryOpEnd     ? 0
                       : kind == EventKind::kCopySubmitStart ? 1
                       : kind == EventKind::kCopySubmitEnd   ? 1
                                                             : kMaxArgs;
  // Data that will not be used leave the main memory first; the event names no node.
  if (kind == EventKind::kMemoryOpStart && static_cast<MemoryOp>(args[1]) == MemoryOp::kWontUse)
    return 0;
  if (index >= args.size() || args[index] >= kNone) return -1;
  return static_cast<int64_t>(args[index]);
}

PajeContainers::PajeContainers(const TraceModel& model, const PajeOptions& options)
    : model_(model), prefixes_(RankPrefixes(model)) {
  AddPrograms();
  AddWorkers();
  AddTracks();
  AddUsed(options);
}

uint32_t PajeContainers::Add(PajeContainer container) {
  all_.push_back(std::move(container));
  return static_cast<uint32_t>(all_.size() - 1);
}

void PajeContainers::Use(uint32_t container, int64_t time_ns) {
  for (uint32_t c = container; c != kNone; c = all_[c].parent) {
    all_[c].create_ns = std::min(all_[c].create_ns, time_ns);
    if (all_[c].destroy_ns != kNever) all_[c].destroy_ns = std::max(all_[c].destroy_ns, time_ns);
  }
}

void PajeContainers::Use(uint32_t container, const Used& times) {
  if (times.first_ns > times.last_ns) return;
  Use(container, times.first_ns);
  Use(container, times.last_ns);
}

void PajeContainers::AddPrograms() {
  // This name tells readers whether the programs are runs or ranks.
  const uint32_t root =
      Add({"MPIroot", "MPIP", kNone, std::string(AreRuns(model_) ? kPajeRuns : "root")});
  for (const std::string& prefix : prefixes_) {
    program_.push_back(Add({prefix + "p", "P", root, prefix + "program"}));
    scheduler_.push_back(Add({prefix + "sched", "Sc", program_.back(), prefix + "scheduler"}));
  }
  comm_.assign(prefixes_.size(), kNone);
}

uint32_t PajeContainers::AddMemory(uint32_t rank_index, uint64_t node, int64_t time_ns) {
  const auto [at, is_new] = node_.try_emplace(Key(rank_index, node), 0);
  if (!is_new) {
    Use(memory_[Key(rank_index, node)], time_ns);
    return at->second;
  }
  const std::string& prefix = prefixes_[rank_index];
  const std::string id = std::to_string(node);
  at->second =
      Add({prefix + "mn" + id, "Mn", program_[rank_index], prefix + "MEMNODE" + id, time_ns});
  memory_[Key(rank_index, node)] =
      Add({prefix + "mm" + id, "Mm", at->second, prefix + "MEMMANAGER" + id, time_ns});
  return at->second;
}

uint32_t PajeContainers::AddComm(uint32_t rank_index, const std::string& suffix) {
  const std::string name = prefixes_[rank_index] + "mpict" + suffix;
  return Add({name, "MPICt", program_[rank_index], name});
}

void PajeContainers::AddWorkers() {
  const MemoryNodeTable& nodes = model_.memory_nodes;
  for (uint32_t i = 0; i < nodes.size(); ++i)
    AddMemory(nodes.rank_index[i], nodes.id[i], std::max<int64_t>(0, nodes.start_ns[i]));
  const WorkerTable& workers = model_.workers;
  for (uint32_t i = 0; i < workers.size(); ++i) {
    const uint32_t rank = workers.rank_index[i];
    const std::string& prefix = prefixes_[rank];
    const int64_t start_ns = std::max<int64_t>(0, workers.start_ns[i]);
    const uint32_t node = AddMemory(rank, workers.memory_node[i], start_ns);
    // Workers may share a thread, such as the streams of a GPU.
    const uint64_t tid = workers.tid[i];
    const auto [thread, is_new] = thread_.try_emplace(Key(rank, tid), 0);
    if (is_new) {
      const std::string alias = prefix + "t" + std::to_string(tid);
      const std::string name = prefix + "T" + std::to_string(workers.cpu[i]);
      thread->second = Add({alias, "T", node, name, start_ns, workers.end_ns[i]});
    } else {
      PajeContainer& shared = all_[thread->second];
      const bool open = shared.destroy_ns == kNever || workers.end_ns[i] == kNever;
      shared.destroy_ns = open ? kNever : std::max(shared.destroy_ns, workers.end_ns[i]);
      Use(thread->second, start_ns);
    }
    std::string_view name = model_.str(workers.name[i]);
    const std::string id = std::to_string(workers.id[i]);
    of_worker_.push_back(
        Add({prefix + "w" + id, "W", thread->second,
             prefix + (name.empty() ? "W" + id : std::string(name)), start_ns, workers.end_ns[i]}));
    worker_of_id_.try_emplace(Key(rank, workers.id[i]), of_worker_.back());
  }
}

bool PajeContainers::IsOwnEvent(uint32_t point) const {
  const EventKind kind = model_.points.kind[point];
  return (kind == EventKind::kUserEvent || kind == EventKind::kThreadMessage) &&
         model_.points.track[point] < model_.tracks.size();
}

bool PajeContainers::IsShown(uint32_t state) const {
  return model_.states.kind[state] != StateKind::kNone || model_.states.name[state] != 0;
}

int64_t PajeContainers::FirstShown(uint32_t track) const {
  const StateTable& states = model_.states;
  int64_t first_ns = first_event_ns_[track];
  for (const uint32_t row : StatesOf(states, track))
    if (IsShown(row))
      return first_ns == kNever ? states.start_ns[row] : std::min(first_ns, states.start_ns[row]);
  return first_ns;
}

PajeContainers::Used PajeContainers::TimesShown(uint32_t track) const {
  const StateTable& states = model_.states;
  Used shown;
  for (const uint32_t row : StatesOf(states, track)) {
    if (!IsShown(row)) continue;
    shown.Add(states.start_ns[row]);
    shown.Add(states.end_ns[row]);
  }
  return shown;
}

void PajeContainers::FindFirstEvents() {
  first_event_ns_.assign(model_.tracks.size(), kNever);
  const auto add = [&](uint32_t track, int64_t time_ns) {
    if (track >= first_event_ns_.size() || time_ns == kNever) return;
    int64_t& first_ns = first_event_ns_[track];
    first_ns = first_ns == kNever ? time_ns : std::min(first_ns, time_ns);
  };
  for (uint32_t i = 0; i < model_.points.size(); ++i)
    if (IsOwnEvent(i)) add(model_.points.track[i], model_.points.time_ns[i]);
  const MessageTable& messages = model_.messages;
  for (uint32_t i = 0; i < messages.size(); ++i) {
    add(messages.source_track[i], messages.send_ns[i]);
    add(messages.target_track[i], messages.receive_ns[i]);
  }
  for (const CounterSeries& series : model_.counters)
    if (series.kind == CounterKind::kOfFile && !series.time_ns.empty())
      add(series.track, series.time_ns.front());
}

void PajeContainers::AddTracks() {
  FindFirstEvents();
  const TrackTable& tracks = model_.tracks;
  of_track_.assign(tracks.size(), kNone);
  type_of_track_.assign(tracks.size(), PajeStateType::kUserThread);
  for (uint32_t i = 0; i < of_worker_.size(); ++i)
    of_track_[model_.workers.track[i]] = of_worker_[i];
  for (uint32_t i = 0; i < tracks.size(); ++i) {
    AddTrack(i);
    // Threads without visible states or events, and rows of missing workers, map to the program.
    if (of_track_[i] == kNone) of_track_[i] = program_[tracks.rank_index[i]];
    Use(of_track_[i], TimesShown(i));
  }
}

void PajeContainers::AddTrack(uint32_t track) {
  const uint32_t rank = model_.tracks.rank_index[track];
  const uint64_t id = model_.tracks.id[track];
  switch (model_.tracks.kind[track]) {
    case TrackKind::kWorker: type_of_track_[track] = PajeStateType::kWorker; break;
    case TrackKind::kMemoryNode:
      type_of_track_[track] = PajeStateType::kMemory;
      AddMemory(rank, id, std::max<int64_t>(0, model_.tracks.start_ns[track]));
      of_track_[track] = OfMemory(rank, id);
      break;
    case TrackKind::kComm:
      type_of_track_[track] = PajeStateType::kComm;
      // A rank has one communication thread; further ones get rows of their own.
      if (comm_[rank] == kNone) {
        of_track_[track] = comm_[rank] = AddComm(rank, "");
      } else {
        of_track_[track] = AddComm(rank, std::to_string(id));
      }
      break;
    case TrackKind::kThread: AddThread(track); break;
  }
}

void PajeContainers::AddThread(uint32_t track) {
  const uint32_t rank = model_.tracks.rank_index[track];
  const Key key(rank, model_.tracks.id[track]);
  auto thread = thread_.find(key);
  if (thread == thread_.end()) {
    const int64_t first_ns = FirstShown(track);
    if (first_ns == kNever) return;
    const std::string id = std::to_string(key.second);
    // The name in the trace's file if there is one, else StarPU's.
    const std::string_view name = model_.str(model_.tracks.name[track]);
    const bool has_name = name != "thread " + id;
    const uint32_t container =
        Add({prefixes_[rank] + "t" + id, "UT", program_[rank],
             prefixes_[rank] + (has_name ? std::string(name) : "UserThread" + id), first_ns});
    thread = thread_.emplace(key, container).first;
  }
  of_track_[track] = thread->second;
  if (all_[thread->second].type == "T") type_of_track_[track] = PajeStateType::kThread;
}

void PajeContainers::AddUsed(const PajeOptions& options) {
  const PointTable& points = model_.points;
  for (uint32_t i = 0; i < points.size(); ++i) {
    if (IsOwnEvent(i)) Use(of_track_[points.track[i]], points.time_ns[i]);
    if (!options.memory_states) continue;
    const int64_t node = PajeMemoryNodeOf(points.kind[i], points.Args(i));
    if (node < 0) continue;
    AddMemory(points.rank_index[i], static_cast<uint64_t>(node), points.time_ns[i]);
  }
  const TransferTable& transfers = model_.transfers;
  for (uint32_t i = 0; options.bus && i < transfers.size(); ++i) {
    const uint32_t rank = transfers.rank_index[i];
    AddMemory(rank, transfers.source_node[i], transfers.start_ns[i]);
    AddMemory(rank, transfers.target_node[i], transfers.start_ns[i]);
  }
  for (uint32_t i = 0; i < model_.steals.size(); ++i) {
    const uint32_t rank = model_.steals.rank_index[i];
    for (const uint32_t id : {model_.steals.thief[i], model_.steals.victim[i]}) {
      const uint32_t worker = OfWorkerId(rank, id);
      if (worker != kNone) Use(worker, model_.steals.time_ns[i]);
    }
  }
  std::vector<Used> runs(of_worker_.size());
  ForEachExecution(model_, [&](const Execution& execution) {
    if (execution.worker >= runs.size()) return;
    runs[execution.worker].Add(execution.start_ns);
    if (execution.end_ns != kNever) runs[execution.worker].Add(execution.end_ns);
  });
  for (uint32_t worker = 0; worker < runs.size(); ++worker) Use(of_worker_[worker], runs[worker]);
  for (const CounterSeries& series : model_.counters) {
    if (series.time_ns.empty() || series.track >= of_track_.size()) continue;
    const uint32_t container = of_track_[series.track];
    Use(container, series.time_ns.front());
    if (series.kind != CounterKind::kOfFile) continue;
    Use(container, series.time_ns.back());
    // The last value holds to the end of the row, which may be later than the last line.
    if (thread_.contains(
            Key(model_.tracks.rank_index[series.track], model_.tracks.id[series.track])))
      all_[container].destroy_ns =
          std::max(model_.tracks.end_ns[series.track], series.time_ns.back());
  }
  AddMessages();
}

// Whether the track has a row of its own.
bool PajeContainers::IsRow(uint32_t track) const {
  return track < of_track_.size() && all_[of_track_[track]].type != "P";
}

void PajeContainers::AddMessages() {
  const MessageTable& messages = model_.messages;
  for (uint32_t i = 0; i < messages.size(); ++i) {
    const uint32_t source = messages.source_track[i], target = messages.target_track[i];
    if (IsRow(source) && IsRow(target)) {
      if (messages.send_ns[i] != kNever) Use(of_track_[source], messages.send_ns[i]);
      if (messages.receive_ns[i] != kNever) Use(of_track_[target], messages.receive_ns[i]);
      continue;
    }
    for (const uint32_t rank : {messages.source[i], messages.target[i]})
      if (rank < comm_.size() && comm_[rank] == kNone) comm_[rank] = AddComm(rank, "");
  }
}

PajeContainers::MessageEnds PajeContainers::EndsOf(uint32_t message) const {
  const MessageTable& messages = model_.messages;
  const uint32_t source = messages.source_track[message], target = messages.target_track[message];
  if (IsRow(source) && IsRow(target)) return {of_track_[source], of_track_[target], true};
  return {comm_[messages.source[message]], comm_[messages.target[message]], false};
}

PajeNames::TypePairs PajeContainers::TypesOfMessages() const {
  PajeNames::TypePairs types;
  for (uint32_t i = 0; i < model_.messages.size(); ++i) {
    if (model_.messages.source[i] >= comm_.size() || model_.messages.target[i] >= comm_.size())
      continue;
    const MessageEnds ends = EndsOf(i);
    if (ends.are_rows) types.insert({all_[ends.source].type, all_[ends.target].type});
  }
  return types;
}

PajeNames::Curves PajeContainers::TypesOfCurves() const {
  PajeNames::Curves types;
  for (const CounterSeries& series : model_.counters)
    if (series.kind == CounterKind::kOfFile && series.track < of_track_.size())
      types.insert({all_[of_track_[series.track]].type, series.name});
  return types;
}

uint32_t PajeContainers::OfMemory(uint32_t rank_index, uint64_t node) const {
  const auto at = memory_.find(Key(rank_index, node));
  return at == memory_.end() ? kNone : at->second;
}

uint32_t PajeContainers::OfWorkerId(uint32_t rank_index, uint64_t id) const {
  const auto at = worker_of_id_.find(Key(rank_index, id));
  return at == worker_of_id_.end() ? kNone : at->second;
}

}  // namespace tasklens
