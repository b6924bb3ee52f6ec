// SPDX-License-Identifier: Apache-2.0
// The half of the model that holds tasks and data. It knows nothing of the machine before Finish(),
// so that it can be built by another thread than the timeline.
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
  // `kind`: of the event, or a constant of it, see kIs.
  template <class Kind, class Row>
  void On(Kind kind, WorkOfRank& rank, Row row, const Event& event);

  Tasks tasks_;
  Data data_;
  std::vector<WorkOfRank> ranks_;
};

}  // namespace tasklens::build
