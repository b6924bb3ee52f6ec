// SPDX-License-Identifier: Apache-2.0
// Data and their duplicate refer to each other, guarded by one lock, since duplicates are few.
#include "runtime/core/duplicates.h"

#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

Mutex& DuplicatesLock() {
  static Mutex lock;
  return lock;
}

// REQUIRES: the lock.
void Part(Handle* data, Handle* duplicate) {
  data->duplicate.store(nullptr, std::memory_order_relaxed);
  duplicate->duplicate_of = nullptr;
}

// Returns the existing duplicate, adding an owner, or nullptr.
Handle* Known(Handle* source) {
  MutexLock guard(DuplicatesLock());
  Handle* const known =
      source->is_duplicate ? source : source->duplicate.load(std::memory_order_relaxed);
  if (known) ++known->owners;
  return known;
}

void Pair(Handle* data, Handle* duplicate) {
  MutexLock guard(DuplicatesLock());
  duplicate->is_duplicate = true;
  // Another thread's duplicate may have come first.
  if (data->duplicate.load(std::memory_order_relaxed)) return;
  duplicate->duplicate_of = data;
  data->duplicate.store(duplicate, std::memory_order_relaxed);
}

}  // namespace

void ForgetDuplicate(Handle* handle) {
  MutexLock guard(DuplicatesLock());
  if (Handle* const duplicate = handle->duplicate.load(std::memory_order_relaxed))
    Part(handle, duplicate);
}

bool IsLastOwner(Handle* handle) {
  MutexLock guard(DuplicatesLock());
  if (--handle->owners > 0) return false;
  if (Handle* const duplicate = handle->duplicate.load(std::memory_order_relaxed))
    Part(handle, duplicate);
  if (handle->duplicate_of) Part(handle->duplicate_of, handle);
  return true;
}

int Duplicate(Handle** target, Handle* source, bool waits) {
  *target = Known(source);
  if (*target) return 0;
  starpu_data_register_same(target, source);
  const int error = starpu_data_cpy(*target, source, !waits, nullptr, nullptr);
  if (error) {
    starpu_data_unregister(*target);
  } else {
    Pair(source, *target);
  }
  return error;
}

}  // namespace tasklens::runtime
