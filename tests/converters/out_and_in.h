// SPDX-License-Identifier: Apache-2.0
// Files of formats as strings: written, and read.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "converters/formats.h"
#include "tests/testing/tools.h"

namespace tasklens::testing {

// The output `file` of the writer called `format`, with the options `keys` (without values).
inline std::string Written(std::string_view format, const std::string& file,
                           const TraceModel& model, const std::vector<std::string>& keys = {}) {
  WriteOptions options;
  for (const std::string& key : keys) options.values[key] = "";
  MemoryOutputs outputs;
  const Status status = FindWriter(format)->write(model, options, outputs);
  EXPECT_TRUE(status.ok()) << status.message();
  return outputs.Text(file);
}

inline TraceModel Loaded(const std::string& path, Diagnostics& diags) {
  auto model = LoadPaths(std::vector{path}, diags);
  EXPECT_TRUE(model.ok()) << model.status().message();
  return std::move(*model);
}

// Of a file with these bytes, without a loss. `name`: of the file.
inline TraceModel ReadBack(const std::string& name, std::string_view bytes) {
  Diagnostics diags;
  TraceModel model = Loaded(TestFile(name, bytes), diags);
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
  return model;
}

}  // namespace tasklens::testing
