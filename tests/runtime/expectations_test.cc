// SPDX-License-Identifier: Apache-2.0
// What tasks are expected to take: models of the program, measurements fed, and the bound.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/runtime/spin.h"
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

std::string Printed(void (*print)(FILE*)) {
  char* text = nullptr;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  print(file);
  fclose(file);
  std::string result(text, size);
  free(text);
  return result;
}

struct Model {
  starpu_perfmodel model = {};
  starpu_codelet codelet = {};
  starpu_task* task;
  starpu_perfmodel_arch* cpu = starpu_worker_get_perf_archtype(0, 0);
  explicit Model(starpu_perfmodel_type type) {
    model.type = type;
    model.symbol = "model";
    codelet.cpu_funcs[0] = [](void**, void*) {};
    codelet.model = &model;
    task = starpu_task_create();
    task->cl = &codelet;
  }
  ~Model() {
    starpu_task_destroy(task);
    starpu_perfmodel_deinit(&model);
  }
};

TEST(Models, SayWhatTheProgramsFunctionsSay) {
  Started started(2);
  Model common(STARPU_COMMON);
  common.model.cost_function = [](starpu_task*, unsigned implementation) {
    return 100.0 + implementation;
  };
  EXPECT_EQ(101, starpu_task_expected_length(common.task, common.cpu, 1));
  Model per_arch(STARPU_PER_ARCH);
  EXPECT_TRUE(std::isnan(starpu_task_expected_length(per_arch.task, per_arch.cpu, 0)));
  EXPECT_EQ(0, starpu_perfmodel_set_per_devices_cost_function(
                   &per_arch.model, 0,
                   [](starpu_task*, starpu_perfmodel_arch* arch, unsigned) {
                     return 7.0 * arch->devices[0].ncores;
                   },
                   STARPU_CPU_WORKER, 0, 1, -1));
  EXPECT_EQ(7, starpu_task_expected_length(per_arch.task, per_arch.cpu, 0));
  EXPECT_EQ(
      starpu_perfmodel_get_model_per_arch(&per_arch.model, per_arch.cpu, 0),
      starpu_perfmodel_get_model_per_devices(&per_arch.model, 0, STARPU_CPU_WORKER, 0, 1, -1));
}

TEST(Models, ThinkThatADeviceIsFaster) {
  Started started(1);
  EXPECT_EQ(1, starpu_worker_get_relative_speedup(starpu_worker_get_perf_archtype(0, 0)));
  starpu_perfmodel_device devices[] = {{STARPU_CUDA_WORKER, 0, 1}, {STARPU_CPU_WORKER, 0, 3}};
  starpu_perfmodel_arch both = {2, devices};
  EXPECT_DOUBLE_EQ(16.33, starpu_worker_get_relative_speedup(&both));
}

TEST(Models, KnowWhatConversionsTake) {
  Started started(1);
  Model conversion(STARPU_COMMON);
  conversion.model.cost_function = [](starpu_task* task, unsigned) {
    return 2.0 * static_cast<double>(starpu_data_get_size(task->handles[0]));
  };
  starpu_multiformat_data_interface_ops formats = {};
  formats.cpu_elemsize = sizeof(float);
  formats.cuda_elemsize = sizeof(float);
  formats.cpu_to_cuda_cl = &conversion.codelet;
  float values[4] = {};
  starpu_data_handle_t handle;
  starpu_multiformat_data_register(&handle, STARPU_MAIN_RAM, values, 4, &formats);
  Model model(STARPU_COMMON);
  model.codelet.nbuffers = 1;
  model.codelet.modes[0] = STARPU_R;
  model.task->handles[0] = handle;
  EXPECT_EQ(0, starpu_task_expected_conversion_time(model.task, model.cpu, 0));
  starpu_perfmodel_device device = {STARPU_CUDA_WORKER, 0, 1};
  starpu_perfmodel_arch cuda = {1, &device};
  EXPECT_EQ(32, starpu_task_expected_conversion_time(model.task, &cuda, 0));
  starpu_data_unregister(handle);
}

TEST(Models, KnowTheMeanOfWhatWasFed) {
  // Of its own, so that nothing was measured before, nor is kept in the user's home.
  const std::string folder = ::testing::TempDir() + "/fed_models";
  std::filesystem::remove_all(folder);
  setenv("STARPU_PERF_MODEL_DIR", folder.c_str(), 1);
  Started started(1);
  Model history(STARPU_HISTORY_BASED);
  EXPECT_TRUE(std::isnan(starpu_task_expected_length(history.task, history.cpu, 0)));
  starpu_perfmodel_update_history(&history.model, history.task, history.cpu, 0, 0, 99);
  for (int i = 0; i < 10; ++i) {  // after a first one, which does not count
    EXPECT_TRUE(std::isnan(starpu_task_expected_length(history.task, history.cpu, 0)));
    starpu_perfmodel_update_history(&history.model, history.task, history.cpu, 0, 0,
                                    i % 2 ? 12 : 10);
  }
  EXPECT_EQ(11, starpu_task_expected_length(history.task, history.cpu, 0));
  static starpu_perfmodel* model;
  model = &history.model;
  const std::string xml = Printed([](FILE* file) { starpu_perfmodel_dump_xml(file, model); });
  EXPECT_NE(std::string::npos, xml.find("<device type=\"CPU\" id=\"0\" ncores=\"1\"/>")) << xml;
  EXPECT_NE(std::string::npos, xml.find("mean=\"1.100000e+01\" deviation=\"1.000000e+00\"")) << xml;
  EXPECT_NE(std::string::npos, xml.find("nsample=\"10\"")) << xml;
}

TEST(Models, OfABundleAddUp) {
  Started started(1);
  Model first(STARPU_COMMON), second(STARPU_COMMON);
  first.model.cost_function = [](starpu_task*, unsigned) { return 2.0; };
  second.model.cost_function = [](starpu_task*, unsigned) { return 3.0; };
  starpu_task_bundle_t bundle;
  starpu_task_bundle_create(&bundle);
  EXPECT_EQ(0, starpu_task_bundle_insert(bundle, first.task));
  EXPECT_EQ(0, starpu_task_bundle_insert(bundle, second.task));
  EXPECT_EQ(5, starpu_task_bundle_expected_length(bundle, first.cpu, 0));
  EXPECT_EQ(0, starpu_task_bundle_remove(bundle, first.task));
  EXPECT_EQ(0, starpu_task_bundle_remove(bundle, second.task));
  starpu_task_bundle_close(bundle);
}

TEST(Bound, IsTheLongestChainOfThoseWhoWait) {
  Started started(2);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { SpinUs(2000); };
  codelet.name = "wait \"quoted\"";
  starpu_bound_start(1, 0);
  starpu_task* tasks[3];
  for (starpu_task*& task : tasks) {
    task = starpu_task_create();
    task->cl = &codelet;
  }
  starpu_task_declare_deps(tasks[1], 1, tasks[0]);
  for (starpu_task* task : tasks) EXPECT_EQ(0, starpu_task_submit(task));
  starpu_task_wait_for_all();
  starpu_bound_stop();
  double even, whole;
  starpu_bound_compute(&even, &whole, 1);
  EXPECT_LE(4.0, even);  // of three tasks of at least 2 ms, one waits for another
  EXPECT_NEAR(even, whole, 1e-6);
  const std::string lp = Printed(starpu_bound_print_lp);
  EXPECT_NE(std::string::npos, lp.find("min: tmax;")) << lp;
  EXPECT_NE(std::string::npos, lp.find("nt = 3;")) << lp;
  const std::string mps = Printed(starpu_bound_print_mps);
  EXPECT_NE(std::string::npos, mps.find("\nENDATA\n")) << mps;
  const std::string dot = Printed(starpu_bound_print_dot);
  EXPECT_NE(std::string::npos, dot.find("wait \\\"quoted\\\"")) << dot;
  EXPECT_NE(std::string::npos, dot.find(" -> ")) << dot;
}

TEST(Bound, KnowsTagsDataAndJoinsAsDependencies) {
  Started started(2);
  Model common(STARPU_COMMON);
  common.model.cost_function = [](starpu_task*, unsigned) { return 1000.0; };
  common.codelet.nbuffers = 1;
  common.codelet.modes[0] = STARPU_RW;
  int values[2] = {};
  starpu_data_handle_t handles[2];
  for (int i = 0; i < 2; ++i)
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM,
                                  reinterpret_cast<uintptr_t>(&values[i]), sizeof(int));
  starpu_bound_start(1, 0);
  // Two chains of two through data, and a tag without a task between the chains.
  starpu_tag_declare_deps(2, 1, starpu_tag_t{1});
  starpu_tag_declare_deps(3, 1, starpu_tag_t{2});
  for (int i = 0; i < 4; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &common.codelet;
    task->handles[0] = handles[i / 2];
    task->use_tag = i == 1 || i == 2;
    task->tag_id = i == 1 ? 1 : 3;
    EXPECT_EQ(0, starpu_task_submit(task));
  }
  starpu_tag_wait(1);
  starpu_tag_notify_from_apps(2);
  starpu_task_wait_for_all();
  starpu_bound_stop();
  double relaxed = 0, whole = 0;
  starpu_bound_compute(&relaxed, &whole, 1);
  EXPECT_NEAR(4, relaxed, 1e-6);
  EXPECT_NEAR(4, whole, 1e-6);
  const std::string dot = Printed(starpu_bound_print_dot);
  EXPECT_NE(std::string::npos, dot.find("\"tag1\" -> \"tag2\";")) << dot;
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
}

TEST(Bound, IsNoneWhereATaskIsUnknown) {
  Started started(1);
  starpu_pause();
  starpu_bound_start(0, 0);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  codelet.name = "stranger";
  starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  EXPECT_EQ(0, starpu_task_submit(task));
  starpu_bound_stop();
  double relaxed = -1;
  ::testing::internal::CaptureStderr();
  starpu_bound_compute(&relaxed, nullptr, 0);
  EXPECT_NE(std::string::npos, ::testing::internal::GetCapturedStderr().find("'stranger'"));
  EXPECT_EQ(0, relaxed);
  starpu_resume();
  starpu_task_wait_for_all();
}

TEST(Bound, IsOfNothingBeforeATaskRan) {
  Started started(1);
  starpu_bound_start(0, 0);
  starpu_bound_stop();
  double even = -1, whole = -1;
  starpu_bound_compute(&even, &whole, 1);
  EXPECT_EQ(0, even);
  EXPECT_EQ(0, whole);
}

TEST(BindIds, AreUnitsOfThisMachine) {
  Started started(1);
  const unsigned unit = starpu_get_next_bindid(STARPU_THREAD_ACTIVE, nullptr, 0);
  EXPECT_EQ(0, starpu_bind_thread_on(static_cast<int>(unit), STARPU_THREAD_ACTIVE, "test"));
  EXPECT_EQ(-1, starpu_bind_thread_on(100000, 0, "test"));
}

}  // namespace
}  // namespace tasklens
