// SPDX-License-Identifier: Apache-2.0
// Any bytes through a reader into the model: it ends, and the model keeps its promises.
// READER is the name of the reader.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "converters/formats.h"
#include "tests/testing/model_check.h"
#include "trace/model/model_builder.h"

namespace tasklens {
namespace {

const ReaderSpec& Reader() {
  for (const ReaderSpec* reader : Readers())
    if (reader->name == READER) return *reader;
  std::fprintf(stderr, "no reader is called %s\n", READER);
  std::abort();
}

void ReadIntoModel(std::string bytes) {
  static const ReaderSpec& reader = Reader();
  const auto source = MemorySource("fuzz", std::move(bytes));
  (void)reader.sniff(source->bytes().first(std::min<size_t>(source->bytes().size(), 4096)));
  (void)reader.rank(*source);
  Diagnostics diags;
  ModelBuilder builder(diags);
  const Status status = reader.read(*source, {}, builder, diags);
  const auto model = std::move(builder).Finish();
  if (!model.ok()) return;
  const std::string broken = testing::BrokenPromise(*model);
  if (broken.empty()) return;
  std::fprintf(stderr, "%s\n", broken.c_str());
  std::abort();
}

}  // namespace
}  // namespace tasklens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tasklens::ReadIntoModel(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
