// SPDX-License-Identifier: Apache-2.0
// Where models are looked for.
#include "perfmodel/places.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "tests/perfmodel/real_files.h"

namespace tasklens {
namespace {

// The environment as a test wants it, without any of the variables that matter here.
class PerfmodelPlacesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"STARPU_PERF_MODEL_DIR", "STARPU_PERF_MODEL_PATH", "XDG_CACHE_HOME",
                             "STARPU_HOME", "HOME", "STARPU_HOSTNAME"})
      unsetenv(name);
    setenv("STARPU_HOSTNAME", "node0", 1);
  }
  static std::vector<std::string> Folders() { return PlacesFromEnvironment().folders; }
  const std::string shared_ = "/usr/share/starpu/perfmodels/sampling";
};
using Names = std::vector<std::string>;

TEST_F(PerfmodelPlacesTest, AreBelowTheHomeThatIsNamedFirst) {
  setenv("HOME", "/h", 1);
  EXPECT_EQ(Folders(), (Names{"/h/.starpu/sampling", shared_}));
  setenv("STARPU_HOME", "/s/", 1);
  EXPECT_EQ(Folders(), (Names{"/s//.starpu/sampling", shared_}));
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(Folders(), (Names{"/x/.starpu/sampling", shared_}));
}

TEST_F(PerfmodelPlacesTest, BeginWithTheFolderOfThisUserAndEndWithThePath) {
  setenv("HOME", "/h", 1);
  setenv("STARPU_PERF_MODEL_DIR", "/d/", 1);
  setenv("STARPU_PERF_MODEL_PATH", "/p:/q::/d", 1);
  EXPECT_EQ(Folders(), (Names{"/d", "/h/.starpu/sampling", "/p", "/q", shared_}));
}

TEST_F(PerfmodelPlacesTest, AreNoneForAUserWithoutAHome) { EXPECT_TRUE(Folders().empty()); }

TEST_F(PerfmodelPlacesTest, AreOfTheHostThatTheUserNames) {
  EXPECT_EQ(PlacesFromEnvironment().host, "node0");
  unsetenv("STARPU_HOSTNAME");
  EXPECT_EQ(PlacesFromEnvironment().host.find('.'), std::string::npos);
}

TEST_F(PerfmodelPlacesTest, HaveAModelBySymbolOrByItsBeginning) {
  setenv("STARPU_PERF_MODEL_DIR", (testing::kPerfmodels + "sampling").c_str(), 1);
  const PerfmodelPlaces places = PlacesFromEnvironment();
  for (const char* symbol : {"demo_cholesky_gemm", "demo_cholesky_gemm.variant"}) {
    const auto found = FindPerfmodel(places, symbol);
    ASSERT_TRUE(found.ok()) << found.status().message();
    EXPECT_EQ(found->path, testing::kPerfmodels + "sampling/codelets/45/demo_cholesky_gemm.node0");
  }
  EXPECT_EQ(FindPerfmodel(places, "none").status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(ListPerfmodels(places.folders[0]).size(), 8u);
}

TEST_F(PerfmodelPlacesTest, AreNotLeftBySymbolsWithSlashes) {
  for (const char* symbol : {"", "../x", "a/b", ".."})
    EXPECT_EQ(FindPerfmodel({{"/d"}, "h"}, symbol).status().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace tasklens
