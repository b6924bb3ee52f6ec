// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/devices.h"

#include <algorithm>
#include <cstdint>

#include "runtime/support/environment.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {

DeviceMemory::~DeviceMemory() {
  for (const auto& [bytes, pieces] : kept_) {
    for (void* memory : pieces) ops_.release(memory, bytes);
  }
}

void* DeviceMemory::Allocate(size_t bytes) {
  MutexLock guard(lock_);
  if (std::vector<void*>& pieces = kept_[bytes]; !pieces.empty()) {
    void* memory = pieces.back();
    pieces.pop_back();
    kept_bytes_ -= bytes;
    return memory;
  }
  while (!account_.Take(bytes, /*overflow=*/false)) {
    if (!ReleaseKept()) return nullptr;
  }
  void* memory = ops_.allocate(bytes);
  while (!memory && ReleaseKept()) memory = ops_.allocate(bytes);
  if (memory) return memory;
  account_.GiveBack(bytes);
  const size_t used = account_.used_bytes();
  account_.SetLimit(std::max<size_t>(used ? used : bytes - 1, 1));  // (0 would be no limit)
  Warn(
      "%s has no room for %zu bytes, though less is used than it seemed to have: from now on "
      "data take %zu bytes there at most",
      name_.c_str(), bytes, account_.limit_bytes());
  return nullptr;
}

bool DeviceMemory::ReleaseKept() {
  // The largest piece first, so that few pieces are freed.
  while (!kept_.empty() && kept_.rbegin()->second.empty()) kept_.erase(std::prev(kept_.end()));
  if (kept_.empty()) return false;
  auto& [size, pieces] = *kept_.rbegin();
  ops_.release(pieces.back(), size);
  pieces.pop_back();
  account_.GiveBack(size);
  kept_bytes_ -= size;
  return true;
}

void DeviceMemory::Free(void* memory, size_t bytes) {
  MutexLock guard(lock_);
  kept_[bytes].push_back(memory);
  kept_bytes_ += bytes;
}

bool DeviceMemory::HasFreed(size_t bytes) {
  MutexLock guard(lock_);
  const auto it = kept_.find(bytes);
  return it != kept_.end() && !it->second.empty();
}

size_t DeviceMemory::used_bytes() {
  MutexLock guard(lock_);
  return account_.used_bytes() - kept_bytes_;
}

size_t DeviceMemory::available_bytes() {
  MutexLock guard(lock_);
  return account_.limit_bytes() ? account_.available_bytes() + kept_bytes_ : SIZE_MAX;
}

std::optional<size_t> LimitFromEnvironment(int device) {
  auto mebibytes =
      EnvironmentNumber(("STARPU_LIMIT_CUDA_" + std::to_string(device) + "_MEM").c_str());
  if (!mebibytes) mebibytes = EnvironmentNumber("STARPU_LIMIT_CUDA_MEM");
  if (!mebibytes) return std::nullopt;
  return static_cast<size_t>(*mebibytes) << 20;
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
