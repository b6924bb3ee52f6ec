// SPDX-License-Identifier: Apache-2.0
// Counts threads and CPUs, and names them.
#include "converters/writers/paraver_objects.h"

#include <algorithm>
#include <numeric>

#include "converters/rank_word.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

void PutLevel(TextBuffer& out, std::string_view level, size_t size) {
  out.Put("LEVEL ", level, " SIZE ", size, '\n');
}

// The reader recognises memory nodes by the names of their rows.
std::string NameOfRow(const TraceModel& model, uint32_t track) {
  const std::string_view name = model.str(model.tracks.name[track]);
  if (model.tracks.kind[track] != TrackKind::kMemoryNode) return std::string(name);
  const std::string number =
      std::string(kParaverMemoryNode) + std::to_string(model.tracks.id[track]);
  return name == number ? number : number + ": " + std::string(name);
}

}  // namespace

std::string ParaverLabel(std::string_view text, ParaverDialect dialect) {
  std::string label = CleanText(text);
  if (label.find_first_not_of(' ') == label.npos) label = "unknown";
  if (dialect == ParaverDialect::kToday) return label;
  constexpr std::string_view kWideSign = "\xEF\xBC\x83";  // U+FF03
  for (size_t at = label.find('#'); at != label.npos; at = label.find('#', at))
    label.replace(at, 1, kWideSign);
  return label;
}

ParaverObjects::ParaverObjects(const TraceModel& model)
    : model_(model),
      order_(model.ranks.size()),
      are_runs_(AreRuns(model)),
      of_track_(model.tracks.size(), 0),
      first_of_rank_(model.ranks.size()),
      comm_of_rank_(model.ranks.size()),
      workers_of_rank_(model.ranks.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    return model.ranks.rank[a] < model.ranks.rank[b];
  });
  const TrackTable& tracks = model.tracks;
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker)
    workers_of_rank_[model.workers.rank_index[worker]].push_back(worker);
  std::vector<std::vector<uint32_t>> tracks_of_rank(model.ranks.size());
  for (uint32_t track = 0; track < tracks.size(); ++track)
    tracks_of_rank[tracks.rank_index[track]].push_back(track);

  std::vector<uint32_t> cpu_of_track(tracks.size(), 0);
  uint32_t cpus_before = 0, place = 0;
  for (const uint32_t rank : order_) {
    ++place;
    const auto& workers = workers_of_rank_[rank];
    for (uint32_t i = 0; i < workers.size(); ++i) {
      const uint32_t track = model.workers.track[workers[i]];
      if (track < tracks.size()) cpu_of_track[track] = cpus_before + i + 1;
    }
    cpus_before += std::max<uint32_t>(1, static_cast<uint32_t>(workers.size()));
    auto& own = tracks_of_rank[rank];
    std::stable_sort(own.begin(), own.end(), [&](uint32_t a, uint32_t b) {
      return tracks.kind[a] != TrackKind::kMemoryNode && tracks.kind[b] == TrackKind::kMemoryNode;
    });
    first_of_rank_[rank] = comm_of_rank_[rank] = static_cast<uint32_t>(threads_.size());
    if (own.empty()) AddThread(rank, place, kNone, 0);
    for (const uint32_t track : own) {
      of_track_[track] = static_cast<uint32_t>(threads_.size());
      if (tracks.kind[track] == TrackKind::kComm) comm_of_rank_[rank] = of_track_[track];
      AddThread(rank, place, track, cpu_of_track[track]);
    }
  }
  const MemoryNodeTable& nodes = model.memory_nodes;
  for (uint32_t node = 0; node < nodes.size(); ++node)
    if (nodes.track[node] < tracks.size())
      of_memory_[{nodes.rank_index[node], nodes.id[node]}] = of_track_[nodes.track[node]];
}

void ParaverObjects::AddThread(uint32_t rank_index, uint32_t place, uint32_t track, uint32_t cpu) {
  const auto number = static_cast<uint32_t>(threads_.size() - first_of_rank_[rank_index] + 1);
  const uint32_t application = are_runs_ ? place : 1, task = are_runs_ ? 1 : place;
  std::string id = std::to_string(cpu);
  for (const uint32_t part : {application, task, number}) id += ':' + std::to_string(part);
  threads_.push_back({track, rank_index, application, task, number, cpu, std::move(id)});
}

const ParaverObjects::Thread& ParaverObjects::OfMemory(uint32_t rank_index, uint32_t node) const {
  const auto found = of_memory_.find({rank_index, node});
  return found == of_memory_.end() ? FirstOf(rank_index) : threads_[found->second];
}

std::string ParaverObjects::Structure() const {
  const size_t ranks = model_.ranks.size();
  std::string cpus, threads;
  for (size_t task = 0; task < ranks; ++task) {
    const uint32_t rank = order_[task];
    const size_t end = task + 1 < ranks ? first_of_rank_[order_[task + 1]] : threads_.size();
    if (task > 0) {
      cpus += ',';
      threads += are_runs_ ? "):1(" : ",";
    }
    cpus += std::to_string(std::max<size_t>(1, workers_of_rank_[rank].size()));
    threads += std::to_string(end - first_of_rank_[rank]) + ':' + std::to_string(task + 1);
  }
  const std::string count = std::to_string(ranks);
  return count + '(' + cpus + "):" + (are_runs_ ? count + ":1(" : "1:" + count + '(') + threads +
         ')';
}

void ParaverObjects::WriteNames(TextBuffer& out, ParaverDialect dialect) const {
  const size_t ranks = model_.ranks.size();
  const std::string word = std::string(RankWord(model_)) + ' ';
  const auto put = [&](const std::string& label) { out.Put(ParaverLabel(label, dialect), '\n'); };
  const auto of_rank = [&](uint32_t rank, std::string_view name) {
    return (ranks > 1 ? word + std::to_string(model_.ranks.rank[rank]) + ' ' : "") +
           std::string(name);
  };
  const std::string program(LastInfo(model_, "program", "program"));

  PutLevel(out, "SYSTEM", 1);
  put("machine");
  out.Put('\n');
  PutLevel(out, "NODE", ranks);
  for (const uint32_t rank : order_)
    put("node of " + word + std::to_string(model_.ranks.rank[rank]));
  out.Put('\n');
  size_t cpus = 0;
  for (const auto& workers : workers_of_rank_) cpus += std::max<size_t>(1, workers.size());
  PutLevel(out, "CPU", cpus);
  for (const uint32_t rank : order_) {
    if (workers_of_rank_[rank].empty()) put(of_rank(rank, "no worker"));
    for (const uint32_t worker : workers_of_rank_[rank])
      put(of_rank(rank, model_.str(model_.workers.name[worker])));
  }
  out.Put('\n');
  PutLevel(out, "WORKLOAD", 1);
  put("run");
  out.Put('\n');
  PutLevel(out, "APPL", are_runs_ ? ranks : 1);
  if (are_runs_)
    for (const uint32_t run : order_) put(of_rank(run, program));
  else
    put(program);
  out.Put('\n');
  PutLevel(out, "TASK", ranks);
  for (const uint32_t rank : order_) put(word + std::to_string(model_.ranks.rank[rank]));
  out.Put('\n');
  PutLevel(out, "THREAD", threads_.size());
  for (const Thread& thread : threads_)
    put(of_rank(thread.rank_index,
                thread.track == kNone ? "no thread" : NameOfRow(model_, thread.track)));
}

}  // namespace tasklens
