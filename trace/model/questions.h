// SPDX-License-Identifier: Apache-2.0
// Small questions about a model that several of its readers ask.
//
// Threads: as TraceModel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>

#include "trace/model/trace_model.h"

namespace tasklens {

// The rows of the states of a track; none if the model has no states.
using RowRange = std::ranges::iota_view<uint32_t, uint32_t>;
inline RowRange StatesOf(const StateTable& states, uint32_t track) {
  if (size_t{track} + 1 >= states.first_of_track.size()) return RowRange(0, 0);
  return RowRange(states.first_of_track[track], states.first_of_track[track + 1]);
}

// The worker of a track, or kNone.
inline uint32_t WorkerOfTrack(const TraceModel& model, uint32_t track) {
  const std::vector<uint32_t>& tracks = model.workers.track;
  const auto found = std::find(tracks.begin(), tracks.end(), track);
  return found == tracks.end() ? kNone : static_cast<uint32_t>(found - tracks.begin());
}

// Whether the time and the rank of both ends of a message are known.
inline bool HasBothEnds(const TraceModel& model, size_t message) {
  const MessageTable& messages = model.messages;
  return messages.send_ns[message] != kNever && messages.receive_ns[message] != kNever &&
         messages.source[message] < model.ranks.size() &&
         messages.target[message] < model.ranks.size();
}

// A transfer that was running when the trace ended ends there.
inline int64_t EndOfTransfer(const TraceModel& model, uint32_t transfer) {
  const int64_t end_ns = model.transfers.end_ns[transfer];
  return std::max(model.transfers.start_ns[transfer],
                  end_ns == kNever ? model.duration_ns : end_ns);
}

// What the program said last under this key, else `otherwise`.
inline std::string_view LastInfo(const TraceModel& model, std::string_view key,
                                 std::string_view otherwise = "") {
  const auto said = std::find_if(model.info.rbegin(), model.info.rend(),
                                 [&](const auto& one) { return model.str(one.first) == key; });
  return said == model.info.rend() ? otherwise : model.str(said->second);
}

// "chol.c:102". REQUIRES: row of sites.
inline std::string LineOf(const TraceModel& model, uint32_t site) {
  return std::string(model.str(model.sites.file[site])) + ':' +
         std::to_string(model.sites.line[site]);
}

}  // namespace tasklens
