// SPDX-License-Identifier: Apache-2.0
// Which workers can run which tasks, as far as a trace tells.
//
// A task that is bound to workers (TraceModel::bindings) is for these. Another one is for the
// workers of those architectures for which its name has functions (TraceModel::codelets) and of its
// scheduling context; where the trace does not tell the functions, for workers like those that ran
// a task of its name and context in this run.
//
// Workers are of one kind that have the same architecture, ran tasks of the same contexts, and have
// no tasks bound to them; one that has is a kind of its own.
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
  explicit EligibleWorkers(const TraceModel& model);  // which must outlive this

  // At most 32: of more, all others share the last one.
  uint32_t kinds() const { return static_cast<uint32_t>(contexts_of_.size()); }
  uint32_t KindOf(uint32_t worker) const { return kind_of_[worker]; }
  // The kinds that can run `task`; all of them where nothing tells.
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
  std::vector<KindMask> alike_;                     // by kind: those that differ by bindings alone
  std::unordered_map<Key, KindMask, HashOfKey> masks_;
};

// By row of workers: whether it can run any task of its rank that ran. All of a rank in which none
// did. A worker that cannot has nothing to do, and is not idle for want of it.
std::vector<bool> WorkersThatCount(const TraceModel& model);

}  // namespace tasklens
