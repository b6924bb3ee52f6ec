// SPDX-License-Identifier: Apache-2.0
// What an event costs: nanoseconds and bytes, on one thread and on two. The file lies in $TMPDIR
// (or /tmp), so that the kernel's share for that file system is in the numbers.
//
// ns: per event and thread, as the thread's own clock saw it; cpu_ns: what it computed of that, the
// kernel's work for it included, which is the number to look at on a busy machine. bytes: of the
// file, per event.
#include <benchmark/benchmark.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/recorder/recorder.h"

namespace tasklens {
namespace {

std::string TracePath() {
  const char* folder = std::getenv("TMPDIR");
  return std::string(folder != nullptr ? folder : "/tmp") + "/recorder_bench." +
         std::to_string(getpid()) + ".tlt";
}

void StartTrace(uint32_t categories) {
  RecorderOptions options;
  options.path = TracePath();
  options.categories = categories;
  const Status status = Recorder::Start(options);
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(1);
}

void Start(const benchmark::State&) { StartTrace(kAllCategories); }
void StartWithoutTasks(const benchmark::State&) { StartTrace(CategoryBit(Category::kUser)); }
void Stop(const benchmark::State&) {
  Recorder::Stop();
  unlink(TracePath().c_str());
}

double ThreadCpuNs() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <class Function>
void Measure(benchmark::State& state, Function record) {
  record(uint64_t{0});  // the thread's chunk
  const uint64_t before_ns = tlt::MonotonicNs();
  const double before_cpu_ns = ThreadCpuNs();
  uint64_t i = 0;
  for (auto _ : state) record(++i);
  const double cpu_ns = ThreadCpuNs() - before_cpu_ns;
  const double ns = static_cast<double>(tlt::MonotonicNs() - before_ns);
  const double events = static_cast<double>(i);
  state.counters["ns"] = benchmark::Counter(ns / events, benchmark::Counter::kAvgThreads);
  state.counters["cpu_ns"] = benchmark::Counter(cpu_ns / events, benchmark::Counter::kAvgThreads);
  struct stat file;
  if (state.thread_index() == 0 && stat(TracePath().c_str(), &file) == 0)
    state.counters["bytes"] = static_cast<double>(file.st_blocks) * 512 / events / state.threads();
}

void TaskStart(benchmark::State& state) {
  Measure(state, [](uint64_t i) { Record<EventKind::kTaskStart>(i, 1u, 0u, 0u); });
}
void StatePush(benchmark::State& state) {
  Measure(state, [](uint64_t) { Record<EventKind::kStatePush>(StateKind::kFetchingInput); });
}
void TaskSubmit(benchmark::State& state) {
  Measure(state, [](uint64_t i) { Record<EventKind::kTaskSubmit>(i, i, 3, -1, 0, 0u); });
}
void TaskSiteWithTwoTexts(benchmark::State& state) {
  Measure(state, [](uint64_t i) { Record<EventKind::kTaskSite>(i, 42u, __FILE__, __func__); });
}
void TaskStartWhenOff(benchmark::State& state) {
  Measure(state, [](uint64_t i) { Record<EventKind::kTaskStart>(i, 1u, 0u, 0u); });
}
// The floor: reading the clock is a part of every event.
void ReadTicksOnly(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(tlt::ReadTicks());
}

// As many events as a file of some 64 MB holds: enough for the steady state, kind to the disk.
constexpr int64_t kEvents = 2'000'000;

BENCHMARK(ReadTicksOnly);
BENCHMARK(StatePush)->Setup(Start)->Teardown(Stop)->Iterations(kEvents)->ThreadRange(1, 2);
BENCHMARK(TaskStart)->Setup(Start)->Teardown(Stop)->Iterations(kEvents)->ThreadRange(1, 2);
BENCHMARK(TaskSubmit)->Setup(Start)->Teardown(Stop)->Iterations(kEvents)->ThreadRange(1, 2);
BENCHMARK(TaskSiteWithTwoTexts)
    ->Setup(Start)
    ->Teardown(Stop)
    ->Iterations(kEvents)
    ->ThreadRange(1, 2);
BENCHMARK(TaskStartWhenOff)->Setup(StartWithoutTasks)->Teardown(Stop);

}  // namespace
}  // namespace tasklens

BENCHMARK_MAIN();
