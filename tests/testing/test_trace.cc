// SPDX-License-Identifier: Apache-2.0
// TestTrace: collects events, then plays them in time order.
#include "tests/testing/test_trace.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace tasklens::testing {
namespace {

uint64_t WorkerThread(uint32_t worker) { return 1000 + worker; }

}  // namespace

TestTrace::TestTrace(bool event_at_zero) {
  if (event_at_zero) Event(0, EventKind::kProgramInfo, {"program", "test"});
}

TestTrace& TestTrace::Rank(uint32_t rank) {
  rank_ = rank;
  return *this;
}

TestTrace& TestTrace::Worker(std::string_view name, uint32_t node) {
  const uint32_t id = ranks_[rank_].workers++;
  const WorkerArch arch = name.starts_with("CUDA") ? WorkerArch::kCuda : WorkerArch::kCpu;
  return Event(0, EventKind::kWorkerNew, {id, arch, id, node, id, /*sync=*/1, name},
               WorkerThread(id))
      .Event(0, EventKind::kWorkerReady, {id}, WorkerThread(id));
}

TestTrace& TestTrace::MemoryNode(std::string_view name) {
  const uint32_t id = ranks_[rank_].nodes++;
  return Event(0, EventKind::kMemoryNodeNew, {id, name});
}

TestTrace& TestTrace::Task(std::string_view name, int64_t start_ns, int64_t end_ns) {
  return Task(name, start_ns, end_ns, TaskOptions());
}

TestTrace& TestTrace::Task(std::string_view name, int64_t start_ns, int64_t end_ns, TaskOptions o) {
  RankState& rank = ranks_[rank_];
  if (rank.workers == 0) Worker("CPU0");
  const uint64_t job = o.job != 0 ? o.job : rank.next_job;
  rank.next_job = std::max(rank.next_job, job + 1);
  const uint64_t tid = WorkerThread(o.worker);
  if (o.submit_ns >= 0)
    Event(o.submit_ns, EventKind::kTaskSubmit,
          {job, job, o.iteration, o.subiteration, o.priority, o.type});
  Event(start_ns, EventKind::kTaskName, {job, name}, tid);
  if (!o.model.empty()) Event(start_ns, EventKind::kTaskModel, {job, o.model}, tid);
  if (!o.file.empty())
    Event(start_ns, EventKind::kTaskSite, {job, o.line, o.file, o.function}, tid);
  if (o.tag != 0) Event(start_ns, EventKind::kTaskTag, {o.tag, job}, tid);
  if (o.rgb != kNone) Event(start_ns, EventKind::kTaskColor, {job, o.rgb}, tid);
  Event(start_ns, EventKind::kTaskStart, {job, o.worker, o.node, 0}, tid);
  if (o.size_bytes != 0 || o.flops != 0 || o.footprint != 0)
    Event(start_ns, EventKind::kTaskDetails, {job, o.size_bytes, o.footprint, o.tag, o.flops}, tid);
  return Event(end_ns, EventKind::kTaskEnd,
               {job, o.worker, o.size_bytes, o.footprint, "cpu0_impl0"}, tid);
}

TestTrace& TestTrace::Dep(uint64_t pred, uint64_t succ, std::string_view label) {
  return Event(0, EventKind::kTaskDep, {pred, succ, 0, label});
}

TestTrace& TestTrace::Event(int64_t time_ns, EventKind kind, std::vector<Arg> args, uint64_t tid) {
  items_.push_back({time_ns, kind, rank_, tid, std::move(args)});
  return *this;
}

TestTrace& TestTrace::State(int64_t start_ns, StateKind state, uint32_t worker) {
  return Event(start_ns, EventKind::kWorkerStateSet, {worker, state}, WorkerThread(worker));
}

void TestTrace::Replay(EventSink& sink) const {
  std::vector<const Item*> order;
  for (const Item& item : items_) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(),
                   [](const Item* a, const Item* b) { return a->time_ns < b->time_ns; });
  for (const Item* item : order) {
    std::vector<uint64_t> args;
    for (const Arg& arg : item->args) args.push_back(arg.Bits(sink));
    sink.OnEvent({item->time_ns, item->kind, item->rank, item->tid, args});
  }
}

TraceModel TestTrace::Build(Diagnostics* diags) const {
  Diagnostics local;
  ModelBuilder builder(diags ? *diags : local);
  Replay(builder);
  auto model = std::move(builder).Finish();
  if (!model.ok()) {
    std::fprintf(stderr, "TestTrace: %s\n", model.status().message().c_str());
    std::abort();
  }
  return std::move(*model);
}

TestTrace NestedStates() {
  constexpr uint64_t kWorkerThread = 1000;
  return TestTrace()
      .Worker("CPU0")
      .State(100, StateKind::kOverhead)
      .Event(200, EventKind::kStatePush, {StateKind::kScheduling}, kWorkerThread)
      .Event(250, EventKind::kStatePush, {StateKind::kCallback}, kWorkerThread)
      .Event(300, EventKind::kStatePop, {}, kWorkerThread)
      .Event(400, EventKind::kStatePop, {}, kWorkerThread)
      .Event(500, EventKind::kUserEvent, {uint64_t{7}});
}

}  // namespace tasklens::testing
