// SPDX-License-Identifier: Apache-2.0
// Any bytes through a reader into every output: it ends, and what comes out keeps the rules of its
// format. Files of an odd size are read as two ranks, of which the second was cut short.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "converters/formats.h"
#include "tests/converters/writers/paraver_checker.h"
#include "tests/testing/paje_checker.h"
#include "tests/testing/recutils.h"
#include "trace/model/model_builder.h"

namespace tasklens {
namespace {

void Complain(const std::string& file, const std::vector<std::string>& violations) {
  if (violations.empty()) return;
  std::fprintf(stderr, "%s: %s\n", file.c_str(), violations.front().c_str());
  std::abort();
}

// dag.svg is Graphviz's work.
bool IsFuzzed(const WriterSpec& writer) { return writer.name != "svg"; }

void WriteAll(const TraceModel& model, const WriteOptions& options) {
  MemoryOutputs outputs;
  for (const WriterSpec* writer : Writers()) {
    if (!IsFuzzed(*writer)) continue;
    if (const Status status = writer->write(model, options, outputs); !status.ok())
      Complain(std::string(writer->name), {status.message()});
  }
  const bool in_2001 = options.Get("paraver") == "2001";
  const testing::PrvFile prv = testing::CheckPrv(outputs.Text("trace.prv"), in_2001);
  Complain("trace.prv", prv.violations);
  Complain("trace.pcf", testing::CheckPcf(outputs.Text("trace.pcf"), in_2001).violations);
  Complain("trace.row", testing::CheckRow(outputs.Text("trace.row"), prv, in_2001).violations);
  for (const std::string& name : outputs.Names()) {
    std::vector<std::string> violations;
    if (name.ends_with(".rec")) {
      (void)testing::ParseRecords(outputs.Text(name), &violations);
    } else if (name == "paje.trace") {
      violations = testing::CheckPaje(outputs.Text(name)).violations;
    }
    Complain(name, violations);
  }
}

void Convert(std::string bytes) {
  const bool two_ranks = bytes.size() % 2 == 1;
  const auto source = MemorySource("fuzz", bytes);
  const ReaderSpec* reader =
      GuessReader(source->bytes().first(std::min<size_t>(source->bytes().size(), 4096)));
  if (reader == nullptr) return;
  Diagnostics diags;
  ModelBuilder builder(diags);
  (void)reader->read(*source, {}, builder, diags);
  if (two_ranks) {
    bytes.resize(bytes.size() / 4 * 3);
    (void)reader->read(*MemorySource("fuzz_1", bytes), {.rank = 1}, builder, diags);
  }
  const auto model = std::move(builder).Finish();
  if (!model.ok()) return;
  WriteAll(*model, {});
  WriteAll(*model, {{{"memory-states", ""},
                     {"starvz", ""},
                     {"internal", ""},
                     {"label-deps", ""},
                     {"paraver", "2001"}}});
}

}  // namespace
}  // namespace tasklens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tasklens::Convert(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
