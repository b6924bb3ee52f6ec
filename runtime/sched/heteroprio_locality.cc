// SPDX-License-Identifier: Apache-2.0
#include "runtime/sched/heteroprio_locality.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/jobs/codelet.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

constexpr double kHeavy = 1000;  // the weight of a written byte

// Returns the group with the least cost; of equal groups the first.
template <class Cost>
unsigned Least(const std::vector<unsigned>& groups, Cost&& cost) {
  return *std::min_element(groups.begin(), groups.end(),
                           [&](unsigned a, unsigned b) { return cost(a) < cost(b); });
}

// Returns the value of STARPU_LAHETEROPRIO_<name>_NCPU or _NCUDA, or `otherwise`.
size_t Number(const char* name, starpu_worker_archtype kind, size_t otherwise) {
  const std::string variable =
      std::string("STARPU_LAHETEROPRIO_") + name + "_" + EnvironmentNameOf(kind);
  const auto number = EnvironmentNumber(variable.c_str());
  return number ? static_cast<size_t>(*number) : otherwise;
}

}  // namespace

Locality::Locality(const Host& host) : host_(host), strategy_(FromEnvironment()) {}

Locality::Strategy Locality::FromEnvironment() {
  constexpr std::pair<std::string_view, Strategy> kNames[] = {{"WORKER", kWorker},
                                                              {"LcS", kTime},
                                                              {"LS_SDH", kBytes},
                                                              {"LS_SDH2", kSquaredWrites},
                                                              {"LS_SDHB", kHeavyWrites},
                                                              {"LC_SMWB", kBalancedWrites},
                                                              {"AUTO", kAuto}};
  const char* const wanted = getenv("STARPU_LAHETEROPRIO_PUSH");
  if (!wanted || !*wanted) return kAuto;
  for (const auto& [name, strategy] : kNames)
    if (name == wanted) return strategy;
  Warn(
      "STARPU_LAHETEROPRIO_PUSH=%s is none of WORKER, LcS, LS_SDH, LS_SDH2, LS_SDHB, LC_SMWB, AUTO",
      wanted);
  return kAuto;
}

Locality::Needs Locality::NeedsOf(const starpu_task& task) const {
  Needs needs;
  const unsigned nodes = host_.node_count();
  for (unsigned i = 0; i < BufferCount(task); ++i) {
    Handle* const handle = BufferHandle(task, i);
    const double bytes = static_cast<double>(host_.BytesOf(handle));
    for (unsigned node = 0; node < nodes; ++node) {
      if (host_.IsThere(task, i, node)) continue;
      (BufferMode(task, i) & STARPU_W ? needs[node].written_bytes : needs[node].read_bytes) +=
          bytes;
      ++needs[node].pieces;
    }
  }
  if (strategy_ == kTime)
    for (unsigned node = 0; node < nodes; ++node)
      needs[node].time_us = host_.TransferUs(task, node);
  return needs;
}

unsigned Locality::Choose(Job* job, const Needs& needs, const std::vector<unsigned>& groups,
                          int from) {
  if (strategy_ == kWorker) {
    const bool may = std::count(groups.begin(), groups.end(), static_cast<unsigned>(from)) > 0;
    return from >= 0 && may ? static_cast<unsigned>(from) : groups.front();
  }
  if (strategy_ == kTime)
    return Least(groups, [&](unsigned group) { return needs[group].time_us; });
  std::array<unsigned, kAuto> chosen;
  chosen[kBytes] = Least(
      groups, [&](unsigned group) { return needs[group].read_bytes + needs[group].written_bytes; });
  chosen[kSquaredWrites] = Least(groups, [&](unsigned group) {
    return needs[group].read_bytes + needs[group].written_bytes * needs[group].written_bytes;
  });
  chosen[kHeavyWrites] = Least(groups, [&](unsigned group) {
    return std::pair(needs[group].read_bytes + kHeavy * needs[group].written_bytes,
                     needs[group].pieces);
  });
  chosen[kBalancedWrites] = Least(groups, [&](unsigned group) {
    const double read = needs[group].read_bytes, written = needs[group].written_bytes;
    return read + written > 0 ? read + written * (1 + read / (read + written)) : 0;
  });
  if (strategy_ != kAuto) return chosen[strategy_];
  choices_[job] = chosen;
  return chosen[static_cast<size_t>(std::max_element(right_.begin(), right_.end()) -
                                    right_.begin())];
}

void Locality::Taken(Job* job, unsigned group) {
  const auto known = choices_.find(job);
  if (known == choices_.end()) return;
  for (size_t i = 0; i < right_.size(); ++i) right_[i] += known->second[i] == group;
  choices_.erase(known);
}

std::vector<Locality::Look> Locality::OrderOfLooks(starpu_worker_archtype kind, unsigned own,
                                                   size_t ranks,
                                                   const std::vector<unsigned>& groups) const {
  std::vector<unsigned> others;
  for (const unsigned group : groups)
    if (group != own) others.push_back(group);
  constexpr size_t kBytesToMove = size_t{1} << 30;
  std::stable_sort(others.begin(), others.end(), [&](unsigned a, unsigned b) {
    return host_.CopyUs(a, own, kBytesToMove) < host_.CopyUs(b, own, kBytesToMove);
  });
  const bool is_cpu = kind == STARPU_CPU_WORKER;
  const size_t near = std::min(others.size(), Number("S", kind, is_cpu ? others.size() : 1));
  const size_t step = std::max<size_t>(1, Number("PRIO_STEP", kind, is_cpu ? 1 : ranks));
  std::vector<Look> looks;
  for (size_t first = 0; first < ranks; first += step) {
    const size_t end = std::min(first + step, ranks);
    for (size_t rank = first; rank < end; ++rank) looks.push_back({rank, own});
    for (size_t rank = first; rank < end; ++rank)
      for (size_t i = 0; i < near; ++i) looks.push_back({rank, others[i]});
  }
  for (size_t rank = 0; rank < ranks; ++rank)
    for (size_t i = near; i < others.size(); ++i) looks.push_back({rank, others[i]});
  return looks;
}

}  // namespace tasklens::runtime
