// SPDX-License-Identifier: Apache-2.0
// Bundles, arbiters, and workers that the program runs itself.
#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

void Nothing(void**, void*) {}

TEST(Bundles, AreLeftByTasksThatEndAndAreClosedToNewOnes) {
  Started started(2);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = Nothing;
  starpu_task_bundle_t bundle, other;
  starpu_task_bundle_create(&bundle);
  starpu_task_bundle_create(&other);
  starpu_task* tasks[3];
  for (starpu_task*& task : tasks) {
    task = starpu_task_create();
    task->cl = &codelet;
    task->detach = 0;
    task->destroy = 0;
    EXPECT_EQ(0, starpu_task_bundle_insert(bundle, task));
  }
  EXPECT_EQ(-EPERM, starpu_task_bundle_insert(other, tasks[0]));
  EXPECT_EQ(-ENOENT, starpu_task_bundle_remove(other, tasks[0]));
  EXPECT_EQ(0, starpu_task_bundle_remove(bundle, tasks[1]));
  EXPECT_EQ(nullptr, tasks[1]->bundle);
  for (starpu_task* task : tasks) EXPECT_EQ(0, starpu_task_submit(task));
  EXPECT_EQ(0, starpu_task_wait_array(tasks, 3));
  EXPECT_EQ(nullptr, tasks[0]->bundle);
  for (starpu_task* task : tasks) starpu_task_destroy(task);
  starpu_task_bundle_close(bundle);  // empty: freed
  starpu_task* late = starpu_task_create();
  starpu_task* first = starpu_task_create();
  EXPECT_EQ(0, starpu_task_bundle_insert(other, first));
  starpu_task_bundle_close(other);
  EXPECT_EQ(-EPERM, starpu_task_bundle_insert(other, late));
  EXPECT_EQ(0, starpu_task_bundle_remove(other, first));
  starpu_task_destroy(first);
  starpu_task_destroy(late);
}

// Philosophers: each takes two neighbouring forks and counts on both.
TEST(Arbiters, GiveAllTheDataOfATaskOrNone) {
  Started started(3);
  constexpr int kForks = 5;
  long counts[kForks] = {};
  starpu_data_handle_t forks[kForks];
  starpu_arbiter_t arbiter = starpu_arbiter_create();
  for (int i = 0; i < kForks; ++i) {
    starpu_variable_data_register(&forks[i], STARPU_MAIN_RAM,
                                  reinterpret_cast<uintptr_t>(&counts[i]), sizeof(long));
    starpu_data_assign_arbiter(forks[i], arbiter);
  }
  starpu_codelet codelet = {};
  codelet.nbuffers = 2;
  codelet.modes[0] = codelet.modes[1] =
      static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
  codelet.cpu_funcs[0] = [](void** buffers, void*) {
    for (int i = 0; i < 2; ++i) {
      auto* count = reinterpret_cast<volatile long*>(STARPU_VARIABLE_GET_PTR(buffers[i]));
      const long before = *count;
      for (int turn = 0; turn < 20; ++turn) *count = before;  // another one's write would be lost
      *count = before + 1;
    }
  };
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kForks; ++i) {
      EXPECT_EQ(0, starpu_task_insert(&codelet, STARPU_RW | STARPU_COMMUTE, forks[i],
                                      STARPU_RW | STARPU_COMMUTE, forks[(i + 1) % kForks], 0));
    }
    if (round % 50 == 0) {  // others than commuting accesses go between
      EXPECT_EQ(0, starpu_data_acquire(forks[0], STARPU_R));
      EXPECT_EQ(2 * round + 2, counts[0]);
      starpu_data_release(forks[0]);
    }
  }
  for (starpu_data_handle_t fork : forks) starpu_data_unregister(fork);
  starpu_arbiter_destroy(arbiter);
  for (const long count : counts) EXPECT_EQ(2 * kRounds, count);
}

// A task that waits for one of its data leaves the others to those that need only them.
TEST(Arbiters, KeepNothingForATaskThatWaits) {
  Started started(2);
  starpu_arbiter_t arbiter = starpu_arbiter_create();
  starpu_data_handle_t first, second;
  starpu_void_data_register(&first);
  starpu_void_data_register(&second);
  starpu_data_assign_arbiter(first, arbiter);
  starpu_data_assign_arbiter(second, arbiter);
  static std::atomic<int> ran;
  ran = 0;
  starpu_codelet both = {}, one = {};
  both.cpu_funcs[0] = one.cpu_funcs[0] = [](void**, void*) { ++ran; };
  both.nbuffers = 2;
  one.nbuffers = 1;
  const auto commute = static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
  both.modes[0] = both.modes[1] = one.modes[0] = commute;
  for (starpu_data_handle_t held : {first, second}) {
    starpu_data_handle_t free = held == first ? second : first;
    ran = 0;
    EXPECT_EQ(0, starpu_data_acquire(held, commute));
    EXPECT_EQ(0, starpu_task_insert(&both, commute, first, commute, second, 0));
    starpu_task* task = starpu_task_build(&one, commute, free, 0);
    task->detach = 0;
    EXPECT_EQ(0, starpu_task_submit(task));
    EXPECT_EQ(0, starpu_task_wait(task));
    EXPECT_EQ(1, ran);
    starpu_data_release(held);
    starpu_task_wait_for_all();
    EXPECT_EQ(2, ran);
  }
  starpu_data_unregister(first);
  starpu_data_unregister(second);
  starpu_arbiter_destroy(arbiter);
}

struct OwnDriver {
  starpu_driver driver = {};
  OwnDriver() {
    driver.type = STARPU_CPU_WORKER;
    driver.id.cpu_id = 1;
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = 2;
    conf.precedence_over_environment_variables = 1;
    conf.not_launched_drivers = &driver;
    conf.n_not_launched_drivers = 1;
    EXPECT_EQ(0, starpu_init(&conf));
  }
  ~OwnDriver() { starpu_shutdown(); }
};

void NoteThread(void**, void* argument) {
  *static_cast<std::thread::id*>(argument) = std::this_thread::get_id();
}

TEST(Drivers, RunTasksInTheThreadThatCalls) {
  OwnDriver own;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = NoteThread;
  std::thread::id ran;
  EXPECT_EQ(0, starpu_driver_init(&own.driver));
  starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  task->cl_arg = &ran;
  task->execute_on_a_specific_worker = 1;
  task->workerid = 1;
  task->detach = 0;
  EXPECT_EQ(0, starpu_task_submit(task));
  while (!starpu_task_finished(task)) EXPECT_EQ(0, starpu_driver_run_once(&own.driver));
  EXPECT_EQ(0, starpu_driver_deinit(&own.driver));
  EXPECT_EQ(0, starpu_task_wait(task));
  EXPECT_EQ(std::this_thread::get_id(), ran);
}

TEST(Drivers, RunInAThreadOfTheProgramUntilToldToStop) {
  OwnDriver own;
  std::thread thread([&own] { EXPECT_EQ(0, starpu_driver_run(&own.driver)); });
  const std::thread::id expected = thread.get_id();
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = NoteThread;
  std::thread::id ran;
  EXPECT_EQ(0, starpu_task_insert(&codelet, STARPU_CL_ARGS_NFREE, &ran, sizeof(ran),
                                  STARPU_EXECUTE_ON_WORKER, 1, STARPU_TASK_SYNCHRONOUS, 1, 0));
  starpu_drivers_request_termination();
  thread.join();
  EXPECT_EQ(expected, ran);
}

TEST(Drivers, OfOtherWorkersAreRefused) {
  OwnDriver own;
  starpu_driver other = {};
  other.type = STARPU_CPU_WORKER;
  other.id.cpu_id = 0;
  EXPECT_EQ(-EINVAL, starpu_driver_init(&other));
  EXPECT_EQ(-EINVAL, starpu_driver_run_once(&other));
  std::thread thread([&own] { EXPECT_EQ(0, starpu_driver_run(&own.driver)); });
  starpu_task_wait_for_all();
  starpu_drivers_request_termination();
  thread.join();
}

// Whoever released the data last may still be about to look who waits for more.
TEST(Arbiters, MayBeDestroyedAsSoonAsTheirDataAreTheProgramsAgain) {
  Started started(2);
  const auto commute = static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
  static starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  codelet.nbuffers = 1;
  codelet.modes[0] = commute;
  for (int round = 0; round < 500; ++round) {
    starpu_arbiter_t arbiter = starpu_arbiter_create();
    starpu_data_handle_t handle;
    starpu_void_data_register(&handle);
    starpu_data_assign_arbiter(handle, arbiter);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(0, starpu_task_insert(&codelet, commute, handle, 0));
    starpu_data_unregister(handle);
    starpu_arbiter_destroy(arbiter);
  }
}

}  // namespace
}  // namespace tasklens
