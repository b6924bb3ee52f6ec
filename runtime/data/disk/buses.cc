// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/disk/buses.h"

namespace tasklens::runtime {

void Buses::Opened(unsigned nodes, uint64_t now_ns) {
  MutexLock guard(lock_);
  loads_.resize(static_cast<size_t>(CountFor(nodes)), Load{.since_ns = now_ns});
}

void Buses::Carried(Ends ends, uint64_t bytes) {
  MutexLock guard(lock_);
  Load& load = loads_[static_cast<size_t>(IdOf(ends))];
  load.bytes += bytes;
  ++load.transfers;
}

Buses::Load Buses::Look(int id, bool restart, uint64_t now_ns) {
  MutexLock guard(lock_);
  Load& load = loads_[static_cast<size_t>(id)];
  const Load seen = load;
  if (restart) load = {.since_ns = now_ns};
  return seen;
}

}  // namespace tasklens::runtime
