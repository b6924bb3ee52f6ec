// SPDX-License-Identifier: Apache-2.0
// Codelets are found by all their contents.
#include "runtime/openmp/codelets.h"

#include <cstddef>
#include <cstring>

#include "runtime/jobs/codelet.h"

namespace tasklens::runtime::openmp {
namespace {

// The key: all bytes of the codelet but per_worker_stats, which the runtime writes.
std::string KeyOf(const starpu_codelet& codelet, const void* can_execute) {
  const char* const bytes = reinterpret_cast<const char*>(&codelet);
  constexpr size_t kStats = offsetof(starpu_codelet, per_worker_stats);
  constexpr size_t kAfter = kStats + sizeof(codelet.per_worker_stats);
  std::string key;
  key.reserve(sizeof(codelet) - sizeof(codelet.per_worker_stats) + sizeof(can_execute));
  key.append(bytes, kStats);
  key.append(bytes + kAfter, sizeof(codelet) - kAfter);
  key.append(reinterpret_cast<const char*>(&can_execute), sizeof(can_execute));
  return key;
}

}  // namespace

Codelet* Codelets::Take(const starpu_codelet& described, starpu_cpu_func_t body,
                        int (*can_execute)(unsigned, starpu_task*, unsigned)) {
  std::string key = KeyOf(described, reinterpret_cast<const void*>(can_execute));
  MutexLock guard(lock_);
  const auto found = codelets_.find(key);
  if (found != codelets_.end()) {
    ++found->second->users;
    return found->second.get();
  }
  if (codelets_.size() >= kMany)
    std::erase_if(codelets_, [](const auto& entry) { return entry.second->users == 0; });
  auto made = std::make_unique<Codelet>();
  starpu_codelet& codelet = made->codelet;
  std::memcpy(static_cast<void*>(&codelet), &described, sizeof(codelet));
  std::memset(codelet.per_worker_stats, 0, sizeof(codelet.per_worker_stats));
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
    made->functions[i] = CpuFunction(described, i);
    codelet.cpu_funcs[i] = made->functions[i] ? body : nullptr;
  }
  codelet.cpu_func = nullptr;
  codelet.type = STARPU_SEQ;  // a pausable job runs on one worker
  if (can_execute) {
    made->can_execute = described.can_execute;
    codelet.can_execute = can_execute;
  }
  made->users = 1;
  return codelets_.emplace(std::move(key), std::move(made)).first->second.get();
}

void Codelets::GiveBack(Codelet* codelet) {
  MutexLock guard(lock_);
  --codelet->users;
}

}  // namespace tasklens::runtime::openmp
