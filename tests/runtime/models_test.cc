// SPDX-License-Identifier: Apache-2.0
// Models that the runtime measures: their files, of StarPU's and of its own, and what they tell.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "perfmodel/file.h"
#include "tests/perfmodel/real_files.h"
#include "tests/runtime/spin.h"
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

// An empty folder for models, and a host's name for them.
class Models : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/models_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/codelets/45");
    setenv("STARPU_PERF_MODEL_DIR", folder_.c_str(), 1);
    setenv("STARPU_HOSTNAME", "node0", 1);
    unsetenv("STARPU_CALIBRATE");
    // On a busy machine tasks of one kind take any time: none is an outlier.
    setenv("STARPU_HISTORY_MAX_ERROR", "100000000", 1);
  }
  std::string Path(const std::string& symbol) const {
    return folder_ + "/codelets/45/" + symbol + ".node0";
  }
  PerfmodelImplementation Written(const std::string& symbol) const {
    const auto file = ReadPerfmodel(Path(symbol));
    if (!file.ok() || file->model.combinations.empty()) {
      ADD_FAILURE() << file.status().message();
      return {};
    }
    return file->model.combinations[0].implementations[0];
  }

  std::string folder_;
};

struct Codelet {
  starpu_perfmodel model = {};
  starpu_codelet codelet = {};
  Codelet(starpu_perfmodel_type type, const char* symbol) {
    model.type = type;
    model.symbol = symbol;
    codelet.cpu_funcs[0] = [](void**, void*) { SpinUs(300); };
    codelet.model = &model;
    codelet.nbuffers = 1;
    codelet.modes[0] = STARPU_RW;
  }
  ~Codelet() { starpu_perfmodel_deinit(&model); }

  // Runs `count` tasks on a vector of so many floats.
  void Run(int count, unsigned elements) {
    std::vector<float> values(elements);
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM,
                                reinterpret_cast<uintptr_t>(values.data()), elements,
                                sizeof(float));
    for (int i = 0; i < count; ++i)
      EXPECT_EQ(0, starpu_task_insert(&codelet, STARPU_RW, handle, STARPU_FLOPS, 1e6, 0));
    starpu_data_unregister(handle);
  }
  // What a task on a vector of so many floats is expected to take, and after `measured` measures.
  double Expected(unsigned elements, const std::vector<double>& measures = {}) {
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, -1, 0, elements, sizeof(float));
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->handles[0] = handle;
    starpu_perfmodel_arch* cpu = starpu_worker_get_perf_archtype(0, 0);
    for (const double measure : measures)
      starpu_perfmodel_update_history(&model, task, cpu, 0, 0, measure);
    const double expected = starpu_task_expected_length(task, cpu, 0);
    starpu_task_destroy(task);
    starpu_data_unregister(handle);
    return expected;
  }
};

TEST_F(Models, KnowWhatStarPUMeasured) {
  const std::string real = testing::kPerfmodels + "sampling/codelets/45/";
  std::filesystem::copy(real + "demo_cholesky_gemm.node0", folder_ + "/codelets/45");
  Started started(1);
  Codelet gemm(STARPU_HISTORY_BASED, "demo_cholesky_gemm");
  gemm.codelet.nbuffers = 3;
  starpu_task* task = starpu_task_create();
  task->cl = &gemm.codelet;
  for (int i = 0; i < 3; ++i) {
    gemm.codelet.modes[i] = i < 2 ? STARPU_R : STARPU_RW;
    starpu_matrix_data_register(&task->handles[i], -1, 0, 32, 32, 32, sizeof(float));
  }
  starpu_perfmodel_arch* cpu = starpu_worker_get_perf_archtype(0, 0);
  EXPECT_EQ(0x6e96d715u, starpu_task_footprint(&gemm.model, task, cpu, 0));
  EXPECT_DOUBLE_EQ(19.98142, starpu_task_expected_length(task, cpu, 0));
  EXPECT_DOUBLE_EQ(19.98142,
                   starpu_perfmodel_history_based_expected_perf(&gemm.model, cpu, 0x6e96d715));
  EXPECT_TRUE(std::isnan(starpu_task_expected_length(task, cpu, 1)));
  for (int i = 0; i < 3; ++i) starpu_data_unregister(task->handles[i]);
  starpu_task_destroy(task);
}

// What a function of the interface prints.
template <class Print>
std::string Printed(Print print) {
  char* text = nullptr;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  print(file);
  fclose(file);
  std::string result(text, size);
  free(text);
  return result;
}

TEST_F(Models, ArePrintedAsByStarPUsTools) {
  const std::string real = testing::kPerfmodels + "sampling/codelets/45/";
  std::filesystem::copy(real + "demo_cholesky_gemm.node0", folder_ + "/codelets/45");
  Started started(2);
  starpu_perfmodel model = {};
  ASSERT_EQ(0, starpu_perfmodel_load_symbol("demo_cholesky_gemm", &model));
  const auto all = [&](const char* arch, const char* parameter, uint32_t* footprint) {
    return Printed([&](FILE* file) {
      EXPECT_EQ(0, starpu_perfmodel_print_all(&model, const_cast<char*>(arch),
                                              const_cast<char*>(parameter), footprint, file));
    });
  };
  EXPECT_EQ(testing::FileText(testing::kPerfmodels + "reference/display-demo_cholesky_gemm.txt"),
            all(nullptr, nullptr, nullptr));
  uint32_t footprint = 0x6e96d715;
  EXPECT_EQ("# performance model for cpu0_impl0 (Comb0)\n1.998142e+01   \n",
            all("cpu", "mean", &footprint));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(
      -1, starpu_perfmodel_print_all(&model, const_cast<char*>("cuda"), nullptr, nullptr, stdout));
  EXPECT_NE(std::string::npos, ::testing::internal::GetCapturedStderr().find(
                                   "knows nothing of the architecture 'cuda'"));
  EXPECT_EQ("1.998142e+01 1.998142e+01", Printed([&](FILE* file) {
              starpu_perfmodel_print_estimations(&model, footprint, file);
            }));
  EXPECT_EQ("inf inf",
            Printed([&](FILE* file) { starpu_perfmodel_print_estimations(&model, 1, file); }));
  EXPECT_EQ(
      "Model <demo_cholesky_gemm>\n\tComb 0: 1 device\n"
      "\t\tDevice 0: type: cpu - devid: 0 - ncores: 1\n",
      Printed([&](FILE* file) { starpu_perfmodel_list_combs(file, &model); }));
  char path[512];
  starpu_perfmodel_arch* cpu = starpu_worker_get_perf_archtype(0, 0);
  starpu_perfmodel_debugfilepath(&model, cpu, path, sizeof(path), 0);
  EXPECT_EQ(folder_ + "/debug/demo_cholesky_gemm.node0.cpu0_impl0 (Comb0).debug", path);
  EXPECT_EQ(0, starpu_perfmodel_unload_model(&model));
}

TEST(Combinations, HaveTheNumbersInWhichTheyWereMet) {
  starpu_perfmodel_device devices[] = {{STARPU_CUDA_WORKER, 3, 1}, {STARPU_CPU_WORKER, 0, 7}};
  EXPECT_EQ(-1, starpu_perfmodel_arch_comb_get(2, devices));
  const int before = starpu_perfmodel_get_narch_combs();
  EXPECT_EQ(before, starpu_perfmodel_arch_comb_add(2, devices));
  EXPECT_EQ(before, starpu_perfmodel_arch_comb_add(2, devices));
  EXPECT_EQ(before, starpu_perfmodel_arch_comb_get(2, devices));
  EXPECT_EQ(before + 1, starpu_perfmodel_get_narch_combs());
  const starpu_perfmodel_arch* arch = starpu_perfmodel_arch_comb_fetch(before);
  ASSERT_NE(nullptr, arch);
  EXPECT_EQ(2, arch->ndevices);
  EXPECT_EQ(7, arch->devices[1].ncores);
  EXPECT_EQ(nullptr, starpu_perfmodel_arch_comb_fetch(before + 1));
}

TEST_F(Models, OfStarPUsRegressionsTellOfSizesThatNobodyMeasured) {
  for (const char* symbol : {"memset_regression_based", "non_linear_memset_regression_based"})
    std::filesystem::copy(testing::kPerfmodels + "sampling/codelets/45/" + symbol + ".node0",
                          folder_ + "/codelets/45");
  Started started(1);
  Codelet linear(STARPU_REGRESSION_BASED, "memset_regression_based");
  EXPECT_NEAR(linear.Expected(25000), 1.593165e-04 * std::pow(100000, 9.751314e-01), 1e-6);
  Codelet shifted(STARPU_NL_REGRESSION_BASED, "non_linear_memset_regression_based");
  EXPECT_NEAR(shifted.Expected(25000), 3.504031e-06 * std::pow(100000, 1.100420) + 1.690855e-01,
              1e-6);
  EXPECT_DOUBLE_EQ(shifted.Expected(1024), 2.942642e-01) << "this size was measured";
}

TEST_F(Models, AreMeasuredAndKeptWhereTheUserAsksForIt) {
  setenv("STARPU_CALIBRATE", "1", 1);
  for (int run = 1; run <= 2; ++run) {
    {
      Started started(1);
      Codelet codelet(STARPU_HISTORY_BASED, "sleeps");
      codelet.Run(12, 64);
      starpu_shutdown();
      const int error = starpu_init(nullptr);
      ASSERT_EQ(0, error);
    }
    const PerfmodelImplementation written = Written("sleeps");
    ASSERT_EQ(written.entries.size(), 1u);
    const PerfmodelEntry& entry = written.entries[0];
    EXPECT_EQ(entry.size_bytes, 256u);
    EXPECT_DOUBLE_EQ(entry.flops, 1e6);
    EXPECT_GE(entry.mean, 300);
    EXPECT_EQ(entry.samples, 12u * static_cast<unsigned>(run) - 1) << "without the first of all";
  }
}

TEST_F(Models, AreOfEachCpuWorkerWhereTheUserSaysThatTheyDiffer) {
  setenv("STARPU_CALIBRATE", "1", 1);
  for (const std::string are_alike : {"1", "0"}) {
    setenv("STARPU_PERF_MODEL_HOMOGENEOUS_CPU", are_alike.c_str(), 1);
    const std::string symbol = "alike" + are_alike;
    {
      Started started(2);
      Codelet codelet(STARPU_HISTORY_BASED, symbol.c_str());
      codelet.codelet.nbuffers = 0;
      for (const int worker : {0, 1, 0, 1})
        EXPECT_EQ(0, starpu_task_insert(&codelet.codelet, STARPU_EXECUTE_ON_WORKER, worker, 0));
      ASSERT_EQ(0, starpu_task_wait_for_all());
      EXPECT_EQ(are_alike == "1",
                starpu_worker_get_perf_archtype(0, 0) == starpu_worker_get_perf_archtype(1, 0));
      starpu_save_history_based_model(&codelet.model);
    }
    const auto file = ReadPerfmodel(Path(symbol));
    ASSERT_TRUE(file.ok()) << file.status().message();
    std::vector<int> numbers;
    for (const PerfmodelCombination& combination : file->model.combinations)
      numbers.push_back(combination.devices[0].number);
    std::ranges::sort(numbers);
    EXPECT_EQ(numbers, are_alike == "1" ? std::vector<int>{0} : (std::vector<int>{0, 1}));
  }
  unsetenv("STARPU_PERF_MODEL_HOMOGENEOUS_CPU");
}

TEST_F(Models, AreLeftAloneWhereNobodyAsks) {
  {
    Started started(1);
    static Codelet codelet(STARPU_HISTORY_BASED, "sleeps");
    codelet.Run(12, 64);
  }
  EXPECT_FALSE(std::filesystem::exists(Path("sleeps")));
}

TEST_F(Models, AreMeasuredFromWhenTheyWereAskedForWhatTheyDoNotKnow) {
  static Codelet codelet(STARPU_HISTORY_BASED, "asked");
  {
    Started started(1);
    ::testing::internal::CaptureStderr();
    EXPECT_TRUE(std::isnan(codelet.Expected(64)));
    EXPECT_TRUE(std::isnan(codelet.Expected(64)));
    EXPECT_EQ(
        ::testing::internal::GetCapturedStderr(),
        "tasklens: model 'asked' does not know a size of tasks well enough: this run measures "
        "it for the next\n");
    codelet.Run(12, 64);
  }
  EXPECT_EQ(Written("asked").entries.size(), 1u);
}

// Tasks of a model that does not outlive the call; nobody says that it goes.
void RunWithPassingModel(const char* symbol, int count) {
  auto model = std::make_unique<starpu_perfmodel>();
  model->type = STARPU_HISTORY_BASED;
  std::string name = symbol;
  model->symbol = name.data();
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { SpinUs(300); };
  codelet.model = model.get();
  for (int i = 0; i < count; ++i) EXPECT_EQ(0, starpu_task_insert(&codelet, 0));
  starpu_task_wait_for_all();
  name.assign(name.size(), '?');
}

TEST_F(Models, MayBeFreedWhenTheirTasksHaveEnded) {
  setenv("STARPU_CALIBRATE", "1", 1);
  for (unsigned run = 1; run <= 3; ++run) {
    {
      Started started(2);
      RunWithPassingModel("passing", 4);
    }
    ASSERT_EQ(Written("passing").entries.size(), 1u);
    EXPECT_EQ(Written("passing").entries[0].samples, 4 * run - 1) << "in run " << run;
  }
}

TEST_F(Models, WithOneSymbolShareWhatTheyMeasure) {
  setenv("STARPU_CALIBRATE", "1", 1);
  Started started(1);
  for (int call = 0; call < 3; ++call) RunWithPassingModel("shared", 4);
  Codelet later(STARPU_HISTORY_BASED, "shared");
  later.codelet.nbuffers = 0;
  starpu_task* task = starpu_task_create();
  task->cl = &later.codelet;
  EXPECT_GE(starpu_task_expected_length(task, starpu_worker_get_perf_archtype(0, 0), 0), 300)
      << "11 measures are enough";
  starpu_task_destroy(task);
}

TEST_F(Models, ThatAreLoadedFromAFileLeaveThoseOfTheirSymbolAlone) {
  const std::string real =
      testing::kPerfmodels + "sampling/codelets/45/memset_regression_based.node0";
  {
    Started started(1);
    Codelet codelet(STARPU_HISTORY_BASED, "loaded");
    (void)codelet.Expected(64, std::vector<double>(12, 10.0));
    starpu_perfmodel read = {};
    read.type = STARPU_HISTORY_BASED;
    read.symbol = "loaded";
    EXPECT_EQ(0, starpu_perfmodel_load_file(real.c_str(), &read));
    EXPECT_EQ(0, starpu_perfmodel_deinit(&read));
    EXPECT_DOUBLE_EQ(10, codelet.Expected(64));
  }
  EXPECT_EQ(Written("loaded").entries.size(), 1u);
}

TEST_F(Models, BeginAnewWhereTheUserAsksForIt) {
  static Codelet codelet(STARPU_HISTORY_BASED, "anew");
  for (const char* calibrate : {"1", "1", "2"}) {
    setenv("STARPU_CALIBRATE", calibrate, 1);
    Started started(1);
    (void)codelet.Expected(64, std::vector<double>(20, 10.0));
  }
  EXPECT_EQ(Written("anew").entries[0].samples, 19u);
}

TEST_F(Models, WithABrokenFileAreNotUsedAndNotOverwritten) {
  std::string text =
      testing::FileText(testing::kPerfmodels + "sampling/codelets/45/demo_cholesky_gemm.node0");
  text.resize(text.size() / 2);
  std::ofstream(Path("broken")) << text;
  static Codelet codelet(STARPU_HISTORY_BASED, "broken");
  setenv("STARPU_CALIBRATE", "1", 1);
  ::testing::internal::CaptureStderr();
  {
    Started started(1);
    codelet.Run(3, 64);
  }
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("the model is not used, and not written"),
            std::string::npos);
  EXPECT_EQ(testing::FileText(Path("broken")), text);
}

TEST_F(Models, SayOnceThatTheirTasksDifferTooMuchAndAtTheEndHowOften) {
  setenv("STARPU_HISTORY_MAX_ERROR", "50", 1);
  static Codelet codelet(STARPU_HISTORY_BASED, "unlike");
  ::testing::internal::CaptureStderr();
  {
    Started started(1);
    // Each second measure is far off, and alone against one: three times everything is forgotten.
    (void)codelet.Expected(8, {1, 10, 100, 10, 100, 10, 100});
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  const std::string once = "tasklens: tasks of model 'unlike', footprint ";
  EXPECT_NE(said.find(once), std::string::npos) << said;
  EXPECT_EQ(said.find(once), said.rfind(once)) << said;
  EXPECT_NE(said.find("measures of model 'unlike' were forgotten 3 times"), std::string::npos)
      << said;
}

TEST_F(Models, AreWrittenInStarPUsOrderWithItsRegressions) {
  static Codelet linear(STARPU_REGRESSION_BASED, "linear"),
      shifted(STARPU_NL_REGRESSION_BASED, "shifted");
  {
    Started started(1);
    for (unsigned elements = 1000; elements <= 32000; elements *= 2)
      for (Codelet* codelet : {&linear, &shifted})
        (void)codelet->Expected(elements,
                                std::vector<double>(10, 5 + 0.01 * static_cast<double>(elements)));
    EXPECT_NEAR(linear.Expected(20000), 205, 20) << "a power of the size is near";
  }
  const PerfmodelImplementation written = Written("shifted");
  ASSERT_EQ(written.entries.size(), 6u);
  EXPECT_EQ(written.entries[0].size_bytes, 128000u) << "the newest stands first";
  EXPECT_EQ(written.entries[0].samples, 10u);
  EXPECT_EQ(written.power_law.samples, 60u);
  EXPECT_NEAR(written.shifted.a, 0.0025, 1e-5);
  EXPECT_NEAR(written.shifted.b, 1, 1e-3);
  EXPECT_NEAR(written.shifted.c, 5, 0.1);
  EXPECT_TRUE(std::isnan(Written("linear").shifted.a));
  Started again(1);
  EXPECT_NEAR(shifted.Expected(20000), 205, 1);
}

TEST_F(Models, OfSeveralTermsKeepTheirMeasuresAndTellFromThem) {
  static double m, n;
  static const char* names[] = {"M", "N"};
  static unsigned first[] = {2, 0}, second[] = {1, 1};
  static unsigned* terms[] = {first, second};
  static Codelet codelet(STARPU_MULTIPLE_REGRESSION_BASED, "terms");
  codelet.model.parameters = [](starpu_task*, double* values) {
    values[0] = m;
    values[1] = n;
  };
  codelet.model.parameters_names = names;
  codelet.model.nparameters = 2;
  codelet.model.combinations = terms;
  codelet.model.ncombinations = 2;
  setenv("STARPU_CALIBRATE", "1", 1);
  {
    Started started(1);
    for (m = 1; m < 6; ++m)
      for (n = 1; n < 6; ++n) (void)codelet.Expected(8, {3 + 2 * m * m + 0.5 * m * n});
  }
  const MultipleRegression written = Written("terms").multiple;
  EXPECT_EQ(written.terms, (std::vector<std::string>{"M^2", "M*N"}));
  ASSERT_EQ(written.coefficients.size(), 3u);
  EXPECT_NEAR(written.coefficients[1], 2, 1e-4);
  const std::string measures = testing::FileText(folder_ + "/codelets/tmp/terms.out");
  EXPECT_EQ(measures.substr(0, measures.find('\n')), "Duration, M, N");
  EXPECT_EQ(std::count(measures.begin(), measures.end(), '\n'), 26);
  unsetenv("STARPU_CALIBRATE");
  Started again(1);
  m = 10;
  n = 20;
  EXPECT_NEAR(codelet.Expected(8), 303, 1e-2);
}

TEST_F(Models, OfEnergyAreFedAndAskedLikeThoseOfTime) {
  Started started(1);
  Codelet codelet(STARPU_HISTORY_BASED, nullptr);
  starpu_perfmodel energy = {};
  energy.type = STARPU_HISTORY_BASED;
  codelet.codelet.energy_model = &energy;
  codelet.codelet.nbuffers = 0;
  starpu_task* task = starpu_task_create();
  task->cl = &codelet.codelet;
  starpu_perfmodel_arch* cpu = starpu_worker_get_perf_archtype(0, 0);
  EXPECT_TRUE(std::isnan(starpu_task_expected_energy(task, cpu, 0)));
  for (int i = 0; i < 11; ++i) starpu_perfmodel_update_history(&energy, task, cpu, 0, 0, 2.5);
  EXPECT_DOUBLE_EQ(2.5, starpu_task_expected_energy(task, cpu, 0));
  starpu_task_destroy(task);
  starpu_perfmodel_deinit(&energy);
}

TEST_F(Models, AreLoadedAndPrintedByTheirSymbol) {
  setenv("STARPU_PERF_MODEL_DIR", (testing::kPerfmodels + "sampling").c_str(), 1);
  starpu_perfmodel model = {};
  ASSERT_EQ(0, starpu_perfmodel_load_symbol("demo_cholesky_gemm", &model));
  char* text = nullptr;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  starpu_perfmodel_print(&model, starpu_worker_get_perf_archtype(0, 0), 0, nullptr, nullptr, file);
  fclose(file);
  EXPECT_EQ(text,
            testing::FileText(testing::kPerfmodels + "reference/display-demo_cholesky_gemm.txt"));
  free(text);
  file = open_memstream(&text, &size);
  starpu_perfmodel_dump_xml(file, &model);
  fclose(file);
  EXPECT_EQ(text,
            testing::FileText(testing::kPerfmodels + "reference/display-demo_cholesky_gemm.xml"));
  free(text);
  char path[512];
  starpu_perfmodel_get_model_path("demo_cholesky_gemm", path, sizeof(path));
  EXPECT_EQ(path, testing::kPerfmodels + "sampling/codelets/45/demo_cholesky_gemm.node0");
  EXPECT_EQ(0, starpu_perfmodel_unload_model(&model));
  EXPECT_EQ(1, starpu_perfmodel_load_symbol("nobody", &model));
  EXPECT_EQ(0, starpu_perfmodel_unload_model(&model));
}

}  // namespace
}  // namespace tasklens
