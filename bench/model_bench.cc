// SPDX-License-Identifier: Apache-2.0
// What the model costs: events a second into it, bytes a task in it and on the way there. The
// events are those of a Cholesky factorisation under StarPU (three data and two dependencies a
// task), without any reader.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "trace/model/model_builder.h"

namespace tasklens {
namespace {

// Events in memory, as a reader has them in hand.
class Recording {
 public:
  void Add(int64_t time_ns, EventKind kind, uint64_t tid, std::initializer_list<uint64_t> args) {
    events_.push_back({time_ns, tid, args_.size(), kind, static_cast<uint8_t>(args.size())});
    args_.insert(args_.end(), args);
  }
  void Replay(EventSink& sink) const {
    for (const Item& item : events_)
      sink.OnEvent({item.time_ns, item.kind, 0, item.tid, {args_.data() + item.first, item.count}});
  }
  size_t size() const { return events_.size(); }

 private:
  struct Item {
    int64_t time_ns;
    uint64_t tid;
    size_t first;
    EventKind kind;
    uint8_t count;
  };
  std::vector<Item> events_;
  std::vector<uint64_t> args_;
};

constexpr uint64_t kWorkers = 4, kMain = 1, kHandles = 500;
uint64_t Bits(StateKind state) { return static_cast<uint64_t>(state); }

void Machine(Recording& out) {
  for (uint64_t w = 0; w < kWorkers; ++w) {
    out.Add(0, EventKind::kWorkerNew, 100 + w, {w, 0, w, 0, w, 1, 1});
    out.Add(1, EventKind::kWorkerReady, 100 + w, {w});
  }
  for (uint64_t h = 0; h < kHandles; ++h)
    out.Add(2, EventKind::kDataNew, kMain, {0x1000 + h * 0x40, 1024, ~uint64_t{0}, 0, 0, 2});
}

void Submission(Recording& out, uint64_t job, int64_t now) {
  out.Add(now, EventKind::kStatePush, kMain, {Bits(StateKind::kSubmittingTask)});
  out.Add(now + 1, EventKind::kTaskCount, kMain, {});
  out.Add(now + 1, EventKind::kTaskSubmit, kMain, {job, job, job / 100, ~uint64_t{0}, 3, 0});
  for (uint64_t back : {1, 5})
    if (job > back) out.Add(now + 2, EventKind::kTaskDep, 0, {job - back, job, 0, 3});
  out.Add(now + 3, EventKind::kTaskReady, kMain, {job, 3});
  out.Add(now + 4, EventKind::kStatePop, kMain, {});
}

void Execution(Recording& out, uint64_t job, int64_t now) {
  const uint64_t worker = job % kWorkers, tid = 100 + worker;
  const auto set = [&](int64_t after, StateKind state) {
    out.Add(now + after, EventKind::kStateSet, tid, {Bits(state)});
  };
  out.Add(now, EventKind::kTaskPop, tid, {job, 3});
  set(1, StateKind::kOverhead);
  out.Add(now + 2, EventKind::kWorkerStateSet, tid, {worker, Bits(StateKind::kFetchingInput)});
  for (uint64_t i = 0; i < 2; ++i)
    out.Add(now + 2, EventKind::kDataState, 0, {0x1000 + i, 0, i + 1});
  out.Add(now + 3, EventKind::kDataLoad, 0, {worker, 3072});
  set(4, StateKind::kOverhead);
  out.Add(now + 5, EventKind::kTaskName, tid, {job, 4 + job % 3});
  out.Add(now + 5, EventKind::kTaskModel, tid, {job, 7 + job % 3});
  out.Add(now + 5, EventKind::kTaskSite, 0, {job, 100 + job % 4, 10, 11});
  out.Add(now + 6, EventKind::kTaskStart, tid, {job, worker, 0, 0});
  for (uint64_t i = 0; i < 3; ++i) out.Add(now + 6, EventKind::kTaskParameter, 0, {job, 2});
  for (uint64_t i = 0; i < 3; ++i)
    out.Add(now + 6, EventKind::kTaskAccess, 0,
            {job, 0x1000 + (job + i * 7) % kHandles * 0x40, 1024, i == 2 ? 3u : 1u});
  out.Add(now + 7, EventKind::kTaskDetails, 0, {job, 3072, 0xabcd, job, FromDouble(1e6)});
  out.Add(now + 900, EventKind::kTaskEnd, tid, {job, worker, 3072, 0xabcd, 12});
  set(901, StateKind::kPushingOutput);
  set(902, StateKind::kOverhead);
  out.Add(now + 903, EventKind::kTaskDone, tid, {job});
  set(904, StateKind::kScheduling);
}

Recording Cholesky(uint64_t tasks) {
  Recording out;
  Machine(out);
  for (uint64_t job = 1; job <= tasks; ++job) {
    Submission(out, job, static_cast<int64_t>(job) * 10);
    Execution(out, job, 1000 + static_cast<int64_t>(job) * 1000);
  }
  return out;
}

// Peak of resident memory since ResetPeak(), in bytes.
void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }
double PeakBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024;
  return 0;
}
double HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

void BM_Build(benchmark::State& state, uint32_t parts) {
  const uint64_t tasks = static_cast<uint64_t>(state.range(0));
  const Recording recording = Cholesky(tasks);
  double peak = 0, resident = 0;
  for (auto _ : state) {
    malloc_trim(0);
    ResetPeak();
    const double before = PeakBytes(), heap = HeapBytes();
    Diagnostics diags;
    ModelBuilder builder(diags, parts);
    for (int i = 1; i <= 12; ++i) builder.Intern("string " + std::to_string(i));
    recording.Replay(builder);
    auto model = std::move(builder).Finish();
    benchmark::DoNotOptimize(model);
    peak = PeakBytes() - before;
    resident = HeapBytes() - heap;
  }
  const double n = static_cast<double>(tasks);
  state.counters["events/task"] = static_cast<double>(recording.size()) / n;
  state.counters["peak_B/task"] = peak / n;
  state.counters["model_B/task"] = resident / n;
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * recording.size()));
}

BENCHMARK_CAPTURE(BM_Build, everything, kAllParts)->Arg(200'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Build, tasks, 0)->Arg(200'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Build, tasks_and_deps, kPartDeps)->Arg(200'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Build, timeline, kPartStates | kPartCounters)
    ->Arg(200'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tasklens

BENCHMARK_MAIN();
