// SPDX-License-Identifier: Apache-2.0
// Linear programs of small random work, beside the best of all its schedules.
#include "runtime/bound/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <random>

#include "runtime/bound/solver.h"

namespace tasklens::runtime {
namespace {

double Solved(const BoundWork& work, BoundDetail detail) {
  const bool whole = detail == BoundDetail::kWhole;
  const auto solution = SolveBound(ProgramOf(work, detail), whole);
  EXPECT_TRUE(solution.ok()) << solution.status().message();
  if (!solution.ok()) return -1;
  EXPECT_FALSE(solution->gave_up);
  return solution->value;
}

// Two or three workers in one or two memories; kinds that take longer on some, or cannot run there.
BoundWork RandomWork(std::mt19937& random, size_t tasks, size_t kinds) {
  BoundWork work;
  const size_t workers = 2 + random() % 2;
  for (size_t w = 0; w < workers; ++w)
    work.workers.push_back({"worker", static_cast<unsigned>(random() % 2)});
  for (size_t k = 0; k < kinds; ++k) {
    BoundKind& kind = work.kinds.emplace_back();
    kind.name = "kind";
    for (size_t w = 0; w < workers; ++w)
      kind.length_ms.push_back(random() % 4 == 0 ? kNever : 1 + static_cast<double>(random() % 9));
    kind.length_ms[random() % workers] = 3;
  }
  for (size_t i = 0; i < tasks; ++i) {
    const size_t kind = random() % kinds;
    ++work.kinds[kind].count;
    BoundTask& task = work.tasks.emplace_back(BoundTask{i + 1, kind, 0, {}});
    for (size_t before = 0; before < i; ++before)
      if (random() % 3 == 0) task.after.push_back({before, random() % 3 * 1000});
    task.priority = static_cast<int>(random() % 3);
  }
  work.transfer_ms = [](unsigned, unsigned, uint64_t bytes) {
    return static_cast<double>(bytes) / 1000;
  };
  return work;
}

// Calls `visit` with each way to give tasks to workers.
template <class Visit>
void EachPlacement(const BoundWork& work, Visit visit) {
  std::vector<size_t> worker(work.tasks.size());
  const auto next = [&](auto& self, size_t task) -> void {
    if (task == worker.size()) return visit(worker);
    for (worker[task] = 0; worker[task] < work.workers.size(); ++worker[task])
      if (work.kinds[work.tasks[task].kind].length_ms[worker[task]] != kNever) self(self, task + 1);
  };
  next(next, 0);
}

double ShortestLoad(const BoundWork& work) {
  double best_ms = kNever;
  EachPlacement(work, [&](const std::vector<size_t>& worker) {
    std::vector<double> load_ms(work.workers.size());
    for (size_t i = 0; i < worker.size(); ++i)
      load_ms[worker[i]] += work.kinds[work.tasks[i].kind].length_ms[worker[i]];
    best_ms = std::min(best_ms, *std::max_element(load_ms.begin(), load_ms.end()));
  });
  return best_ms;
}

// All orders, each task as soon as it can be.
double ShortestSchedule(const BoundWork& work) {
  const size_t count = work.tasks.size();
  double best_ms = kNever;
  EachPlacement(work, [&](const std::vector<size_t>& worker) {
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    do {
      std::vector<double> free_ms(work.workers.size()), end_ms(count, -1);
      double all_ms = 0;
      bool is_possible = true;
      for (const size_t i : order) {
        double start_ms = free_ms[worker[i]];
        for (const auto& after : work.tasks[i].after) {
          is_possible = is_possible && end_ms[after.task] >= 0;
          const unsigned from = work.workers[worker[after.task]].node;
          const unsigned to = work.workers[worker[i]].node;
          const double transfer_ms = from == to ? 0 : work.transfer_ms(from, to, after.bytes);
          start_ms = std::max(start_ms, end_ms[after.task] + transfer_ms);
        }
        end_ms[i] = start_ms + work.kinds[work.tasks[i].kind].length_ms[worker[i]];
        free_ms[worker[i]] = end_ms[i];
        all_ms = std::max(all_ms, end_ms[i]);
      }
      if (is_possible) best_ms = std::min(best_ms, all_ms);
    } while (std::next_permutation(order.begin(), order.end()));
  });
  return best_ms;
}

TEST(BoundProgram, OfWholeTasksIsTheBestPlacement) {
  std::mt19937 random(1);
  for (int i = 0; i < 40; ++i) {
    const BoundWork work = RandomWork(random, 6, 3);
    const double best_ms = ShortestLoad(work);
    EXPECT_NEAR(best_ms, Solved(work, BoundDetail::kWhole), 1e-6) << i;
    const double relaxed_ms = Solved(work, BoundDetail::kRelaxed);
    EXPECT_LE(relaxed_ms, best_ms + 1e-6) << i;
    EXPECT_GT(relaxed_ms, 0) << i;
  }
}

TEST(BoundProgram, WithDependenciesAndTransfersIsTheBestSchedule) {
  std::mt19937 random(2);
  for (int i = 0; i < 25; ++i) {
    BoundWork work = RandomWork(random, 5, 3);
    work.with_dependencies = true;
    const double best_ms = ShortestSchedule(work);
    EXPECT_NEAR(best_ms, Solved(work, BoundDetail::kWhole), 1e-5) << i;
    EXPECT_LE(Solved(work, BoundDetail::kRelaxed), best_ms + 1e-6) << i;
  }
}

// One worker: the urgent task waits for a short one, and the long one does not wait for it.
TEST(BoundProgram, LetsTheUrgentTaskGoFirst) {
  BoundWork work;
  work.with_dependencies = true;
  work.workers = {{"fast", 0}, {"slow", 0}};
  work.kinds = {{"urgent", 0, 1, {1, 10}}, {"other", 0, 1, {2, kNever}}};
  work.tasks = {{1, 1, 0, {}}, {2, 0, 5, {}}};
  EXPECT_NEAR(3, Solved(work, BoundDetail::kWhole), 1e-6);
  // Of equal urgency, the other may begin; then the urgent one ends last.
  work.with_priorities = true;
  const auto program = ProgramOf(work, BoundDetail::kWhole);
  const auto solution = SolveBound(program, true);
  ASSERT_TRUE(solution.ok());
  EXPECT_NEAR(3, solution->value, 1e-6);
  const auto start_of = [&](const std::string& name) {
    for (size_t i = 0; i < program.columns.size(); ++i)
      if (program.columns[i].name == name) return solution->x[i];
    return -1.0;
  };
  EXPECT_NEAR(0, start_of("s2"), 1e-6);
  EXPECT_NEAR(1, start_of("s1"), 1e-6);
}

// Priorities that are bad for the run: what is urgent is short, and what follows the other is long.
TEST(BoundProgram, CostsWhatPrioritiesCost) {
  BoundWork work;
  work.with_dependencies = true;
  work.workers = {{"one", 0}, {"two", 0}};
  work.kinds = {{"short", 0, 2, {2, 2}}, {"first", 0, 1, {1, 1}}, {"second", 0, 1, {3, 3}}};
  work.tasks = {{1, 0, 9, {}}, {2, 0, 9, {}}, {3, 1, 0, {}}, {4, 2, 0, {{2, 0}}}};
  EXPECT_NEAR(4, Solved(work, BoundDetail::kWhole), 1e-6);
  work.with_priorities = true;
  EXPECT_NEAR(6, Solved(work, BoundDetail::kWhole), 1e-6);
  const std::string text = LpText(ProgramOf(work, BoundDetail::kWhole), false);
  EXPECT_EQ(std::string::npos, text.find("-0;")) << text;
  // One that is not ready keeps nobody waiting.
  work.tasks = {{1, 2, 9, {{1, 0}}}, {2, 1, 5, {}}, {3, 0, 0, {}}, {4, 0, 0, {}}};
  EXPECT_NEAR(4, Solved(work, BoundDetail::kWhole), 1e-6);
}

// What another solver makes of a text.
double ByLpSolve(const std::string& options, const std::string& text) {
  const std::string path = ::testing::TempDir() + "/program";
  std::ofstream(path) << text;
  FILE* pipe = popen(("lp_solve -S3 " + options + " " + path).c_str(), "r");
  std::string said;
  for (int c; (c = std::fgetc(pipe)) != EOF;) said += static_cast<char>(c);
  EXPECT_EQ(0, pclose(pipe)) << said << text;
  const size_t at = said.find("objective function: ");
  if (at == std::string::npos) {
    ADD_FAILURE() << said << text;
    return -1;
  }
  return std::stod(said.substr(at + 20));
}

TEST(BoundProgram, IsReadByLpSolve) {
  if (std::system("lp_solve -S1 /dev/null >/dev/null 2>&1") / 256 == 127)
    GTEST_SKIP() << "lp_solve is missing, to read programs: apt-get install lp-solve";
  std::mt19937 random(3);
  for (int i = 0; i < 10; ++i) {
    BoundWork work = RandomWork(random, 4, 2);
    work.with_dependencies = i % 2 != 0;
    work.with_priorities = i % 4 == 3;
    const BoundProgram program = ProgramOf(work, BoundDetail::kWhole);
    const double whole_ms = Solved(work, BoundDetail::kWhole);
    EXPECT_NEAR(whole_ms, ByLpSolve("", LpText(program, false)), 1e-3);
    EXPECT_NEAR(whole_ms, ByLpSolve("-fmps", MpsText(program, false)), 1e-3);
    if (work.with_dependencies) continue;
    const double relaxed_ms = Solved(work, BoundDetail::kRelaxed);
    EXPECT_NEAR(relaxed_ms, ByLpSolve("", LpText(program, true)), 1e-3);
    EXPECT_NEAR(relaxed_ms, ByLpSolve("-fmps", MpsText(program, true)), 1e-3);
  }
}

// What StarPU ran on CPUs and an OpenCL device, the lengths that its models then knew, and its
// bound (tests/analysis/starpu_bound/program.c).
TEST(BoundProgram, IsStarpusOnTwoKindsOfWorkers) {
  std::ifstream file("tests/analysis/starpu_bound/cpus_and_opencl.txt");
  ASSERT_TRUE(file.good());
  BoundWork work;
  std::vector<std::string> arch_of_worker;
  double starpus_ms = 0;
  for (std::string what; file >> what;) {
    std::string name, arch;
    uint32_t number = 0;
    double measured_ns = 0, expected_ns = 0;
    if (what == "workers") {
      file >> arch >> number;
      work.workers.resize(work.workers.size() + number);
      arch_of_worker.resize(work.workers.size(), arch);
    } else if (what == "task") {
      file >> name >> number >> arch >> measured_ns >> expected_ns;
      auto kind = std::find_if(work.kinds.begin(), work.kinds.end(), [&](const BoundKind& known) {
        return known.name == name && known.footprint == number;
      });
      if (kind == work.kinds.end())
        kind = work.kinds.insert(kind, {name, number, 0, std::vector(work.workers.size(), kNever)});
      ++kind->count;
      for (size_t w = 0; w < work.workers.size(); ++w)
        if (arch_of_worker[w] == arch) kind->length_ms[w] = expected_ns / 1e6;
    } else if (what == "bound_ms") {
      file >> starpus_ms;
    }
  }
  ASSERT_EQ(4u, work.kinds.size());
  EXPECT_NEAR(1, Solved(work, BoundDetail::kRelaxed) / starpus_ms, 1e-6);
}

TEST(BoundProgram, HasCommentsThatEndWhereTheyShould) {
  BoundWork work;
  work.workers = {{"CPU */ 0", 0}};
  work.kinds = {{"new\nline", 0, 2, {1.5}}};
  const std::string text = LpText(ProgramOf(work, BoundDetail::kWhole), true);
  EXPECT_NE(std::string::npos, text.find("/* worker CPU / 0 */")) << text;
  EXPECT_NE(std::string::npos, text.find("/* task new line key 0 */")) << text;
  EXPECT_NE(std::string::npos, text.find(" -tmax +1.5 w0t0n <= 0;")) << text;
}

TEST(BoundSolver, SaysThatNothingFits) {
  BoundProgram program;
  program.columns = {{"x"}};
  program.rows = {{"R0", "", {{0, 1}}, 2}, {"R1", "", {{0, 1}}, -kUnlimited, 1}};
  ::testing::internal::CaptureStdout();
  const auto solution = SolveBound(program, false);
  EXPECT_EQ("", ::testing::internal::GetCapturedStdout());
  EXPECT_FALSE(solution.ok());
}

// Many tasks of odd lengths on many equal workers: the best is known to nobody soon.
TEST(BoundSolver, SaysWhatWasProvedWhenTheTimeIsOver) {
  std::mt19937 random(4);
  BoundWork work;
  work.workers.assign(12, {"worker", 0});
  for (int k = 0; k < 60; ++k)
    work.kinds.push_back(
        {"kind", 0, 1, std::vector<double>(12, 1 + static_cast<double>(random() % 1000000) / 1e5)});
  const auto program = ProgramOf(work, BoundDetail::kWhole);
  const double relaxed_ms = Solved(work, BoundDetail::kRelaxed);
  const auto solution = SolveBound(program, true, /*limit_seconds=*/0.5);
  ASSERT_TRUE(solution.ok());
  EXPECT_GE(solution->value, relaxed_ms - 1e-6);
  EXPECT_LE(solution->value, relaxed_ms * 1.2);
}

}  // namespace
}  // namespace tasklens::runtime
