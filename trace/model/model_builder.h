// SPDX-License-Identifier: Apache-2.0
// Builds a TraceModel from events: creates a task when an event first names it, ends the states
// that are open at the end, aligns the clocks of the ranks, and sorts.
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
// Threads: one at a time. With Threads::kTwo, a second thread builds the half of the model that
// holds tasks and data. Alternatively, two threads read the trace, each for one half of the model,
// see below.
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

  // Counts faults of the events in `diags`, which must outlive this. `parts`: bits of ModelParts,
  // the parts to keep. With `scratch`, the large columns lie in this file, which the model holds on
  // to; else they lie in memory.
  explicit ModelBuilder(Diagnostics& diags, uint32_t parts = kAllParts,
                        std::shared_ptr<ScratchFile> scratch = nullptr,
                        Threads threads = Threads::kOne);
  ~ModelBuilder() override;

  StringId Intern(std::string_view text) override;
  void OnEvent(const Event& event) override;
  void OnJoint(const JointEvent& joint) override;

  // The two halves of the model: the timeline, and work (tasks and data). They share nothing until
  // Finish(), so two threads may each deliver the events to one half, instead of calling OnEvent().
  // A half ignores events that it does not want (Wants()). REQUIRES: both halves get at least one
  // event of each rank, the ranks in the same order, and no task_on_device or copy_on_device.
  EventSink& timeline_half();
  EventSink& work_half();

  // REQUIRES: not called before. Fails only when there was no event at all.
  Result<TraceModel> Finish() &&;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tasklens
