// SPDX-License-Identifier: Apache-2.0
// Every rule of advice against runs with its fault and runs without, drawn at random; the rates of
// both kinds of error are printed.
#include "analysis/advice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>

#include "analysis/bounds.h"
#include "tests/analysis/dice.h"
#include "tests/analysis/simulated_ranks.h"
#include "tests/analysis/simulated_run.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::Dice;
using testing::SimMachine;
using testing::SimTask;
using testing::Simulate;
using testing::TestTrace;

// Many independent tasks of similar length: nothing to say about a run of these.
std::vector<SimTask> Healthy(Dice& dice, size_t count = 200) {
  std::vector<SimTask> tasks(count);
  for (size_t i = 0; i < count; ++i) {
    tasks[i].length_ns = dice.Pick(800, 1200);
    tasks[i].line = 10;
    tasks[i].handle = 100 + i;
  }
  return tasks;
}

SimMachine Machine(Dice& dice) {
  SimMachine machine;
  machine.cpus = static_cast<uint32_t>(dice.Pick(3, 5));
  machine.submit_ns = dice.Pick(1, 20);
  machine.overhead_ns = dice.Pick(1, 20);
  return machine;
}

TraceModel TasksTooShort(Dice& dice) {
  auto tasks = Healthy(dice);
  SimMachine machine = Machine(dice);
  if (dice.fault) {
    for (SimTask& task : tasks) task.length_ns = dice.Pick(20, 40);
    machine.overhead_ns = dice.Pick(40, 100);
    machine.submit_ns = 1;
  }
  return Simulate(tasks, machine).Build();
}

TraceModel RuntimeHoldsWorkers(Dice& dice) {
  auto tasks = Healthy(dice);
  for (SimTask& task : tasks) task.callback_ns = dice.fault ? dice.Pick(200, 900) : dice.Pick(0, 5);
  return Simulate(tasks, Machine(dice)).Build();
}

TraceModel SubmissionTooSlow(Dice& dice) {
  auto tasks = Healthy(dice);
  SimMachine machine = Machine(dice);
  machine.submit_ns = dice.fault ? dice.Pick(400, 1500) : dice.Pick(1, 100);
  // Waiting is not submitting.
  if (!dice.fault && dice.Pick(0, 1)) tasks[tasks.size() / 2].barrier = true;
  return Simulate(tasks, machine).Build();
}

TraceModel WaitsForAll(Dice& dice) {
  auto tasks = Healthy(dice);
  SimMachine machine = Machine(dice);
  if (dice.fault) {
    const auto phase = static_cast<size_t>(machine.cpus) + static_cast<size_t>(dice.Pick(1, 2));
    for (size_t i = phase; i < tasks.size(); i += phase) tasks[i].barrier = true;
  } else if (dice.Pick(0, 1)) {
    tasks[100].barrier = true;  // one wait in a long run is no fault
  } else {
    machine.submit_ns = 800;  // idle, but not for waiting
  }
  return Simulate(tasks, machine).Build();
}

TraceModel ThrottledSubmission(Dice& dice) {
  auto tasks = Healthy(dice);
  SimMachine machine = Machine(dice);
  machine.limit = dice.fault ? static_cast<size_t>(dice.Pick(1, machine.cpus - 1))
                             : static_cast<size_t>(dice.Pick(4, 8)) * machine.cpus;
  return Simulate(tasks, machine).Build();
}

TraceModel SerialChain(Dice& dice) {
  auto tasks = Healthy(dice, 100);
  const bool other_chain = !dice.fault && dice.Pick(0, 1);
  for (size_t i = 1; i < tasks.size(); ++i) {
    if (!dice.fault && !other_chain) break;
    tasks[i].after = {i - 1};
    // A chain through data of its own at each step is no chain through one handle.
    if (dice.fault) tasks[i].handle = 100;
  }
  if (dice.fault)  // and other work beside it
    for (int64_t i = dice.Pick(0, 30); i > 0; --i) tasks.push_back({.line = 20});
  return Simulate(tasks, Machine(dice)).Build();
}

TraceModel TooLittleParallelism(Dice& dice) {
  auto tasks = Healthy(dice);
  for (SimTask& task : tasks) task.handle = 0;  // nobody can say that they need not wait
  if (dice.fault) {  // layers of one or two tasks, each after all of the layer before
    for (size_t i = 2; i < tasks.size(); ++i) tasks[i].after = {i - 2 - i % 2, i - 1 - i % 2};
    return Simulate(tasks, Machine(dice)).Build();
  }
  // None, wide layers, or twice as many chains as workers, some of whose tasks are held up by
  // others.
  const SimMachine machine = Machine(dice);
  const int64_t kind = dice.Pick(0, 2);
  const size_t chains = kind == 1 ? 50 : 2 * machine.cpus;
  for (size_t i = chains; kind > 0 && i < tasks.size(); ++i) {
    tasks[i].after = {i - chains};
    if (kind == 2 && dice.Pick(0, 24) == 0) tasks[i].length_ns = dice.Pick(2000, 8000);
  }
  return Simulate(tasks, machine).Build();
}

TraceModel UnevenEnd(Dice& dice) {
  auto tasks = Healthy(dice);
  if (dice.fault) tasks.back().length_ns = dice.Pick(10000, 40000);
  // The same task is harmless at the beginning.
  if (!dice.fault) tasks.front().length_ns = dice.Pick(1000, 20000);
  return Simulate(tasks, Machine(dice)).Build();
}

TraceModel TooFewTasks(Dice& dice) {
  const SimMachine machine = Machine(dice);
  const size_t count = machine.cpus + static_cast<size_t>(dice.Pick(1, machine.cpus - 2));
  return Simulate(Healthy(dice, dice.fault ? count : count * machine.cpus * 4), machine).Build();
}

// As many chains as workers, each through data of its own.
TraceModel OutlyingTask(Dice& dice) {
  auto tasks = Healthy(dice);
  const SimMachine machine = Machine(dice);
  for (size_t i = machine.cpus; i < tasks.size(); ++i) {
    tasks[i].after = {i - machine.cpus};
    tasks[i].handle = tasks[i - machine.cpus].handle;
  }
  const auto place = static_cast<size_t>(dice.Pick(0, 199));
  if (dice.fault) {
    tasks[place].length_ns = dice.Pick(20000, 60000);
  } else if (dice.Pick(0, 1)) {  // another kind of work
    tasks[place].length_ns = 30000;
    tasks[place].name = "other";
  }
  return Simulate(tasks, machine).Build();
}

TraceModel TransferWait(Dice& dice) {
  const auto tasks = Healthy(dice);
  SimMachine machine = Machine(dice);
  machine.fetch_ns = dice.fault ? dice.Pick(150, 2000) : dice.Pick(0, 20);
  return Simulate(tasks, machine).Build();
}

// A chain through one piece of data whose tasks run on a CPU and on the GPU in turns; the copies
// before each take as long as the waits, or nothing is copied.
TraceModel DataToAndFro(Dice& dice) {
  auto tasks = Healthy(dice, 60);
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (i > 0) tasks[i].after = {i - 1};
    tasks[i].handle = 100;
    tasks[i].gpu = i % 2 == 1 && dice.fault;
    tasks[i].cpu = !tasks[i].gpu;
  }
  SimMachine machine = Machine(dice);
  machine.gpus = 1;
  machine.overhead_ns = dice.fault ? dice.Pick(300, 900) : dice.Pick(1, 20);
  TestTrace trace = Simulate(tasks, machine);
  const TraceModel before = trace.Build();
  for (uint32_t task = 1; dice.fault && task < before.tasks.size(); ++task) {
    const int64_t start_ns = before.tasks.start_ns[task];
    const uint64_t to = before.workers.memory_node[before.tasks.worker[task]], from = 1 - to;
    trace.Event(start_ns - machine.overhead_ns, EventKind::kCopyStart,
                {from, to, 4096, uint64_t{task}, 0, uint64_t{100}});
    trace.Event(start_ns, EventKind::kCopyEnd, {from, to, 4096, uint64_t{task}, 0});
  }
  return trace.Build();
}

TraceModel UnpinnedCopies(Dice& dice) {
  auto tasks = Healthy(dice);
  for (SimTask& task : tasks) task.gpu = true;
  SimMachine machine = Machine(dice);
  machine.gpus = 1;
  machine.overhead_ns = dice.Pick(300, 500);  // in which the worker copies
  TestTrace trace = Simulate(tasks, machine);
  for (uint64_t copy = 1; copy <= 20; ++copy) {
    const auto at_ns = static_cast<int64_t>(copy) * 1500;
    const int64_t length_ns = dice.Pick(300, 500);
    const int64_t start_ns = dice.fault ? length_ns + dice.Pick(0, 100) : dice.Pick(1, 30);
    trace.Event(at_ns, EventKind::kCopyStart, {0, 1, 4096, copy, 0, 0});
    trace.Event(at_ns, EventKind::kCopySubmitStart, {0, 1});
    trace.Event(at_ns + start_ns, EventKind::kCopySubmitEnd, {0, 1});
    trace.Event(at_ns + length_ns + 100, EventKind::kCopyEnd, {0, 1, 4096, copy, 0});
  }
  return trace.Build();
}

// Workers that have to make room before each task.
SimMachine MachineWithoutRoom(Dice& dice) {
  SimMachine machine = Machine(dice);
  machine.overhead_ns = dice.Pick(150, 450);
  return machine;
}

// `count` operations, those of `ops` in turns.
TraceModel WithMemoryOperations(Dice& dice, std::vector<MemoryOp> ops, int64_t count) {
  TestTrace trace = Simulate(Healthy(dice), MachineWithoutRoom(dice));
  for (int64_t i = 1; i <= count; ++i) {
    const MemoryOp op = ops[static_cast<size_t>(i) % ops.size()];
    const int64_t at_ns = i * 600;
    trace.Event(at_ns, EventKind::kMemoryOpStart, {0, op, 4096, 7, 0});
    trace.Event(at_ns + dice.Pick(150, 500), EventKind::kMemoryOpEnd, {0, op, 1, 7});
  }
  return trace.Build();
}

TraceModel AllocationChurn(Dice& dice) {
  const std::vector<MemoryOp> again{MemoryOp::kAllocate, MemoryOp::kFree};
  if (dice.fault) return WithMemoryOperations(dice, again, dice.Pick(30, 60));
  // Few allocations, or one for each piece of data, or buffers used again.
  switch (dice.Pick(0, 2)) {
    case 0: return WithMemoryOperations(dice, again, dice.Pick(0, 5));
    case 1: return WithMemoryOperations(dice, {MemoryOp::kAllocate}, dice.Pick(30, 60));
    default: return WithMemoryOperations(dice, {MemoryOp::kAllocateReuse}, dice.Pick(30, 60));
  }
}

TraceModel MemoryFull(Dice& dice) {
  if (dice.fault) return WithMemoryOperations(dice, {MemoryOp::kReclaim}, dice.Pick(30, 60));
  return WithMemoryOperations(dice, {MemoryOp::kAllocateReuse}, dice.Pick(0, 60));
}

TraceModel NoPerfmodel(Dice& dice) {
  auto tasks = Healthy(dice);
  SimMachine machine = Machine(dice);
  const bool unsuited = !dice.fault && dice.Pick(0, 1);
  machine.scheduler = unsuited ? "lws" : dice.Pick(0, 1) ? "dmda" : "dmdas";
  for (size_t i = 0; i < tasks.size(); i += 2) {
    tasks[i + 1].estimate = 1;
    tasks[i].name = "other";
    // Runtimes write the codelet's name where there is no model.
    if (dice.fault || unsuited) tasks[i].model = dice.Pick(0, 1) ? "" : "other";
  }
  return Simulate(tasks, machine).Build();
}

TraceModel WrongPerfmodel(Dice& dice) {
  auto tasks = Healthy(dice);
  const bool too_short = dice.Pick(0, 1);
  for (SimTask& task : tasks) {
    const double times = static_cast<double>(dice.fault ? dice.Pick(250, 400) : dice.Pick(80, 120));
    task.estimate = dice.fault && too_short ? 100 / times : times / 100;
  }
  return Simulate(tasks, Machine(dice)).Build();
}

// Two codelets of three tasks in four, of which the longer one cannot run on the GPU.
TraceModel MissingFunction(Dice& dice) {
  auto tasks = Healthy(dice);
  for (size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].gpu = i % 4 == 0 || !dice.fault;
    if (i % 4 != 0) continue;
    tasks[i].name = "other";
    tasks[i].length_ns /= 10;
  }
  SimMachine machine = Machine(dice);
  machine.gpus = 1;
  return Simulate(tasks, machine).Build();
}

TraceModel UnusedWorkers(Dice& dice) {
  auto tasks = Healthy(dice);
  SimMachine machine = Machine(dice);
  if (dice.fault) {
    machine.unused = static_cast<uint32_t>(dice.Pick(1, 2));
  } else if (dice.Pick(0, 1)) {
    for (size_t i = 1; i < tasks.size(); ++i) tasks[i].after = {i - 1};  // no work for them
  }
  return Simulate(tasks, machine).Build();
}

// Tasks that are ready at once, on workers of two kinds, each of which has a queue. A good
// scheduler puts each where it ends first, so that in the end CPUs are free while GPUs still have
// queues; with the fault it keeps them all for GPUs that are hardly faster.
TraceModel QueuesOfUnlikeWorkers(Dice& dice) {
  const auto cpus = static_cast<uint32_t>(dice.Pick(2, 4)), gpus = dice.fault ? 1u : 2u;
  const int64_t times = dice.fault ? dice.Pick(1, 2) : dice.Pick(8, 30);
  TestTrace trace;
  for (uint32_t i = 0; i < cpus; ++i) trace.Worker("CPU" + std::to_string(i));
  for (uint32_t i = 0; i < gpus; ++i) trace.Worker("CUDA " + std::to_string(i));
  std::vector<int64_t> free_ns(cpus + gpus, 200);
  for (uint32_t i = 0; i < 200; ++i) {
    const int64_t length_ns = dice.Pick(8000, 12000);
    const auto end_on = [&](uint32_t worker) {
      return free_ns[worker] + length_ns * (worker < cpus ? times : 1);
    };
    uint32_t best = dice.fault && i >= cpus ? cpus : 0;
    for (uint32_t worker = best; worker < free_ns.size(); ++worker)
      if (end_on(worker) < end_on(best)) best = worker;
    if (i < cpus) best = i;
    trace.Task("a", free_ns[best], end_on(best), {.worker = best, .submit_ns = i});
    free_ns[best] = end_on(best);
  }
  return trace.Build();
}

// As many chains as workers, of tasks so long that to be handed out is not what they cost.
TraceModel SchedulerKeepsTasks(Dice& dice) {
  if (dice.Pick(0, 1)) return QueuesOfUnlikeWorkers(dice);
  auto tasks = Healthy(dice);
  for (SimTask& task : tasks) task.length_ns *= 10;
  SimMachine machine = Machine(dice);
  for (size_t i = machine.cpus; i < tasks.size(); ++i) tasks[i].after = {i - machine.cpus};
  machine.keep_ns = dice.fault ? dice.Pick(1500, 20000) : dice.Pick(0, 100);
  return Simulate(tasks, machine).Build();
}

TraceModel SharedProcessors(Dice& dice) {
  SimMachine machine = Machine(dice);
  machine.cpus = static_cast<uint32_t>(dice.Pick(2, 8));
  const int64_t most = machine.cpus, some = most / 2;
  machine.processors =
      static_cast<uint32_t>(dice.fault ? dice.Pick(1, some) : dice.Pick(most, 2 * most));
  return Simulate(Healthy(dice), machine).Build();
}

// A chain of 40 tasks that the run hangs on, and other work before it.
std::vector<SimTask> ChainAndFillers(Dice& dice, int32_t priority_of_chain) {
  auto tasks = Healthy(dice, 160);
  for (size_t i = 0; i < 40; ++i) {
    tasks.push_back({.name = "chain",
                     .line = 30,
                     .length_ns = 700,
                     .priority = priority_of_chain,
                     .handle = 5000 + i});
    if (i > 0) tasks.back().after = {tasks.size() - 2};
  }
  return tasks;
}

TraceModel PrioritiesHurt(Dice& dice) {
  SimMachine machine = Machine(dice);
  machine.cpus = static_cast<uint32_t>(dice.Pick(2, 4));
  const bool none = !dice.fault && dice.Pick(0, 1);
  return Simulate(ChainAndFillers(dice, dice.fault ? -1 : none ? 0 : 5), machine).Build();
}

TraceModel PrioritiesIgnored(Dice& dice) {
  SimMachine machine = Machine(dice);
  machine.cpus = static_cast<uint32_t>(dice.Pick(2, 4));
  machine.by_priority = !dice.fault;
  const bool none = !dice.fault && dice.Pick(0, 1);
  return Simulate(ChainAndFillers(dice, none ? 0 : 5), machine).Build();
}

// A chain whose tasks become ready after all others; or it has priority, or chains are alike.
TraceModel OrderOfTasks(Dice& dice) {
  SimMachine machine = Machine(dice);
  if (dice.fault || dice.Pick(0, 1))
    return Simulate(ChainAndFillers(dice, dice.fault ? 0 : 5), machine).Build();
  auto tasks = Healthy(dice);
  const size_t chains = static_cast<size_t>(dice.Pick(1, 3)) * machine.cpus;
  for (size_t i = chains; i < tasks.size(); ++i) tasks[i].after = {i - chains};
  return Simulate(tasks, machine).Build();
}

// Pairs of a task that makes a temporary value and one that uses it.
TraceModel ReusedData(Dice& dice) {
  std::vector<SimTask> tasks;
  const bool other_chain = !dice.fault && dice.Pick(0, 1);
  for (size_t i = 0; i < 60; ++i) {
    const uint64_t temporary = dice.fault || other_chain ? 7 : 1000 + i;
    // A value that goes from one to the next is another matter.
    const uint32_t made = other_chain ? kAccessRead | kAccessWrite : kAccessWrite;
    tasks.push_back({.line = 10, .length_ns = dice.Pick(800, 1200), .uses = {{temporary, made}}});
    if (i > 0 && (dice.fault || other_chain)) tasks.back().after = {tasks.size() - 2};
    tasks.push_back({.line = 20,
                     .length_ns = dice.Pick(800, 1200),
                     .after = {tasks.size() - 1},
                     .handle = 2000 + i,
                     .uses = {{temporary, kAccessRead}}});
  }
  return Simulate(tasks, Machine(dice)).Build();
}

// Tasks on data of their own, each after the one before. Where data is in common, or unknown, the
// order may be needed.
TraceModel DeclaredOrder(Dice& dice) {
  auto tasks = Healthy(dice);
  const int64_t kind = dice.Pick(0, 2);
  for (size_t i = 1; i < tasks.size(); ++i) {
    if (!dice.fault && kind == 0) break;
    tasks[i].after = {i - 1};
    if (!dice.fault) tasks[i].handle = kind == 1 ? 0 : 100;
  }
  return Simulate(tasks, Machine(dice)).Build();
}

// Sweeps of eight tasks, each after all of the sweep before.
TraceModel UnlikeTasks(Dice& dice) {
  std::vector<SimTask> tasks;
  SimMachine machine = Machine(dice);
  int64_t heavy = 0;
  for (size_t i = 0; i < 160; ++i) {
    const int64_t noise = dice.Pick(-50, 50);
    if (i % 8 == 0) heavy = dice.Pick(0, 7);
    tasks.push_back({.line = 10, .length_ns = 3250 + noise});
    if (dice.fault)
      tasks.back().length_ns = static_cast<int64_t>(i) % 8 == heavy ? 12000 : 2000 + noise;
    for (size_t before = i / 8 * 8; i >= 8 && before < i / 8 * 8 + 8; ++before)
      tasks.back().after.push_back(before - 8);
  }
  return Simulate(tasks, machine).Build();
}

TraceModel GrowingTasks(Dice& dice) {
  auto tasks = Healthy(dice);
  for (size_t i = 0; i < tasks.size(); ++i) {
    // Up and down again is no growth; neither is what varies by chance.
    if (dice.fault)
      tasks[i].length_ns += static_cast<int64_t>(i) * dice.Pick(15, 30);
    else if (dice.Pick(0, 1))
      tasks[i].length_ns = dice.Pick(500, 5000);
  }
  return Simulate(tasks, Machine(dice)).Build();
}

TraceModel SlowFirstTasks(Dice& dice) {
  auto tasks = Healthy(dice);
  SimMachine machine = Machine(dice);
  for (size_t i = 0; i < machine.cpus; ++i) {
    if (dice.fault) tasks[i].length_ns = dice.Pick(20000, 30000);
    // Slow tasks that are not the first ones are another matter.
    if (!dice.fault) tasks[50 + 10 * i].length_ns = dice.Pick(5000, 9000);
  }
  return Simulate(tasks, machine).Build();
}

TraceModel SlowWorker(Dice& dice) {
  SimMachine machine = Machine(dice);
  machine.slow_times = dice.fault ? static_cast<double>(dice.Pick(4, 8)) : 1.2;
  return Simulate(Healthy(dice, 100), machine).Build();
}

// Tasks for both kinds of workers, one or more of each.
std::vector<SimTask> ForBoth(Dice& dice, SimMachine& machine) {
  machine.gpus = static_cast<uint32_t>(dice.Pick(1, 2));
  auto tasks = Healthy(dice);
  for (SimTask& task : tasks) task.gpu = true;
  return tasks;
}

TraceModel SlowFunction(Dice& dice) {
  SimMachine machine = Machine(dice);
  const auto tasks = ForBoth(dice, machine);
  machine.gpu_times = dice.fault ? static_cast<double>(dice.Pick(3, 6)) : 0.2;
  return Simulate(tasks, machine).Build();
}

// A chain whose tasks take any worker that is free.
TraceModel UnlikeWorkers(Dice& dice) {
  SimMachine machine = Machine(dice);
  auto tasks = ForBoth(dice, machine);
  for (size_t i = 1; i < tasks.size(); ++i) {
    tasks[i].handle = 0;
    if (i % 4 == 0) tasks[i].after = {i - 4};
  }
  machine.gpu_times = 0.1;
  if (!dice.fault && dice.Pick(0, 1))
    machine.scheduler = "dmda";
  else if (!dice.fault)
    machine.gpu_times = 1;
  return Simulate(tasks, machine).Build();
}

const std::map<std::string_view, std::function<TraceModel(Dice&)>> kScenarios = {
    {"tasks_too_short", TasksTooShort},
    {"runtime_holds_workers", RuntimeHoldsWorkers},
    {"submission_too_slow", SubmissionTooSlow},
    {"waits_for_all", WaitsForAll},
    {"throttled_submission", ThrottledSubmission},
    {"serial_chain", SerialChain},
    {"too_little_parallelism", TooLittleParallelism},
    {"order_of_tasks", OrderOfTasks},
    {"uneven_end", UnevenEnd},
    {"too_few_tasks", TooFewTasks},
    {"outlying_task", OutlyingTask},
    {"reused_data", ReusedData},
    {"declared_order", DeclaredOrder},
    {"unlike_tasks", UnlikeTasks},
    {"growing_tasks", GrowingTasks},
    {"slow_first_tasks", SlowFirstTasks},
    {"transfer_wait", TransferWait},
    {"data_to_and_fro", DataToAndFro},
    {"unpinned_copies", UnpinnedCopies},
    {"allocation_churn", AllocationChurn},
    {"memory_full", MemoryFull},
    {"no_perfmodel", NoPerfmodel},
    {"wrong_perfmodel", WrongPerfmodel},
    {"missing_function", MissingFunction},
    {"unused_workers", UnusedWorkers},
    {"scheduler_keeps_tasks", SchedulerKeepsTasks},
    {"slow_worker", SlowWorker},
    {"slow_function", SlowFunction},
    {"unlike_workers", UnlikeWorkers},
    {"shared_processors", SharedProcessors},
    {"priorities_hurt", PrioritiesHurt},
    {"priorities_ignored", PrioritiesIgnored},
    {"late_sender", testing::LateSender},
    {"late_receiver", testing::LateReceiver},
    {"small_messages", testing::SmallMessages},
    {"data_between_ranks", testing::DataBetweenRanks},
    {"message_wait", testing::MessageWait},
    {"rank_imbalance", testing::RankImbalance},
    {"tag_used_twice", testing::TagUsedTwice},
};

const Finding* Find(const std::vector<Finding>& findings, std::string_view rule) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) { return finding.rule == rule; });
  return found == findings.end() ? nullptr : &*found;
}

bool Has(const std::vector<Finding>& findings, std::string_view rule) {
  return Find(findings, rule) != nullptr;
}

class AdviceRuleTest : public ::testing::TestWithParam<AdviceRule> {};

TEST_P(AdviceRuleTest, FindsItsFaultAndInventsNone) {
  constexpr uint32_t kVariants = 60;
  const auto scenario = kScenarios.find(GetParam().id);
  ASSERT_NE(scenario, kScenarios.end()) << "no runs for this rule";
  uint32_t missed = 0, invented = 0;
  for (uint32_t seed = 0; seed < kVariants; ++seed) {
    Dice faulty(seed, true), clean(seed, false);
    missed += !Has(Advise(scenario->second(faulty)), GetParam().id);
    invented += Has(Advise(scenario->second(clean)), GetParam().id);
  }
  std::printf("%-24s missed %2u of %u, invented %2u of %u\n", std::string(GetParam().id).c_str(),
              missed, kVariants, invented, kVariants);
  EXPECT_LE(missed, kVariants / 20);
  EXPECT_LE(invented, kVariants / 20);
}

INSTANTIATE_TEST_SUITE_P(All, AdviceRuleTest,
                         ::testing::ValuesIn(AdviceRules().begin(), AdviceRules().end()),
                         [](const auto& info) { return std::string(info.param.id); });

TEST(Advice, HasNothingToSayAboutAHealthyRun) {
  uint32_t runs_with_findings = 0;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed, false);
    const auto tasks = Healthy(dice);
    const std::vector<Finding> findings = Advise(Simulate(tasks, Machine(dice)).Build());
    runs_with_findings += !findings.empty();
  }
  std::printf("healthy runs with any finding: %u of 100\n", runs_with_findings);
  EXPECT_EQ(runs_with_findings, 0u);
}

TEST(Advice, HasNothingToSayAboutAnEmptyTrace) {
  EXPECT_TRUE(Advise(TestTrace().Build()).empty());
  EXPECT_TRUE(Advise(TestTrace().Worker("CPU0").Build()).empty());
}

TEST(Advice, NamesTheLineTheCostAndWhatToTryMostExpensiveFirst) {
  Dice dice(1, true);
  const TraceModel model = SerialChain(dice);
  const std::vector<Finding> findings = Advise(model);
  ASSERT_TRUE(Has(findings, "serial_chain"));
  const auto chain = std::find_if(findings.begin(), findings.end(),
                                  [](const Finding& f) { return f.rule == "serial_chain"; });
  EXPECT_EQ(model.sites.line[chain->site], 10u);
  EXPECT_NE(chain->message.find("STARPU_COMMUTE"), std::string::npos);
  EXPECT_FALSE(chain->evidence.empty());
  EXPECT_TRUE(std::is_sorted(findings.begin(), findings.end(),
                             [](const auto& a, const auto& b) { return a.cost_ns > b.cost_ns; }));
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.message.find('\n'), std::string::npos);
    EXPECT_NE(finding.message.back(), '.');
  }
}

// `count` tasks on one of two workers, each submitted as soon as the one before has ended.
bool SaysThatTheProgramWaits(int count) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  for (int i = 0; i < count; ++i) {
    const int64_t begin_ns = i * 1000;
    trace.Task("a", begin_ns + 10, begin_ns + 980, {.submit_ns = begin_ns});
  }
  const std::vector<Finding> findings = Advise(trace.Build());
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.rule == "waits_for_all"; });
}

TEST(Advice, AProgramThatGoesOnWhenItsTasksEndWaitsForThemWhereItDoesSoAgainAndAgain) {
  EXPECT_FALSE(SaysThatTheProgramWaits(2)) << "workers may have taken its processor, once";
  EXPECT_TRUE(SaysThatTheProgramWaits(20));
}

// Workers of two ranks, bound to processor 0 of their machine both.
bool SaysThatRanksShareAProcessor(const std::string& host, const std::string& other_host) {
  TestTrace trace;
  trace.Rank(0).Worker("CPU0").Event(0, EventKind::kProgramInfo, {"host", host});
  trace.Rank(1).Worker("CPU0").Event(0, EventKind::kProgramInfo, {"host", other_host});
  trace.Rank(0).Task("a", 0, 100).Rank(1).Task("b", 50, 150);
  const std::vector<Finding> findings = Advise(trace.Build());
  const Finding* shared = Find(findings, "shared_processors");
  return shared && shared->message.find("bind each rank") != std::string::npos;
}

TEST(Advice, RanksShareAProcessorWhereTheyAreKnownToRunOnOneMachine) {
  EXPECT_TRUE(SaysThatRanksShareAProcessor("node0", "node0"));
  EXPECT_FALSE(SaysThatRanksShareAProcessor("node0", "node1"));
}

TEST(Advice, PrioritiesCostNothingWhereWorkersAreNeverIdle) {
  std::vector<SimTask> tasks(40, {.name = "first", .line = 10, .priority = 1});
  // A chain that is so short that it may as well come last.
  for (size_t i = 0; i < 4; ++i) {
    tasks.push_back({.name = "chain", .line = 30, .length_ns = 100});
    if (i > 0) tasks.back().after = {tasks.size() - 2};
  }
  EXPECT_FALSE(Has(Advise(Simulate(tasks, {}).Build()), "priorities_hurt"));
}

TEST(Advice, OtherPrioritiesGainNoMoreThanTheBoundLeaves) {
  Dice dice(1, true);
  const TraceModel model = PrioritiesHurt(dice);
  const Bounds bounds = ComputeBounds(model);
  const std::vector<Finding> findings = Advise(model);
  const Finding* hurt = Find(findings, "priorities_hurt");
  ASSERT_NE(hurt, nullptr);
  EXPECT_LE(static_cast<double>(hurt->cost_ns),
            static_cast<double>(bounds.span_ns) - bounds.best_ns() + 1);
}

TEST(Advice, WhatNoScheduleGainsIsNotSaid) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Task("long", 0, 10000, {.submit_ns = 0, .file = "p.c", .line = 10});
  for (int64_t i = 0; i < 10; ++i) {
    trace.Task("short", 1000 * i, 1000 * i + 100,
               {.worker = 1, .submit_ns = 1000 * i, .file = "p.c", .line = 20});
  }
  EXPECT_FALSE(Has(Advise(trace.Build()), "submission_too_slow"))
      << "the long task takes as long, whenever the short ones are submitted";
}

// Bursts of tasks on two workers, the first two of each from line 10, then many from line 20; the
// program is away for `gap_ns` between two bursts.
TraceModel Bursts(int64_t gap_ns) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  constexpr int64_t kTask = 100;
  for (int64_t burst = 0, now_ns = 0; burst < 5; ++burst, now_ns += 20 * kTask + gap_ns) {
    for (uint32_t i = 0; i < 40; ++i) {
      const int64_t start_ns = now_ns + int64_t{i / 2} * kTask;
      trace.Task("a", start_ns, start_ns + kTask,
                 {.worker = i % 2, .submit_ns = now_ns, .file = "p.c", .line = i < 2 ? 10u : 20u});
    }
  }
  return trace.Build();
}

TEST(Advice, WhereWorkersStarvedIsWhereSubmissionIsTooSlow) {
  const TraceModel model = Bursts(3000);
  const std::vector<Finding> findings = Advise(model);
  const Finding* slow = Find(findings, "submission_too_slow");
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(model.sites.line[slow->site], 10u);
  EXPECT_NE(slow->message.find("another thread"), std::string::npos) << slow->message;
  EXPECT_EQ(slow->message.find("larger"), std::string::npos) << slow->message;
}

TEST(Advice, WhoIsSlowBeforeEveryTaskIsToldToMakeThemLarger) {
  Dice dice(1, true);
  const std::vector<Finding> findings = Advise(SubmissionTooSlow(dice));
  const Finding* slow = Find(findings, "submission_too_slow");
  ASSERT_NE(slow, nullptr);
  EXPECT_NE(slow->message.find("make tasks larger"), std::string::npos) << slow->message;
}

TEST(Advice, OfTinyTasksTheWaitForTheSchedulerIsPartOfThePrice) {
  std::vector<SimTask> tasks(400, {.line = 10, .length_ns = 400});
  SimMachine machine;
  for (size_t i = machine.cpus; i < tasks.size(); ++i) tasks[i].after = {i - machine.cpus};
  machine.keep_ns = 900;
  const std::vector<Finding> findings = Advise(Simulate(tasks, machine).Build());
  EXPECT_TRUE(Has(findings, "tasks_too_short"));
  EXPECT_FALSE(Has(findings, "scheduler_keeps_tasks"));
}

TEST(Advice, AChainThatIsMostlyOneTaskIsNoSerialChain) {
  std::vector<SimTask> tasks(100, {.line = 10});
  for (size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].handle = 100 + i % 8;
    if (i >= 8) tasks[i].after = {i - 8};
  }
  tasks[50].length_ns = 50000;
  const std::vector<Finding> findings = Advise(Simulate(tasks, {}).Build());
  EXPECT_FALSE(Has(findings, "serial_chain"));
  const Finding* outlier = Find(findings, "outlying_task");
  ASSERT_NE(outlier, nullptr);
  EXPECT_EQ(std::get<int64_t>(outlier->evidence[0].value), 51);
}

// As where something else had the processor for a while.
TEST(Advice, ASerialChainIsOneAlsoWhereATaskOfItWasHeldUp) {
  std::vector<SimTask> tasks(40, {.line = 10, .handle = 100});
  for (size_t i = 1; i < tasks.size(); ++i) tasks[i].after = {i - 1};
  tasks[20].length_ns = 60 * tasks[0].length_ns;
  const std::vector<Finding> findings = Advise(Simulate(tasks, {}).Build());
  EXPECT_TRUE(Has(findings, "serial_chain"));
  EXPECT_TRUE(Has(findings, "outlying_task"));
}

TEST(Advice, AnOutlyingTaskHidesNoGreaterWantOfParallelism) {
  std::vector<SimTask> tasks(200, {.line = 10});
  for (size_t i = 2; i < tasks.size(); ++i) tasks[i].after = {i - 2 - i % 2, i - 1 - i % 2};
  tasks[50].length_ns = 12000;
  const std::vector<Finding> findings = Advise(Simulate(tasks, {}).Build());
  EXPECT_TRUE(Has(findings, "too_little_parallelism"));
  EXPECT_TRUE(Has(findings, "outlying_task"));
}

// As in StarPU's traces, where a model may also have the name of its codelet.
TEST(Advice, AModelOfItsCodeletsNameIsOneWhereNoEstimatesAreRecorded) {
  std::vector<SimTask> tasks(60, {.name = "gemm", .model = "gemm"});
  SimMachine machine;
  machine.scheduler = "dmda";
  TestTrace trace = Simulate(tasks, machine);
  EXPECT_FALSE(Has(Advise(trace.Build()), "no_perfmodel"));
  trace.Event(0, EventKind::kProgramInfo, {"runtime", "TaskLens"});
  EXPECT_TRUE(Has(Advise(trace.Build()), "no_perfmodel"));
}

TEST(Advice, UnusedWorkersAreToldWithTheLineWhoseTasksWaited) {
  std::vector<SimTask> tasks(60, {.line = 10});
  SimMachine machine;
  machine.unused = 3;
  const TraceModel model = Simulate(tasks, machine).Build();
  const std::vector<Finding> findings = Advise(model);
  const Finding* unused = Find(findings, "unused_workers");
  ASSERT_NE(unused, nullptr);
  ASSERT_NE(unused->site, kNone);
  EXPECT_EQ(model.sites.line[unused->site], 10u);
  EXPECT_NE(unused->message.find("STARPU_EXECUTE_ON_WORKER"), std::string::npos);
}

// The node that is full looks for room, and the disk is said to be written back to.
TEST(Advice, WhatAFullNodeWritesToADiskIsCounted) {
  Dice dice(1, false);
  TestTrace trace = Simulate(Healthy(dice), MachineWithoutRoom(dice));
  trace.MemoryNode("Disk 1");
  for (int64_t i = 1; i <= 30; ++i) {
    trace.Event(i * 600, EventKind::kMemoryOpStart, {0, MemoryOp::kReclaim, 4096, 7, 0});
    trace.Event(i * 600 + 10, EventKind::kMemoryOpStart, {1, MemoryOp::kWriteBack, 4096, 7, 0});
    trace.Event(i * 600 + 200, EventKind::kMemoryOpEnd, {1, MemoryOp::kWriteBack, 1, 7});
    trace.Event(i * 600 + 400, EventKind::kMemoryOpEnd, {0, MemoryOp::kReclaim, 1, 7});
  }
  const std::vector<Finding> findings = Advise(trace.Build());
  const Finding* full = Find(findings, "memory_full");
  ASSERT_NE(full, nullptr);
  EXPECT_NE(full->message.find("wrote back 30 pieces"), std::string::npos) << full->message;
}

TEST(Advice, BuffersOfOneSizeAreNotToldToRoundTheirSizes) {
  Dice dice(1, true);
  const TraceModel model = AllocationChurn(dice);
  const std::vector<Finding> findings = Advise(model);
  const Finding* churn = Find(findings, "allocation_churn");
  ASSERT_NE(churn, nullptr);
  EXPECT_EQ(churn->message.find("allocsize"), std::string::npos) << churn->message;
  ASSERT_NE(churn->site, kNone);
  EXPECT_EQ(model.sites.line[churn->site], 10u);
}

}  // namespace
}  // namespace tasklens
