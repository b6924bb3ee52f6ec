// SPDX-License-Identifier: Apache-2.0
// Handles, the accesses of tasks to them, and transfers between memory nodes.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "trace/events/event_sink.h"
#include "trace/model/build/ranks.h"
#include "trace/model/build/repeated_runs.h"
#include "trace/model/trace_model.h"
#include "trace/support/diagnostics.h"

namespace tasklens::build {

class Data {
 public:
  // `runs` are those of the tasks and must outlive this. Blocks of the model's columns go to
  // `columns`, other blocks to `scratch`, which may be nullptr; see PackedWords.
  Data(TraceModel& model, uint32_t parts, const RepeatedRuns& runs, BlockStore* scratch,
       BlockStore* columns)
      : model_(model), parts_(parts), runs_(runs), columns_(columns) {
    accesses_.UseStore(scratch);
    parameters_.UseStore(scratch);
  }

  // Events about handles: data_new, data_delete, data_name, data_coordinates, data_mpi_*.
  void HandleEvent(WorkOfRank& rank, const Event& event);
  // task_access, task_parameter, task_numa of the task in row `task`, which may be kNone.
  // `kind`: the event's kind, or a constant of it, see kIs.
  template <class Kind>
  void TaskEvent(Kind kind, WorkOfRank& rank, uint32_t task, const Event& event);
  // copy_start, copy_end, copy_on_device, in the form that Work gets.
  void CopyEvent(WorkOfRank& rank, const Event& event);

  void Finish(const std::vector<WorkOfRank>& ranks, const Clocks& clocks, Diagnostics& diags);

 private:
  void AddAccess(WorkOfRank& rank, uint32_t task, int64_t time_ns, uint64_t address,
                 uint64_t size_bytes, uint32_t mode) {
    if (!(parts_ & kPartData) || task == kNone) return;
    first_access_.Note(runs_, task, accesses_.size());
    accesses_.push_back({time_ns, size_bytes, task, AddressOf(rank, address, time_ns), mode});
  }
  void AddParameter(uint32_t task, uint64_t text) {
    if (!(parts_ & kPartData) || task == kNone) return;
    first_parameter_.Note(runs_, task, parameters_.size());
    parameters_.push_back({task, static_cast<StringId>(text)});
  }

  // The first row that belongs to the last run of each task that runs again: each run records its
  // data anew.
  class FirstOfRun {
   public:
    void Note(const RepeatedRuns& runs, uint32_t task, size_t index) {
      const uint32_t run = runs.RunOf(task);
      if (run == 0) return;
      const auto [it, is_new] = first_.try_emplace(task, First{run, index});
      if (!is_new && it->second.run != run) it->second = {run, index};
    }
    // Removes the rows of earlier runs from `records`; field kTask is the task.
    template <size_t kTask, class Table>
    void RemoveEarlier(Table& records) const;

   private:
    struct First {
      uint32_t run;
      size_t index;
    };
    std::unordered_map<uint32_t, First> first_;
  };
  // An address at which handles live, one after another.
  struct Address {
    uint32_t last_row;  // the latest handle, by arrival
    uint32_t rows = 1;
  };
  struct Access {
    int64_t time_ns;
    uint64_t size_bytes;
    uint32_t task, address, mode;
  };
  using Accesses = Records<Access, &Access::time_ns, &Access::size_bytes, &Access::task,
                           &Access::address, &Access::mode>;
  struct Parameter {
    uint32_t task;
    StringId text;
  };
  using Parameters = Records<Parameter, &Parameter::task, &Parameter::text>;
  struct Numa {
    uint32_t task, index;
    int64_t nodes;
  };
  struct Coordinates {
    uint32_t handle, first, count;  // handle; range in coordinate_values_
  };

  struct CopyEnd {
    uint32_t rank_index;
    uint64_t copy;
    int64_t time_ns;
  };

  // Returns the index of an address. An address without a registered handle gets a handle at its
  // first mention.
  uint32_t AddressOf(WorkOfRank& rank, uint64_t address, int64_t time_ns) {
    const uint32_t index = rank.addresses.Find(address);
    return index != IdMap::kAbsent ? index : NewAddress(rank, address, time_ns);
  }
  uint32_t NewAddress(WorkOfRank& rank, uint64_t address, int64_t time_ns);
  uint32_t NewHandle(WorkOfRank& rank, uint64_t address, uint32_t index, int64_t time_ns);
  // From now on, another handle lives at the address.
  void NextHandle(WorkOfRank& rank, const Event& event, uint32_t address_index);
  uint32_t Register(WorkOfRank& rank, const Event& event);
  uint32_t Named(WorkOfRank& rank, const Event& event);
  uint32_t RowFor(WorkOfRank& rank, const Event& event);
  void FinishHandles(const Clocks& clocks);
  void FinishCoordinates();
  void FinishAccesses();
  void FinishTransfers(const std::vector<WorkOfRank>& ranks, const Clocks& clocks,
                       Diagnostics& diags);

  TraceModel& model_;
  const uint32_t parts_;
  const RepeatedRuns& runs_;
  BlockStore* const columns_;
  std::vector<Address> addresses_;
  std::vector<uint32_t> address_of_handle_;
  std::vector<int64_t> first_seen_ns_;  // of each handle
  Accesses accesses_;
  Parameters parameters_;
  FirstOfRun first_access_, first_parameter_;
  std::unordered_set<uint32_t> named_early_;  // handles that were named but not registered yet
  std::vector<Numa> numas_;
  std::vector<Coordinates> coordinates_;
  std::vector<int32_t> coordinate_values_;
  std::vector<CopyEnd> early_ends_;  // arrived before the copy's start
};

template <class Kind>
inline void Data::TaskEvent(Kind kind, WorkOfRank& rank, uint32_t task, const Event& event) {
  const auto args = event.args;
  switch (EventKind{kind}) {
    case EventKind::kTaskAccess:
      return AddAccess(rank, task, event.time_ns, args[1], args[2], static_cast<uint32_t>(args[3]));
    case EventKind::kTaskParameter: return AddParameter(task, args[1]);
    case EventKind::kTaskNuma:
      if (!(parts_ & kPartData) || task == kNone) return;
      return numas_.push_back(
          {task, static_cast<uint32_t>(args[1]), static_cast<int64_t>(args[2])});
    default: return;
  }
}

}  // namespace tasklens::build
