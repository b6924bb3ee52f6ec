// SPDX-License-Identifier: Apache-2.0
// Allocating, keeping, counting.
#include "runtime/data/devices.h"

#include <cstdint>

namespace tasklens::runtime {

DeviceMemory::~DeviceMemory() {
  for (const auto& [bytes, pieces] : kept_) {
    for (void* memory : pieces) ops_.release(memory, bytes);
  }
}

void* DeviceMemory::Allocate(size_t bytes) {
  std::lock_guard guard(lock_);
  if (std::vector<void*>& pieces = kept_[bytes]; !pieces.empty()) {
    void* memory = pieces.back();
    pieces.pop_back();
    kept_bytes_ -= bytes;
    return memory;
  }
  while (!account_.Take(bytes, /*overflow=*/false)) {
    // The largest first: fewest have to go.
    while (!kept_.empty() && kept_.rbegin()->second.empty()) kept_.erase(std::prev(kept_.end()));
    if (kept_.empty()) return nullptr;
    auto& [size, pieces] = *kept_.rbegin();
    ops_.release(pieces.back(), size);
    pieces.pop_back();
    account_.GiveBack(size);
    kept_bytes_ -= size;
  }
  void* memory = ops_.allocate(bytes);
  if (!memory) account_.GiveBack(bytes);
  return memory;
}

void DeviceMemory::Free(void* memory, size_t bytes) {
  std::lock_guard guard(lock_);
  kept_[bytes].push_back(memory);
  kept_bytes_ += bytes;
}

bool DeviceMemory::HasFreed(size_t bytes) {
  std::lock_guard guard(lock_);
  const auto it = kept_.find(bytes);
  return it != kept_.end() && !it->second.empty();
}

size_t DeviceMemory::used_bytes() {
  std::lock_guard guard(lock_);
  return account_.used_bytes() - kept_bytes_;
}

size_t DeviceMemory::available_bytes() {
  std::lock_guard guard(lock_);
  return account_.limit_bytes() ? account_.available_bytes() + kept_bytes_ : SIZE_MAX;
}

unsigned Devices::Add(starpu_node_kind kind, int number, const DeviceMemoryOps& ops,
                      size_t limit_bytes) {
  DeviceMemory& memory = memories_[count_];
  memory.kind_ = kind;
  memory.number_ = number;
  memory.name_ = "CUDA " + std::to_string(number);
  memory.ops_ = ops;
  memory.account_.SetLimit(limit_bytes);
  return ++count_;
}

}  // namespace tasklens::runtime
