// SPDX-License-Identifier: Apache-2.0
// Trace records of data. Each costs a load and a branch while nothing is recorded.
#pragma once

#include <cstdint>

#include "runtime/jobs/job.h"
#include "runtime/recorder/recorder.h"
#include "trace/events/events.h"

namespace tasklens::runtime {
class Residency;
}

namespace tasklens::runtime::trace {

// Records a new handle that tasks will use.
void NewData(const Handle* handle);
// Records an operation on a handle's memory on a node, such as its allocation: its start on
// construction, its end on destruction. `residency`: nullptr if there is none.
class Memory {
 public:
  Memory(Residency* residency, MemoryOp op, const Handle* handle, unsigned node = 0);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

 private:
  Residency* const residency_;
  const MemoryOp op_;
  const Handle* const handle_;
  const unsigned node_;
};
inline void DataState(const Handle* handle, DataCopyState state, unsigned node = 0) {
  Record<EventKind::kDataState>(handle, node, static_cast<uint32_t>(state));
}

}  // namespace tasklens::runtime::trace
