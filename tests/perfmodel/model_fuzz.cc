// SPDX-License-Identifier: Apache-2.0
// Any bytes as a perfmodel: what can be read is written, read again as the same, and printed.
#include <cstdio>
#include <cstdlib>

#include "perfmodel/file.h"
#include "perfmodel/history.h"
#include "perfmodel/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tasklens;  // NOLINT: one function
  const auto file =
      ParsePerfmodel(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!file.ok()) return 0;
  const std::string text = PerfmodelText(*file);
  const auto again = ParsePerfmodel(text, "again");
  if (!again.ok() || PerfmodelText(*again) != text) {
    std::fprintf(stderr, "not the same again: %s\n", again.status().message().c_str());
    std::abort();
  }
  (void)PerfmodelXml(file->model, "fuzz");
  for (const PerfmodelCombination& combination : file->model.combinations)
    for (const PerfmodelImplementation& implementation : combination.implementations) {
      (void)ImplementationText(implementation, DevicesName(combination.devices), {});
      (void)Expect(implementation, GuessType(implementation), nullptr, 1000, {});
    }
  return 0;
}
