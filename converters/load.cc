// SPDX-License-Identifier: Apache-2.0
// From files to one model: which reader, which rank, which files belong together.
#include "converters/formats.h"
#include "trace/model/model_builder.h"

namespace tasklens {
namespace {

Result<const ReaderSpec*> ReaderOf(const Source& source) {
  if (source.bytes().empty())
    return Status(ErrorCode::kCorrupt, source.path() + ": the file is empty");
  if (const ReaderSpec* reader = GuessReader(source.bytes())) return reader;
  return Status(
      ErrorCode::kUnsupported,
      source.path() + ": not a trace of any known format (see `tasklens convert --list`)");
}

}  // namespace

Result<TraceModel> Load(std::span<const std::unique_ptr<Source>> inputs, Diagnostics& diags,
                        uint32_t parts) {
  ModelBuilder builder(diags, parts);
  uint32_t order = 0;
  for (const auto& input : inputs) {
    auto reader = ReaderOf(*input);
    if (!reader.ok()) return reader.status();
    ReadOptions options;
    const int64_t rank = (*reader)->rank(*input);
    options.rank = rank >= 0 ? static_cast<uint32_t>(rank) : order;
    ++order;
    if (Status s = (*reader)->read(*input, options, builder, diags); !s.ok()) return s;
  }
  return std::move(builder).Finish();
}

Result<TraceModel> LoadPaths(std::span<const std::string> paths, Diagnostics& diags,
                             uint32_t parts) {
  std::vector<std::unique_ptr<Source>> sources;
  for (const std::string& path : paths) {
    auto source = OpenSource(path);
    if (!source.ok()) return source.status();
    sources.push_back(std::move(*source));
  }
  return Load(sources, diags, parts);
}

}  // namespace tasklens
