// SPDX-License-Identifier: Apache-2.0
// One table guarded by one lock: lookups and registrations are rare compared with tasks.
#include "runtime/data/lookup.h"

#include <starpu.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "runtime/data/handle.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

struct Lookup {
  Mutex lock;
  std::unordered_map<const void*, std::vector<Handle*>> handles
      GUARDED_BY(lock);  // the latest last
};
Lookup& TheLookup() {
  static Lookup* lookup = new Lookup;
  return *lookup;
}

const void* AddressOf(const Handle* handle) {
  if (!handle->ops->to_pointer || !handle->allocated) return nullptr;
  return handle->ops->to_pointer(handle->interface, STARPU_MAIN_RAM);
}

}  // namespace

void EnterLookup(Handle* handle) {
  const void* address = AddressOf(handle);
  if (!address) return;
  MutexLock guard(TheLookup().lock);
  std::vector<Handle*>& there = TheLookup().handles[address];
  if (std::find(there.begin(), there.end(), handle) == there.end()) there.push_back(handle);
}

void LeaveLookup(Handle* handle) {
  const void* address = AddressOf(handle);
  if (!address) return;
  MutexLock guard(TheLookup().lock);
  const auto it = TheLookup().handles.find(address);
  if (it == TheLookup().handles.end()) return;
  std::erase(it->second, handle);
  if (it->second.empty()) TheLookup().handles.erase(it);
}

Handle* FindHandle(const void* address) {
  Lookup& lookup = TheLookup();
  MutexLock guard(lookup.lock);
  const auto it = lookup.handles.find(address);
  return it == lookup.handles.end() ? nullptr : it->second.back();
}

}  // namespace tasklens::runtime
