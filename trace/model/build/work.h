// SPDX-License-Identifier: Apache-2.0
// Tasks and data: the half of the model that knows nothing of the machine before Finish(), so that
// another thread may build it than the one that has the threads, workers, states and points.
//
// The events it takes are those of the trace, checked, with these differences:
//   rank   the row of TraceModel::ranks
//   time   of task_end and what stands for it: when the task ended, as Machine::EndTask() says
//   task_on_device (job, began_ns), copy_on_device (copy, began_ns, ended_ns): times of the rank's
//   clock instead of times before the event
#pragma once

#include <cstdint>
#include <vector>

#include "trace/events/event_sink.h"
#include "trace/model/build/data.h"
#include "trace/model/build/ranks.h"
#include "trace/model/build/tasks.h"
#include "trace/model/trace_model.h"

namespace tasklens::build {

class Work : public EventSink {
 public:
  // Whether events of `kind` are its business; no others may be handed to it.
  static bool Takes(EventKind kind);

  // As Tasks and Data have it.
  Work(TraceModel& model, uint32_t parts, BlockStore* scratch, BlockStore* columns)
      : tasks_(model, parts, scratch, columns),
        data_(model, parts, tasks_.runs(), scratch, columns) {}

  StringId Intern(std::string_view) override { return 0; }  // nobody asks
  void OnEvent(const Event& event) override { OnEvent(RankOf(event.rank), event); }
  // The same of a rank that RankOf() gave, whatever the event says.
  void OnEvent(WorkOfRank& rank, const Event& event);
  // REQUIRES: its job is not 0.
  void OnJoint(const JointEvent& joint) override;

  // `index`: the row of TraceModel::ranks. Valid until the next one is asked for.
  WorkOfRank& RankOf(uint32_t index) {
    return index < ranks_.size() ? ranks_[index] : NewRank(index);
  }

  // The rest is for when all events have arrived. As many ranks as the trace has.
  const std::vector<WorkOfRank>& Ranks(size_t count);
  Tasks& tasks() { return tasks_; }
  Data& data() { return data_; }

 private:
  WorkOfRank& NewRank(uint32_t index);
  void SubmissionTexts(uint32_t task, std::span<const uint64_t> texts);

  Tasks tasks_;
  Data data_;
  std::vector<WorkOfRank> ranks_;
};

}  // namespace tasklens::build
