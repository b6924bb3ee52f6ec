// SPDX-License-Identifier: Apache-2.0
// Performance counters: their names and values, and when listeners are called.
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/spin.h"
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

constexpr auto kGlobal = starpu_perf_counter_scope_global;
constexpr auto kPerWorker = starpu_perf_counter_scope_per_worker;
constexpr auto kPerCodelet = starpu_perf_counter_scope_per_codelet;

struct Row {
  starpu_perf_counter_scope scope;
  int id;
  const char* name;
  const char* type;
};
const Row kRows[] = {
    {kGlobal, 0x02, "starpu.task.g_total_submitted", "int64"},
    {kGlobal, 0x12, "starpu.task.g_peak_submitted", "int64"},
    {kGlobal, 0x22, "starpu.task.g_peak_ready", "int64"},
    {kPerWorker, 0x04, "starpu.task.w_total_executed", "int64"},
    {kPerWorker, 0x14, "starpu.task.w_cumul_execution_time", "double"},
    {kPerCodelet, 0x06, "starpu.task.c_total_submitted", "int64"},
    {kPerCodelet, 0x16, "starpu.task.c_peak_submitted", "int64"},
    {kPerCodelet, 0x26, "starpu.task.c_peak_ready", "int64"},
    {kPerCodelet, 0x36, "starpu.task.c_total_executed", "int64"},
    {kPerCodelet, 0x46, "starpu.task.c_cumul_execution_time", "double"},
};

TEST(Counters, HaveStarpusNamesIdsScopesAndTypes) {
  std::map<int, int> nth;
  for (const Row& row : kRows) {
    EXPECT_EQ(row.id, starpu_perf_counter_name_to_id(row.scope, row.name));
    EXPECT_STREQ(row.name, starpu_perf_counter_id_to_name(row.id));
    EXPECT_EQ(row.id, starpu_perf_counter_nth_to_id(row.scope, nth[row.scope]++));
    EXPECT_STREQ(row.type,
                 starpu_perf_counter_type_id_to_name(static_cast<starpu_perf_counter_type>(
                     starpu_perf_counter_get_type_id(row.id))));
    EXPECT_STRNE("", starpu_perf_counter_get_help_string(row.id));
  }
  EXPECT_EQ(3, starpu_perf_counter_nb(kGlobal));
  EXPECT_EQ(2, starpu_perf_counter_nb(kPerWorker));
  EXPECT_EQ(5, starpu_perf_counter_nb(kPerCodelet));
  for (const char* name : {"global", "per_worker", "per_codelet"}) {
    const int scope = starpu_perf_counter_scope_name_to_id(name);
    EXPECT_STREQ(
        name, starpu_perf_counter_scope_id_to_name(static_cast<starpu_perf_counter_scope>(scope)));
  }
  EXPECT_EQ(starpu_perf_counter_type_int64, starpu_perf_counter_type_name_to_id("int64"));
  EXPECT_EQ(-1, starpu_perf_counter_name_to_id(kGlobal, "starpu.task.w_total_executed"));
  EXPECT_EQ(-1, starpu_perf_counter_nth_to_id(kGlobal, 3));
  EXPECT_EQ(-1, starpu_perf_counter_scope_name_to_id("local"));
  EXPECT_EQ(nullptr, starpu_perf_counter_id_to_name(0x99));
}

TEST(Counters, ListThemselves) {
  testing::internal::CaptureStdout();
  starpu_perf_counter_list_all_avail();
  const std::string text = testing::internal::GetCapturedStdout();
  for (const char* part : {"scope: global\n0x00000002:starpu.task.g_total_submitted [int64] - ",
                           "scope: per_worker\n", "scope: per_codelet\n0x00000006:",
                           "0x00000046:starpu.task.c_cumul_execution_time [double]"})
    EXPECT_NE(std::string::npos, text.find(part)) << part;
  testing::internal::CaptureStdout();
  starpu_perf_counter_list_avail(kPerWorker);
  const std::string workers = testing::internal::GetCapturedStdout();
  EXPECT_NE(std::string::npos, text.find(workers));
  EXPECT_EQ(std::string::npos, workers.find("global"));
}

// The last sample of each counter, and how many there were.
struct Samples {
  std::mutex lock;
  std::map<int, double> values;
  int calls = 0;
  std::vector<int> ids;
};

// Whose samples are whose.
std::map<const starpu_perf_counter_listener*, Samples*> samples_of;

void Note(starpu_perf_counter_listener* listener, starpu_perf_counter_sample* sample, void*) {
  Samples& samples = *samples_of.at(listener);
  std::lock_guard guard(samples.lock);
  ++samples.calls;
  for (const int id : samples.ids) {
    samples.values[id] =
        starpu_perf_counter_get_type_id(id) == starpu_perf_counter_type_double
            ? starpu_perf_counter_sample_get_double_value(sample, id)
            : static_cast<double>(starpu_perf_counter_sample_get_int64_value(sample, id));
  }
}

// A listener to all counters of a scope.
class Listener {
 public:
  explicit Listener(starpu_perf_counter_scope scope) : set_(starpu_perf_counter_set_alloc(scope)) {
    for (int i = 0; i < starpu_perf_counter_nb(scope); ++i) {
      samples.ids.push_back(starpu_perf_counter_nth_to_id(scope, i));
      starpu_perf_counter_set_enable_id(set_, samples.ids.back());
    }
    listener_ = starpu_perf_counter_listener_init(set_, Note, nullptr);
    samples_of[listener_] = &samples;
  }
  ~Listener() {
    samples_of.erase(listener_);
    starpu_perf_counter_listener_exit(listener_);
    starpu_perf_counter_set_free(set_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  starpu_perf_counter_listener* get() { return listener_; }
  starpu_perf_counter_set* set() { return set_; }

  Samples samples;

 private:
  starpu_perf_counter_set* set_;
  starpu_perf_counter_listener* listener_;
};

starpu_codelet MakeCodelet() {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { SpinUs(1000); };
  return codelet;
}

void SubmitChain(starpu_codelet* codelet, int count) {
  starpu_task* before = nullptr;
  for (int i = 0; i < count; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = codelet;
    if (before) starpu_task_declare_deps_array(task, 1, &before);
    before = task;
    ASSERT_EQ(0, starpu_task_submit(task));
  }
}

TEST(Counters, CountTasksOfEachScope) {
  Started started(1);
  starpu_codelet chained = MakeCodelet(), free = MakeCodelet();
  Listener global(kGlobal), worker(kPerWorker), codelet(kPerCodelet);
  starpu_perf_counter_set_global_listener(global.get());
  starpu_perf_counter_set_all_per_worker_listeners(worker.get());
  starpu_perf_counter_set_per_codelet_listener(&chained, codelet.get());
  starpu_perf_counter_collection_start();
  starpu_pause();
  SubmitChain(&chained, 4);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(0, starpu_task_insert(&free, 0));
  starpu_resume();
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_perf_counter_unset_global_listener();
  starpu_perf_counter_unset_all_per_worker_listeners();
  starpu_perf_counter_unset_per_codelet_listener(&chained);
  starpu_perf_counter_collection_stop();

  EXPECT_EQ(7, global.samples.values[0x02]);
  EXPECT_EQ(4, global.samples.values[0x12]);  // three that wait, and the one just submitted
  EXPECT_EQ(4, global.samples.values[0x22]);  // the head of the chain and those without
  EXPECT_EQ(8, global.samples.calls);         // and when the program waited
  EXPECT_EQ(7, worker.samples.values[0x04]);
  EXPECT_GE(worker.samples.values[0x14], 7000);
  EXPECT_EQ(7, worker.samples.calls);
  EXPECT_EQ(4, codelet.samples.values[0x06]);
  EXPECT_EQ(3, codelet.samples.values[0x16]);  // the head of the chain was ready at once
  EXPECT_EQ(1, codelet.samples.values[0x26]);
  EXPECT_EQ(4, codelet.samples.values[0x36]);
  EXPECT_GE(codelet.samples.values[0x46], 4000);
  EXPECT_EQ(8, codelet.samples.calls);  // submitted and executed
}

TEST(Counters, StandStillUnlessTheyAreCollected) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 1;
  conf.start_perf_counter_collection = 1;
  ASSERT_EQ(0, starpu_init(&conf));
  starpu_codelet codelet = MakeCodelet();
  Listener worker(kPerWorker);
  starpu_perf_counter_set_per_worker_listener(0, worker.get());
  const auto run = [&] {
    EXPECT_EQ(0, starpu_task_insert(&codelet, 0));
    EXPECT_EQ(0, starpu_task_wait_for_all());
  };
  run();
  starpu_perf_counter_collection_start();  // nested
  starpu_perf_counter_collection_stop();
  run();
  starpu_perf_counter_collection_stop();
  run();
  EXPECT_EQ(2, worker.samples.values[0x04]);
  starpu_perf_counter_unset_per_worker_listener(0);
  starpu_shutdown();
}

TEST(Counters, FromManyThreadsLoseNothing) {
  Started started(4);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  Listener of_codelet(kPerCodelet);
  starpu_perf_counter_set_per_codelet_listener(&codelet, of_codelet.get());
  starpu_perf_counter_collection_start();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) EXPECT_EQ(0, starpu_task_insert(&codelet, 0));
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_perf_counter_unset_per_codelet_listener(&codelet);
  EXPECT_EQ(2000, of_codelet.samples.values[0x06]);
  EXPECT_EQ(2000, of_codelet.samples.values[0x36]);
  EXPECT_EQ(4000, of_codelet.samples.calls);
}

TEST(CountersDeathTest, RefuseWhatTheyAreNot) {
  Started started(1);
  Listener global(kGlobal);
  EXPECT_DEATH(starpu_perf_counter_set_per_worker_listener(0, global.get()),
               "the listener's set is of scope global, not per_worker");
  EXPECT_DEATH(starpu_perf_counter_set_enable_id(global.set(), 0x04),
               "w_total_executed is not of scope global");
}

TEST(CountersDeathTest, AreReadAsWhatTheyAre) {
  starpu_perf_counter_set* empty = starpu_perf_counter_set_alloc(kGlobal);
  const auto read_int32 = [](starpu_perf_counter_listener*, starpu_perf_counter_sample* sample,
                             void*) { starpu_perf_counter_sample_get_int32_value(sample, 0x02); };
  const auto read_int64 = [](starpu_perf_counter_listener*, starpu_perf_counter_sample* sample,
                             void*) { starpu_perf_counter_sample_get_int64_value(sample, 0x02); };
  const auto wait_with = [&](auto callback) {
    Started started(1);
    starpu_perf_counter_set_global_listener(
        starpu_perf_counter_listener_init(empty, callback, nullptr));
    starpu_perf_counter_collection_start();
    starpu_codelet codelet = MakeCodelet();
    if (starpu_task_insert(&codelet, 0) == 0) starpu_task_wait_for_all();
  };
  EXPECT_DEATH(wait_with(read_int32), "g_total_submitted is of type int64, not int32");
  EXPECT_DEATH(wait_with(read_int64), "g_total_submitted is not enabled in the sample's set");
  starpu_perf_counter_set_free(empty);
}

}  // namespace
}  // namespace tasklens
