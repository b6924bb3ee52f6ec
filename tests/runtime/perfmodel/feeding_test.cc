// SPDX-License-Identifier: Apache-2.0
// What models of a program know, from run to run.
#include <gtest/gtest.h>
#include <starpu.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "perfmodel/places.h"
#include "runtime/perfmodel/model_state.h"
#include "runtime/perfmodel/models.h"

namespace tasklens::runtime {
namespace {

constexpr uint64_t kBytes = 4096;
constexpr unsigned kFirst = 0;  // implementation

// Each test with a folder of its own for the files of models.
class Feeding : public ::testing::Test {
 protected:
  Feeding()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
    setenv("STARPU_PERF_MODEL_DIR", folder_.c_str(), 1);
    setenv("STARPU_HOSTNAME", "here", 1);
    unsetenv("STARPU_PERF_MODEL_PATH");
  }
  ~Feeding() override {
    for (starpu_perfmodel* model : {&model_, &twin_}) {
      MutexLock guard(ModelsLock());
      DropState(model);
    }
  }

  starpu_perfmodel& Of(starpu_perfmodel& model, starpu_perfmodel_type type, const char* symbol) {
    model.type = type;
    model.symbol = symbol;
    return model;
  }
  starpu_perfmodel& Model(starpu_perfmodel_type type, const char* symbol) {
    return Of(model_, type, symbol);
  }

  static ModelQuestion Size(uint64_t size_bytes) {
    return {.is_measured = true,
            .footprint = static_cast<uint32_t>(size_bytes),
            .size_bytes = size_bytes};
  }
  static void FeedSize(starpu_perfmodel& model, uint64_t size_bytes, double us, int times = 1) {
    const Measure measure = {
        .footprint = static_cast<uint32_t>(size_bytes), .size_bytes = size_bytes, .duration = us};
    for (int i = 0; i < times; ++i) Feed(&model, *CpuArch(1), kFirst, measure, {});
  }
  static double AskSize(starpu_perfmodel& model, uint64_t size_bytes) {
    return Ask(&model, Size(size_bytes), *CpuArch(1), kFirst);
  }
  std::string File(const char* symbol) const { return ModelPath(folder_, symbol, "here"); }

  const std::filesystem::path folder_;
  starpu_perfmodel model_ = {}, twin_ = {};
};

TEST_F(Feeding, AModelKnowsASizeAfterTenMeasuresOfIt) {
  BeginModels(/*calibrate=*/1);
  starpu_perfmodel& model = Model(STARPU_HISTORY_BASED, "ten");
  FeedSize(model, kBytes, 70);  // the first is not counted
  FeedSize(model, kBytes, 20, 5);
  FeedSize(model, kBytes, 30, 4);
  EXPECT_TRUE(std::isnan(AskSize(model, kBytes)));
  FeedSize(model, kBytes, 30);
  EXPECT_DOUBLE_EQ(AskSize(model, kBytes), 25);
  EXPECT_TRUE(std::isnan(AskSize(model, 2 * kBytes))) << "of another size it knows nothing";
  EXPECT_TRUE(std::isnan(Ask(&model, Size(kBytes), *CpuArch(2), kFirst))) << "nor of two cores";
  EXPECT_TRUE(std::isnan(Ask(&model, Size(kBytes), *CpuArch(1), 1))) << "nor of the second";
  SaveModels();
}

TEST_F(Feeding, TheNextRunKnowsWhatThisOneLearnt) {
  BeginModels(1);
  starpu_perfmodel& model = Model(STARPU_HISTORY_BASED, "next");
  FeedSize(model, kBytes, 20, 11);
  EXPECT_FALSE(std::filesystem::exists(File("next")));
  SaveModels();
  EXPECT_TRUE(std::filesystem::exists(File("next")));

  BeginModels(0);
  EXPECT_DOUBLE_EQ(AskSize(model, kBytes), 20);
  SaveModels();

  BeginModels(2);
  EXPECT_TRUE(std::isnan(AskSize(model, kBytes))) << "2 forgets what was measured";
  SaveModels();
}

TEST_F(Feeding, ARunMeasuresAModelThatWasAskedForWhatItDoesNotKnow) {
  BeginModels(0);
  starpu_perfmodel& model = Model(STARPU_HISTORY_BASED, "wanting");
  EXPECT_FALSE(WantsMeasures(model));
  EXPECT_TRUE(std::isnan(AskSize(model, kBytes)));
  EXPECT_TRUE(WantsMeasures(model));
  SaveModels();
  BeginModels(0);
  EXPECT_FALSE(WantsMeasures(model)) << "the next run was not asked yet";
  SetCalibration(1);
  EXPECT_TRUE(WantsMeasures(model));
  starpu_perfmodel function = {};
  function.type = STARPU_COMMON;
  EXPECT_FALSE(WantsMeasures(function));
  SaveModels();
  EXPECT_EQ(Calibration(), 0);
}

TEST_F(Feeding, ModelsWithOneSymbolLearnTogetherAndOneMayGo) {
  BeginModels(1);
  starpu_perfmodel& model = Model(STARPU_HISTORY_BASED, "shared");
  starpu_perfmodel& twin = Of(twin_, STARPU_HISTORY_BASED, "shared");
  FeedSize(model, kBytes, 20, 6);
  FeedSize(twin, kBytes, 20, 5);
  EXPECT_DOUBLE_EQ(AskSize(model, kBytes), 20);
  const std::shared_ptr<ModelKnowledge> knows = KnowledgeFor(&model);
  {
    MutexLock guard(ModelsLock());
    DropState(&model);
    DropState(&twin);
  }
  EXPECT_DOUBLE_EQ(AnswerFor(*knows, Size(kBytes), *CpuArch(1), kFirst), 20);
  SaveModels();
  EXPECT_TRUE(std::filesystem::exists(File("shared"))) << "what both learnt is kept";
}

TEST_F(Feeding, ARegressionKnowsSizesBetweenThoseThatItWasFed) {
  BeginModels(1);
  starpu_perfmodel& model = Model(STARPU_REGRESSION_BASED, "curve");
  // 0.5 us a kilobyte.
  for (uint64_t kib = 1; kib <= 1024; kib *= 2)
    FeedSize(model, kib * 1024, 0.5 * static_cast<double>(kib), 11);
  EXPECT_NEAR(AskSize(model, 3 * 1024), 1.5, 1e-6);
  EXPECT_NEAR(AskSize(model, 300 * 1024), 150, 1e-4);
  EXPECT_TRUE(std::isnan(AskSize(model, uint64_t{64} << 20))) << "far from all that it was fed";
  SaveModels();
}

TEST_F(Feeding, AMultipleRegressionKnowsItsCoefficientsInTheNextRun) {
  unsigned exponents[2][2] = {{1, 0}, {0, 2}};  // 5 + 3 n + 2 m^2
  unsigned* combinations[] = {exponents[0], exponents[1]};
  starpu_perfmodel& model = Model(STARPU_MULTIPLE_REGRESSION_BASED, "multiple");
  model.nparameters = 2;
  model.ncombinations = 2;
  model.combinations = combinations;
  BeginModels(1);
  for (double n = 1; n <= 8; ++n)
    for (double m = 1; m <= 8; ++m)
      Feed(&model, *CpuArch(1), kFirst, {.duration = 5 + 3 * n + 2 * m * m}, {n, m});
  EXPECT_TRUE(std::isnan(AskMultiple(&model, {10, 10}, *CpuArch(1), kFirst))) << "not solved yet";
  SaveModels();
  BeginModels(0);
  EXPECT_NEAR(AskMultiple(&model, {10, 10}, *CpuArch(1), kFirst), 5 + 30 + 200, 1e-3);
  SaveModels();
}

}  // namespace
}  // namespace tasklens::runtime
