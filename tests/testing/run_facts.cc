// SPDX-License-Identifier: Apache-2.0
// Rows of tables as values that can be compared.
#include "tests/testing/run_facts.h"

namespace tasklens::testing {

std::vector<std::string> StatesOf(const TraceModel& model, std::string_view name) {
  std::vector<std::string> states;
  for (uint32_t track = 0; track < model.tracks.size(); ++track) {
    if (model.str(model.tracks.name[track]) != name) continue;
    for (uint32_t row = model.states.first_of_track[track];
         row < model.states.first_of_track[track + 1]; ++row)
      if (model.states.kind[row] != StateKind::kNone)
        states.push_back(std::string(Decl(model.states.kind[row]).name) + ' ' +
                         std::to_string(model.states.start_ns[row]) + ' ' +
                         std::to_string(model.states.end_ns[row]));
  }
  return states;
}

std::vector<std::string> TextsOf(const TraceModel& model) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < model.points.size(); ++i)
    if (model.points.kind[i] == EventKind::kThreadMessage)
      texts.push_back(std::to_string(model.points.time_ns[i]) + ' ' +
                      std::string(model.str(static_cast<StringId>(model.points.Args(i)[0]))));
  return texts;
}

std::multiset<RunTask> TasksOf(const TraceModel& model) {
  std::multiset<RunTask> result;
  const TaskTable& tasks = model.tasks;
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (tasks.start_ns[task] == kNever || tasks.worker[task] == kNone) continue;
    std::string site;
    if (const uint32_t row = tasks.site[task]; row != kNone)
      site = std::string(model.str(model.sites.file[row])) + ':' +
             std::to_string(model.sites.line[row]) + ' ' +
             std::string(model.str(model.sites.function[row]));
    const uint32_t track = model.workers.track[tasks.worker[task]];
    result.emplace(model.ranks.rank[tasks.rank_index[task]], tasks.job[task],
                   model.TaskNameOf(task), model.str(model.tracks.name[track]),
                   tasks.start_ns[task], tasks.end_ns[task], site);
  }
  return result;
}

StateTimes TimesOf(const TraceModel& model) {
  StateTimes times;
  const StateTable& states = model.states;
  for (uint32_t track = 0; track < model.tracks.size(); ++track) {
    const std::string name = model.tracks.kind[track] == TrackKind::kMemoryNode
                                 ? "memory node " + std::to_string(model.tracks.id[track])
                                 : std::string(model.str(model.tracks.name[track]));
    const uint32_t end = states.first_of_track[track + 1];
    for (uint32_t row = states.first_of_track[track]; row < end; ++row) {
      if (states.kind[row] == StateKind::kNone) continue;
      int64_t own = states.end_ns[row] - states.start_ns[row];
      for (uint32_t inner = row + 1; inner < end && states.depth[inner] > states.depth[row];
           ++inner)
        if (states.depth[inner] == states.depth[row] + 1 && states.kind[inner] != StateKind::kNone)
          own -= states.end_ns[inner] - states.start_ns[inner];
      if (own != 0) times[{model.tracks.rank_index[track], name, states.kind[row]}] += own;
    }
  }
  return times;
}

std::multiset<RunMessage> MessagesOf(const TraceModel& model) {
  std::multiset<RunMessage> result;
  const MessageTable& table = model.messages;
  for (uint32_t row = 0; row < table.size(); ++row)
    if (table.send_ns[row] != kNever && table.receive_ns[row] != kNever)
      result.emplace(table.source[row], table.target[row], table.send_ns[row],
                     table.receive_ns[row], table.tag[row], table.size_bytes[row]);
  return result;
}

std::multiset<RunTransfer> TransfersOf(const TraceModel& model) {
  std::multiset<RunTransfer> result;
  const TransferTable& table = model.transfers;
  for (uint32_t row = 0; row < table.size(); ++row)
    result.emplace(table.rank_index[row], table.start_ns[row],
                   table.end_ns[row] == kNever ? model.duration_ns : table.end_ns[row],
                   table.size_bytes[row], table.reason[row]);
  return result;
}

}  // namespace tasklens::testing
