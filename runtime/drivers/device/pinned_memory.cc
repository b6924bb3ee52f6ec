// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/device/pinned_memory.h"

#include <string>

#include "runtime/support/message.h"

namespace tasklens::runtime {

PinnedMemory::~PinnedMemory() {
  for (const auto& [memory, bytes] : pinned_) accelerators_.Unpin(memory);
}

bool PinnedMemory::Pin(void* memory, size_t bytes) {
  MutexLock guard(lock_);
  if (pinned_.contains(memory)) return true;
  const std::string why = accelerators_.Pin(memory, bytes);
  if (why.empty()) {
    pinned_.emplace(memory, bytes);
    return true;
  }
  if (!complained_.exchange(true))
    Warn("%zu bytes at %p cannot be pinned (%s): copies of them hold up who asks for them", bytes,
         memory, why.c_str());
  return false;
}

bool PinnedMemory::Unpin(void* memory) {
  MutexLock guard(lock_);
  if (pinned_.erase(memory) == 0) return false;
  accelerators_.Unpin(memory);
  return true;
}

bool PinnedMemory::Has(const void* memory) {
  MutexLock guard(lock_);
  auto after = pinned_.upper_bound(const_cast<void*>(memory));
  if (after == pinned_.begin()) return false;
  const auto [begin, bytes] = *--after;
  return static_cast<const char*>(memory) < static_cast<const char*>(begin) + bytes;
}

}  // namespace tasklens::runtime
