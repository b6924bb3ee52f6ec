// SPDX-License-Identifier: Apache-2.0
// The half of the model that holds threads, workers, memory nodes, their states, and counters.
// Before Finish() it knows tasks only by their job numbers. The other half is Work.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/events/event_sink.h"
#include "trace/model/build/machine.h"
#include "trace/model/build/moments.h"
#include "trace/model/build/ranks.h"
#include "trace/model/trace_model.h"
#include "trace/support/diagnostics.h"

namespace tasklens::build {

class Timeline {
 public:
  // Whether any event of the joint event is for the timeline.
  static constexpr bool Takes(Joint kind) {
    return kind != Joint::kAccesses && kind != Joint::kParameters && kind != Joint::kDependencies;
  }

  // See Machine and Moments.
  Timeline(TraceModel& model, uint32_t parts, BlockStore* scratch, BlockStore* columns);

  // Ranks get their rows in the order of the first calls.
  RankData& RankOf(uint32_t rank) {
    return rank == last_rank_ && !ranks_.empty() ? ranks_[last_rank_index_] : AnotherRank(rank);
  }
  // Applies the event to rows and counters; returns the time of the event for tasks. REQUIRES:
  // `event` is valid, and no task_on_device or copy_on_device.
  int64_t OnEvent(RankData& rank, const Event& event);

  struct OfJoint {
    uint64_t events;       // number of events in the joint event
    int64_t work_time_ns;  // as of OnEvent()
  };
  // Whether OnJoint() may be called: its thread had no later event.
  bool IsInOrder(RankData& rank, const JointEvent& joint) {
    return !Takes(joint.kind) ||
           joint.time_ns >= machine_.thread(FindThread(rank, joint.tid, joint.time_ns)).last_ns;
  }
  // As OnEvent() for each event of the joint event, but looks its thread up only once.
  // REQUIRES: its job and its thread are not 0, IsInOrder().
  OfJoint OnJoint(RankData& rank, const JointEvent& joint);

  // Replaces all string ids.
  void RenameStrings(const StringIds& new_id);

  Machine& machine() { return machine_; }
  Moments& moments() { return moments_; }
  std::vector<RankData>& ranks() { return ranks_; }
  void ReportInversions(Diagnostics& diags) const {
    diags.Skip("model_time_inversion", first_inversion_, inversions_);
  }

 private:
  RankData& AnotherRank(uint32_t rank);
  uint32_t FindThread(RankData& rank, uint64_t tid, int64_t time_ns) {
    if (last_thread_ == kNone || machine_.thread(last_thread_).tid != tid)
      last_thread_ = machine_.ThreadOf(rank, tid, time_ns);
    return last_thread_;
  }
  uint32_t ThreadOf(RankData& rank, const Event& event);
  // `kind`: the event's kind, or a constant of it, see kIs.
  template <class Kind>
  int64_t On(Kind kind, RankData& rank, uint32_t thread, const Event& event);
  void MemoryOperation(RankData& rank, const Event& event);
  void CopySubmission(RankData& rank, const Event& event);
  void CopyState(RankData& rank, const Event& event);
  void Barrier(RankData& rank, const Event& event);
  void WholeMessage(RankData& rank, const Event& event);

  TraceModel& model_;
  Machine machine_;
  Moments moments_;
  std::array<bool, kEventKinds> is_moment_;  // see Moments::Keeps()
  std::vector<RankData> ranks_;
  IdMap index_of_rank_;
  uint64_t inversions_ = 0;
  std::string first_inversion_;
  // The rank and thread of the previous event: most often the next one has the same.
  uint32_t last_rank_ = kNone, last_rank_index_ = 0;
  uint32_t last_thread_ = kNone;
};

}  // namespace tasklens::build
