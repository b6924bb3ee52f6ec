// SPDX-License-Identifier: Apache-2.0
// What the longest chain owes to reused data, to declared order and to tasks that are unlike,
// against chains of random runs that are followed step by step.
#include "analysis/chain_causes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

constexpr uint32_t kR = kAccessRead, kW = kAccessWrite, kRW = kAccessRead | kAccessWrite;

struct Use {
  uint64_t handle;
  uint32_t mode;
};
struct Drawn {
  int64_t length_ns;
  uint32_t line;
  std::vector<Use> uses;
  std::vector<size_t> after;  // indices of earlier tasks
};

TraceModel Played(const std::vector<Drawn>& tasks) {
  TestTrace trace;
  trace.Worker("CPU0");
  int64_t now_ns = 0;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const uint64_t job = i + 1;
    for (const size_t before : tasks[i].after) trace.Dep(before + 1, job);
    trace.Task("task", now_ns, now_ns + tasks[i].length_ns,
               {.job = job, .file = "program.c", .line = tasks[i].line, .function = "main"});
    for (const Use& use : tasks[i].uses)
      trace.Event(now_ns, EventKind::kTaskAccess, {job, use.handle, uint64_t{8}, use.mode});
    now_ns += tasks[i].length_ns;
  }
  return trace.Build();
}

int64_t LongestNs(const std::vector<Drawn>& tasks,
                  const std::function<bool(const Drawn&, const Drawn&)>& keep,
                  const std::function<int64_t(const Drawn&)>& length_ns) {
  std::vector<int64_t> until_ns;
  int64_t longest_ns = 0;
  for (const Drawn& task : tasks) {
    int64_t before_ns = 0;
    for (const size_t before : task.after)
      if (keep(tasks[before], task)) before_ns = std::max(before_ns, until_ns[before]);
    until_ns.push_back(before_ns + length_ns(task));
    longest_ns = std::max(longest_ns, until_ns.back());
  }
  return longest_ns;
}

// Whether the first of two tasks is waited for only because the second overwrites what it uses.
bool IsReuse(const Drawn& before, const Drawn& after) {
  bool some = false;
  for (const Use& a : before.uses)
    for (const Use& b : after.uses) {
      if (a.handle != b.handle || (a.mode == kR && b.mode == kR)) continue;
      if (b.mode != kW) return false;
      some = true;
    }
  return some;
}
// Whether they use nothing in common that one of them writes, and both use something.
bool IsDeclared(const Drawn& before, const Drawn& after) {
  for (const Use& a : before.uses)
    for (const Use& b : after.uses)
      if (a.handle == b.handle && !(a.mode == kR && b.mode == kR)) return false;
  return !before.uses.empty() && !after.uses.empty();
}

ChainCauses CausesOf(const TraceModel& model) {
  const ExecutionOrder order(model);
  const Waits waits(model, order);
  return FindChainCauses(model, waits, LongestDependencyChain(model, waits));
}

class RandomChainTest : public ::testing::TestWithParam<uint32_t> {};

TEST_P(RandomChainTest, SavesWhatTheLongestChainWithoutItIsShorter) {
  std::mt19937 random(GetParam());
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  std::vector<Drawn> tasks(static_cast<size_t>(pick(2, 60)));
  for (size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].length_ns = pick(1, 1000);
    tasks[i].line = static_cast<uint32_t>(pick(1, 3));
    for (int64_t uses = pick(0, 3); uses > 0; --uses) {
      const auto handle = static_cast<uint64_t>(pick(1, 6));
      const auto same = [&](const Use& use) { return use.handle == handle; };
      if (std::ranges::any_of(tasks[i].uses, same)) continue;
      constexpr uint32_t kModes[] = {kR, kW, kRW};
      tasks[i].uses.push_back({handle, kModes[pick(0, 2)]});
    }
    for (size_t before = i < 5 ? 0 : i - 5; before < i; ++before)
      if (pick(0, 2) == 0) tasks[i].after.push_back(before);
  }
  const auto own_ns = [](const Drawn& task) { return task.length_ns; };
  const auto any = [](const Drawn&, const Drawn&) { return true; };
  const int64_t chain_ns = LongestNs(tasks, any, own_ns);
  const auto without_ns = [&](auto is) {
    return LongestNs(
        tasks, [&](const Drawn& a, const Drawn& b) { return !is(a, b); }, own_ns);
  };
  int64_t sum_ns[4] = {}, count[4] = {};
  for (const Drawn& task : tasks) {
    sum_ns[task.line] += task.length_ns;
    ++count[task.line];
  }
  const auto mean_ns = [&](const Drawn& task) { return sum_ns[task.line] / count[task.line]; };

  const ChainCauses causes = CausesOf(Played(tasks));
  // What the chain that is meant has none of is not looked for: it saves nothing of that one.
  if (causes.reuse.links > 0)
    EXPECT_EQ(causes.reuse.saved_ns, chain_ns - without_ns(IsReuse));
  else
    EXPECT_EQ(causes.reuse.saved_ns, 0);
  if (causes.order.links > 0)
    EXPECT_EQ(causes.order.saved_ns, chain_ns - without_ns(IsDeclared));
  else
    EXPECT_EQ(causes.order.saved_ns, 0);
  if (causes.unlike.tasks > 0)
    EXPECT_EQ(causes.unlike.saved_ns,
              std::max<int64_t>(0, chain_ns - LongestNs(tasks, any, mean_ns)));
  else
    EXPECT_EQ(causes.unlike.saved_ns, 0);
}

INSTANTIATE_TEST_SUITE_P(Runs, RandomChainTest, ::testing::Range(0u, 500u));

TEST(ChainCauses, PartsOfAPieceOfDataHaveSomethingInCommonWithTheWhole) {
  TestTrace trace;
  trace.Worker("CPU0");
  const auto data = [&](uint64_t handle, uint64_t parent) {
    trace.Event(0, EventKind::kDataNew, {handle, uint64_t{64}, -1, -1, parent, "V"});
  };
  data(1, 0), data(2, 1), data(3, 2), data(4, 1);
  uint64_t job = 0;
  const auto task = [&](uint64_t handle, uint32_t mode) {
    const auto start_ns = static_cast<int64_t>(job) * 100;
    if (job > 0) trace.Dep(job, job + 1);
    ++job;
    trace.Task("task", start_ns, start_ns + 100,
               {.job = job, .file = "p.c", .line = 1, .function = "main"});
    trace.Event(start_ns, EventKind::kTaskAccess, {job, handle, uint64_t{8}, mode});
  };
  task(1, kW), task(3, kRW), task(2, kRW), task(1, kR);
  EXPECT_EQ(CausesOf(trace.Build()).order.links, 0u);
  task(4, kW), task(3, kW);  // two parts that do not overlap
  EXPECT_EQ(CausesOf(trace.Build()).order.links, 1u);
}

}  // namespace
}  // namespace tasklens
