// SPDX-License-Identifier: Apache-2.0
// The half of the model that holds tasks and data. It knows nothing of the machine before Finish(),
// so that it can be built by another thread than the timeline.
//
// The events it takes are the checked events of the trace, with these differences:
//   rank   the row of TraceModel::ranks
// time   of task_end and of events that imply it: when the task ended, as Machine::EndTask() says
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
  // See Tasks and Data.
  Work(TraceModel& model, uint32_t parts, BlockStore* scratch, BlockStore* columns)
      : tasks_(model, parts, scratch, columns),
        data_(model, parts, tasks_.runs(), scratch, columns) {}

  StringId Intern(std::string_view) override { return 0; }  // never called
  void OnEvent(const Event& event) override { OnEvent(RankOf(event.rank), event); }
  // The same with the rank that RankOf() returned; ignores event.rank.
  void OnEvent(WorkOfRank& rank, const Event& event);
  // REQUIRES: its job is not 0.
  void OnJoint(const JointEvent& joint) override;

  // `index`: the row of TraceModel::ranks. The result is valid until the next call.
  WorkOfRank& RankOf(uint32_t index) {
    return index < ranks_.size() ? ranks_[index] : NewRank(index);
  }

  // The rest is for after the last event. `count`: the number of ranks of the trace.
  const std::vector<WorkOfRank>& Ranks(size_t count);
  Tasks& tasks() { return tasks_; }
  Data& data() { return data_; }

 private:
  WorkOfRank& NewRank(uint32_t index);
  // `kind`: the event's kind, or a constant of it, see kIs.
  template <class Kind, class Row>
  void On(Kind kind, WorkOfRank& rank, Row row, const Event& event);

  Tasks tasks_;
  Data data_;
  std::vector<WorkOfRank> ranks_;
};

}  // namespace tasklens::build
