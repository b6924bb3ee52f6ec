// SPDX-License-Identifier: Apache-2.0
// Prints STARPU_WORKER_STATS, STARPU_BUS_STATS and STARPU_ENABLE_STATS.
#include "runtime/core/summaries.h"

#include <starpu.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/core/runtime.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"
#include "trace/support/plain_numbers.h"

namespace tasklens::runtime {
namespace {

// The file that the environment variable names, or standard error.
class StatsFile {
 public:
  explicit StatsFile(const char* variable) {
    const char* path = getenv(variable);
    if (!path || !*path) return;
    own_ = fopen(path, "w");
    if (!own_) Warn("%s: %s: %s; printing to standard error", variable, path, strerror(errno));
  }
  ~StatsFile() {
    if (own_) fclose(own_);
  }
  StatsFile(const StatsFile&) = delete;
  StatsFile& operator=(const StatsFile&) = delete;
  FILE* get() const { return own_ ? own_ : stderr; }

 private:
  const PlainNumbers plain_;
  FILE* own_ = nullptr;
};

double Ms(uint64_t ns) { return static_cast<double>(ns) * 1e-6; }
double Percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

constexpr const char* kHeadings[kHeadingCount] = {"executing", "callback", "waiting", "sleeping",
                                                  "scheduling"};

void PrintWorker(FILE* file, const Worker& worker, const WorkerTimes& times) {
  fprintf(file, "%s\n\t%llu task(s)\n\ttime split: total %.2f ms =", worker.name.c_str(),
          static_cast<unsigned long long>(times.tasks), Ms(times.total_ns));
  for (size_t i = 0; i < kHeadingCount; ++i) {
    fprintf(file, " %s: %.2f ms +", kHeadings[i], Ms(times.split_ns[i]));
  }
  fprintf(file, " overhead %.2f ms\n\tall time:", Ms(times.overhead_ns));
  for (size_t i = 0; i < kHeadingCount; ++i) {
    fprintf(file, " %s: %.2f ms", kHeadings[i], Ms(times.all_ns[i]));
  }
  fprintf(file, "\n");
  if (times.flops > 0 && times.total_ns > 0) {
    fprintf(file, "\t%f GFlop/s\n", times.flops / static_cast<double>(times.total_ns));
  }
  fprintf(file, "\n");
}

void PrintWorkersTo(FILE* file, Runtime& runtime) {
  fprintf(file, "\nWorker stats:\n");
  WorkerTimes sum;
  for (const auto& worker : runtime.workers()) {
    const WorkerTimes times = worker->activity.Read(/*restart=*/true);
    PrintWorker(file, *worker, times);
    sum.total_ns += times.total_ns;
    sum.overhead_ns += times.overhead_ns;
    for (size_t i = 0; i < kHeadingCount; ++i) sum.split_ns[i] += times.split_ns[i];
  }
  fprintf(file, "Global time split: total %.2f ms =", Ms(sum.total_ns));
  for (size_t i = 0; i < kHeadingCount; ++i) {
    fprintf(file, " %s: %.2f ms (%.2f%%) +", kHeadings[i], Ms(sum.split_ns[i]),
            Percent(sum.split_ns[i], sum.total_ns));
  }
  fprintf(file, " overhead %.2f ms (%.2f%%)\n", Ms(sum.overhead_ns),
          Percent(sum.overhead_ns, sum.total_ns));
}

// Data that a task finds in place are a hit; data that had to be transferred, allocated or
// initialised are a miss. Not broken down by memory node.
void PrintData(FILE* file, Runtime& runtime) {
  uint64_t hits = 0, misses = 0;
  for (const auto& worker : runtime.workers()) {
    hits += worker->data_hits.load(std::memory_order_relaxed);
    misses += worker->data_misses.load(std::memory_order_relaxed);
  }
  const auto line = [&](const char* what) {
    fprintf(file, "%s\thit %llu (%.2f %%)\tmiss %llu (%.2f %%)\n", what,
            static_cast<unsigned long long>(hits), Percent(hits, hits + misses),
            static_cast<unsigned long long>(misses), Percent(misses, hits + misses));
  };
  fprintf(file, "#---------------------\nMSI cache stats :\n");
  line("TOTAL MSI stats");
  line("memory node NUMA 0");
  fprintf(file,
          "#---------------------\nAllocation cache stats:\n"
          "memory node NUMA 0\ttotal alloc : %llu\tcached alloc: 0 (0.00 %%)\n"
          "#---------------------\n",
          static_cast<unsigned long long>(misses));
}

void PrintBusesTo(FILE* file, Runtime& runtime) {
  constexpr double kMegabyte = 1024. * 1024, kGigabyte = 1024 * kMegabyte;
  fprintf(file, "\nData transfer stats:\n");
  uint64_t sum_bytes = 0;
  for (int id = 0; id < starpu_bus_get_count(); ++id) {
    const uint64_t now_ns = NowNs();
    const Buses::Load load = runtime.disks().buses().Look(id, /*restart=*/true, now_ns);
    if (load.transfers == 0) continue;
    sum_bytes += load.bytes;
    char source[64], target[64];
    const Buses::Ends ends = Buses::EndsOf(id);
    starpu_memory_node_get_name(ends.source, source, sizeof(source));
    starpu_memory_node_get_name(ends.target, target, sizeof(target));
    const auto bytes = static_cast<double>(load.bytes);
    const double seconds = static_cast<double>(now_ns - load.since_ns) * 1e-9;
    fprintf(file, "\t%s -> %s\t%.4f GB\t%.4f MB/s\t(transfers : %llu - avg %.4f MB)\n", source,
            target, bytes / kGigabyte, seconds > 0 ? bytes / kMegabyte / seconds : 0,
            static_cast<unsigned long long>(load.transfers),
            bytes / kMegabyte / static_cast<double>(load.transfers));
  }
  fprintf(file, "Total transfers: %.4f GB\n", static_cast<double>(sum_bytes) / kGigabyte);
}

bool Asked(const char* variable) { return EnvironmentNumber(variable).value_or(0) > 0; }

}  // namespace

bool WantsWorkers() { return Asked("STARPU_WORKER_STATS"); }
void PrintWorkers(Runtime& runtime) {
  if (!WantsWorkers()) return;
  const StatsFile file("STARPU_WORKER_STATS_FILE");
  PrintWorkersTo(file.get(), runtime);
}

bool WantsBuses() { return Asked("STARPU_BUS_STATS"); }
void PrintBuses(Runtime& runtime) {
  if (!WantsBuses()) return;
  const StatsFile file("STARPU_BUS_STATS_FILE");
  PrintBusesTo(file.get(), runtime);
}

void PrintMemory(Runtime& runtime) {
  if (runtime.memory_stats()) runtime.memory_stats()->Print(stderr);
}

void PrintSummaries(Runtime& runtime) {
  // STARPU_ENABLE_STATS only has to be set; STARPU_STATS=0 suppresses it.
  if (getenv("STARPU_ENABLE_STATS") && EnvironmentNumber("STARPU_STATS").value_or(1) > 0) {
    const PlainNumbers plain;
    PrintData(stderr, runtime);
    PrintBusesTo(stderr, runtime);
  }
  PrintBuses(runtime);
  PrintWorkers(runtime);
  PrintMemory(runtime);
}

}  // namespace tasklens::runtime
