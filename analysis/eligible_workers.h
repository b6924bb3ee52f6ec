// SPDX-License-Identifier: Apache-2.0
// Determines which workers can run which tasks, as far as the trace says.
//
// Workers of one kind have the same architecture and ran tasks of the same scheduling contexts. A
// task can run on the kinds of its context whose architecture its name has functions for
// (TraceModel::codelets); if the trace does not list functions, on the kinds that ran a task of its
// name and context in this run. A task bound to workers (TraceModel::bindings) can run on their
// kinds: other workers of these kinds could run it if the program allowed it.
//
// Pure; any thread. O(tasks).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

using KindMask = uint32_t;  // a bit for each kind of worker

class EligibleWorkers {
 public:
  explicit EligibleWorkers(const TraceModel& model);  // must outlive this

  // At most 32: all further kinds share the last one.
  uint32_t kinds() const { return static_cast<uint32_t>(contexts_of_.size()); }
  uint32_t KindOf(uint32_t worker) const { return kind_of_[worker]; }
  // The kinds that can run `task`; all of them if the trace does not say.
  KindMask CanRun(uint32_t task) const;

 private:
  struct Key {
    uint32_t rank_index;
    StringId name;
    uint32_t ctx;
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    size_t operator()(const Key& key) const {
      return (uint64_t{key.name} << 32 | key.ctx) * 0x9e3779b97f4a7c15u ^ key.rank_index;
    }
  };
  Key KeyOf(uint32_t task) const {
    return {model_.tasks.rank_index[task], model_.tasks.name[task], model_.tasks.ctx[task]};
  }
  void FindKinds();
  void FindMasks();

  const TraceModel& model_;
  std::vector<uint32_t> kind_of_;                   // by worker
  std::vector<std::vector<uint32_t>> contexts_of_;  // by kind, sorted; empty: any
  std::vector<uint32_t> archs_of_;                  // by kind: bits 1 << WorkerArch
  std::unordered_map<Key, KindMask, HashOfKey> masks_;
};

// By row of workers: whether the worker can run any of the executed tasks of its rank; true in a
// rank without executed tasks. A worker that cannot is not counted as idle.
std::vector<bool> WorkersThatCount(const TraceModel& model);

}  // namespace tasklens
