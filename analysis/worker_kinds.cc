// SPDX-License-Identifier: Apache-2.0
// Parses the architectures of tasks.
#include "analysis/worker_kinds.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace tasklens {
namespace {

constexpr int32_t kUntold = -1;

// Returns 1 for "cuda1_impl0 (Comb2)" and a CUDA worker; kUntold if the text is of another arch.
int32_t DeviceOf(std::string_view text, WorkerArch arch) {
  for (const char letter : WorkerArchName(arch)) {
    if (text.empty() || std::toupper(static_cast<unsigned char>(text[0])) != letter) return kUntold;
    text.remove_prefix(1);
  }
  int32_t device = kUntold;
  std::from_chars(text.data(), text.data() + text.size(), device);
  return device;
}

}  // namespace

std::string WorkerKindName(const WorkerKind& kind) {
  std::string name(WorkerArchName(kind.arch));
  return kind.device < 0 ? name : name + " " + std::to_string(kind.device);
}

std::vector<WorkerKind> WorkerKinds(const TraceModel& model) {
  const WorkerTable& workers = model.workers;
  // Models do not distinguish CPUs.
  if (std::all_of(workers.arch.begin(), workers.arch.end(),
                  [](WorkerArch arch) { return arch == WorkerArch::kCpu; }))
    return std::vector<WorkerKind>(workers.size(), WorkerKind{.arch = WorkerArch::kCpu});
  std::vector<int32_t> told(workers.size(), kUntold);
  std::map<std::pair<WorkerArch, StringId>, int32_t> parsed;
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    const uint32_t worker = model.tasks.worker[task];
    if (worker >= workers.size() || told[worker] != kUntold) continue;
    const auto key = std::pair(workers.arch[worker], model.tasks.arch[task]);
    const auto [at, is_new] = parsed.try_emplace(key, kUntold);
    if (is_new) at->second = DeviceOf(model.str(key.second), key.first);
    told[worker] = at->second;
  }
  std::map<std::pair<uint32_t, WorkerArch>, std::set<int32_t>> devices;
  const auto devices_of = [&](size_t worker) -> std::set<int32_t>& {
    return devices[{workers.rank_index[worker], workers.arch[worker]}];
  };
  for (size_t worker = 0; worker < workers.size(); ++worker)
    if (told[worker] != kUntold) devices_of(worker).insert(told[worker]);
  std::vector<WorkerKind> kinds;
  for (size_t worker = 0; worker < workers.size(); ++worker) {
    WorkerKind& kind = kinds.emplace_back(WorkerKind{.arch = workers.arch[worker]});
    if (devices_of(worker).size() < 2) continue;
    kind.device = told[worker] == kUntold ? workers.device[worker] : told[worker];
  }
  return kinds;
}

}  // namespace tasklens
