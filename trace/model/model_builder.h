// SPDX-License-Identifier: Apache-2.0
// Turns events into a TraceModel: creates tasks on first mention, closes what was left open,
// aligns the clocks of the ranks, sorts, and freezes.
//
// Life cycle: OnEvent() for every event of every input, in any order of inputs; then Finish() once.
// Clocks: the ranks of one run share a run key in their mpi_barrier events. With one common
// barrier each rank is shifted so that the barriers coincide; with two the shift is interpolated
// linearly between them (constant outside), as drifting clocks need. Ranks without a common
// barrier are shifted by the time of day where all know it and ran together
// (`model_clocks_by_time_of_day`), else each starts at its own zero (`model_clocks_not_aligned`).
//
// Untrusted input: any sequence of events gives a model or an error, in memory proportional to the
// number of events; indices and ids taken from events never size an allocation.
//
// Threads: one at a time. With Threads::kTwo another one builds the half of the model that holds
// tasks and data. Or two threads read the trace, each for a half of the model, see below.
#pragma once

#include <memory>

#include "trace/events/event_sink.h"
#include "trace/model/trace_model.h"
#include "trace/support/diagnostics.h"
#include "trace/support/scratch_file.h"
#include "trace/support/status.h"

namespace tasklens {

class ModelBuilder : public EventSink {
 public:
  enum class Threads { kOne, kTwo };

  // What was wrong with the events goes to `diags`, which must outlive this.
  // `parts`: bits of ModelParts, what to keep. With `scratch` the large columns lie there, else in
  // memory; the model holds on to it.
  explicit ModelBuilder(Diagnostics& diags, uint32_t parts = kAllParts,
                        std::shared_ptr<ScratchFile> scratch = nullptr,
                        Threads threads = Threads::kOne);
  ~ModelBuilder() override;

  StringId Intern(std::string_view text) override;
  void OnEvent(const Event& event) override;
  void OnJoint(const JointEvent& joint) override;

  // The halves of the model, rows of the timeline and work (tasks and data), which share nothing
  // until Finish(): instead of OnEvent(), each may be told by a thread of its own of the events
  // that it Wants() (others are ignored), and of an event of each rank, whatever it is, before any
  // of the next; both of ranks in the same order. No task_on_device and no copy_on_device: what a
  // device tells later is for both.
  EventSink& timeline_half();
  EventSink& work_half();

  // REQUIRES: not called before. Fails only when there was no event at all.
  Result<TraceModel> Finish() &&;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tasklens
