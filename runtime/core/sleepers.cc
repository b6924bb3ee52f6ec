// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/sleepers.h"

namespace tasklens::runtime {

void Sleepers::Wake(int id) {
  Worker& worker = *workers_[static_cast<size_t>(id)];
  worker.wake.store(1);
  FutexWake(worker.wake, 1);
}

void Sleepers::WakeOne() {
  const int id = asleep_.TakeOne(disabled_);
  if (id >= 0) Wake(id);
}

bool Sleepers::WakeIfAsleep(int id) {
  if (!asleep_.Has(id)) return false;
  Wake(id);
  return true;
}

void Sleepers::WakeThoseAsleep(const WorkerSet& workers) {
  (asleep_.Load() & workers).ForEach([this](int id) { Wake(id); });
}

void Sleepers::WakeThoseAsleep() {
  asleep_.Load().ForEach([this](int id) { Wake(id); });
}

void Sleepers::WakeAll() {
  for (const auto& worker : workers_) Wake(worker->id);
}

}  // namespace tasklens::runtime
