// SPDX-License-Identifier: Apache-2.0
// Any bytes as a configuration of Paraver's: it is refused or computed on a small trace, and ends.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "converters/paraver_views/evaluate.h"

namespace tasklens {
namespace {

const ParaverRecords& Records() {
  static const ParaverRecords kRecords = [] {
    Diagnostics diags;
    auto records = ReadParaverRecords(
        *MemorySource("fuzz.prv",
                      "#Paraver (01/01/2026 at 00:00):100_ns:2(2,1):1:2(2:1,1:2)\n"
                      "1:1:1:1:1:0:10:1\n1:3:1:2:1:0:100:1\n1:2:1:1:2:5:25:1\n1:1:1:1:1:20:30:1\n"
                      "2:1:1:1:1:10:5:3\n2:1:1:1:1:30:5:0:6:9\n2:1:1:1:1:50:5:8\n"
                      "3:1:1:1:1:10:12:3:1:2:1:20:25:100:7\n3:1:1:1:1:40:40:3:1:2:1:30:30:8:9\n"),
        diags);
    if (!records.ok()) std::abort();
    return std::move(*records);
  }();
  return kRecords;
}

void Compute(std::string_view text) {
  const auto view = ParseViewConfiguration(text, "fuzz.cfg");
  if (!view.ok()) return;
  (void)EvaluateWindow(Records(), *view, view->windows.back());
  for (const ViewHistogram& histogram : view->histograms)
    (void)EvaluateHistogram(Records(), *view, histogram);
}

}  // namespace
}  // namespace tasklens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tasklens::Compute({reinterpret_cast<const char*>(data), size});
  return 0;
}
