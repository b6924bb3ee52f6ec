// SPDX-License-Identifier: Apache-2.0
// How bad a finding is called.
#include <gtest/gtest.h>

#include <vector>

#include "analysis/advice.h"
#include "tests/analysis/simulated_run.h"

namespace tasklens {
namespace {

using testing::SimTask;
using testing::Simulate;

TEST(Severity, OfWhatNobodyNoticesIsInformation) {
  for (const int64_t length_ns : {1'000, 1'000'000}) {
    std::vector<SimTask> tasks(20, {.length_ns = length_ns, .handle = 100});
    for (size_t i = 1; i < tasks.size(); ++i) tasks[i].after = {i - 1};
    bool has_chain = false;
    for (const Finding& finding : Advise(Simulate(tasks, {}).Build())) {
      if (finding.rule == "serial_chain") {
        has_chain = true;
        EXPECT_EQ(finding.severity,
                  length_ns == 1'000 ? AdviceSeverity::kInformation : AdviceSeverity::kError);
      }
      EXPECT_TRUE(finding.cost_ns >= kNoticedNs || finding.severity == AdviceSeverity::kInformation)
          << finding.message;
    }
    EXPECT_TRUE(has_chain);
  }
}

}  // namespace
}  // namespace tasklens
