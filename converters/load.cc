// SPDX-License-Identifier: Apache-2.0
// From files to one model: which reader, which rank, in which order.
#include <algorithm>
#include <map>
#include <set>

#include "converters/formats.h"
#include "converters/trace_files.h"
#include "trace/model/model_builder.h"

namespace tasklens {
namespace {

// An input that is there already, or is opened when needed and closed again: of a run of a thousand
// ranks one file is in memory at a time.
class Input {
 public:
  explicit Input(const Source& source) : path_(source.path()), source_(&source) {}
  explicit Input(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  const ReaderSpec* reader() const { return reader_; }
  const Source& source() const { return *source_; }

  // Makes source() and reader() valid. Fails when there is no such file, or no reader for it.
  Status Open() {
    if (source_ == nullptr) {
      auto opened = OpenSource(path_);
      if (!opened.ok()) return opened.status();
      opened_ = std::move(*opened);
      source_ = opened_.get();
    }
    return FindReader();
  }
  // Standard input cannot be opened twice.
  void Close() {
    if (opened_ == nullptr || path_ == "-") return;
    opened_.reset();
    source_ = nullptr;
  }

  int64_t rank = -1;  // -1: not known yet

 private:
  Status FindReader() {
    if (source_->bytes().empty())
      return {ErrorCode::kCorrupt, source_->path() +
                                       ": the file is empty; did the program end before it wrote "
                                       "its trace?"};
    reader_ = GuessReader(source_->bytes());
    if (reader_ != nullptr) return Status::Ok();
    std::string names;
    for (const ReaderSpec* reader : Readers())
      names += (names.empty() ? "" : ", ") + std::string(reader->name);
    return {ErrorCode::kUnsupported,
            source_->path() + ": not a trace of a format that can be read (" + names + ")"};
  }

  std::string path_;
  std::unique_ptr<Source> opened_;
  const Source* source_ = nullptr;
  const ReaderSpec* reader_ = nullptr;
};

// What the files say, else what their names say, else the lowest numbers that are free.
Status AssignRanks(std::vector<Input>& inputs) {
  std::map<int64_t, const Input*> taken;
  for (Input& input : inputs) {
    if (Status s = input.Open(); !s.ok()) return s;
    input.rank = input.reader()->rank(input.source());
    input.Close();
    if (input.rank < 0) input.rank = RankInName(input.path());
    if (input.rank < 0) continue;
    const auto [it, is_new] = taken.emplace(input.rank, &input);
    if (!is_new)
      return {ErrorCode::kInvalidArgument, it->second->path() + " and " + input.path() +
                                               " are both of rank " + std::to_string(input.rank) +
                                               "; are they different runs? Open them one by one"};
  }
  int64_t next = 0;
  for (Input& input : inputs) {
    if (input.rank >= 0) continue;
    while (taken.contains(next)) ++next;
    input.rank = next++;
  }
  return Status::Ok();
}

Result<TraceModel> LoadInputs(std::vector<Input>& inputs, Diagnostics& diags, uint32_t parts) {
  if (inputs.empty()) return Status(ErrorCode::kInvalidArgument, "no trace was given");
  if (inputs.size() > 1) {
    if (Status s = AssignRanks(inputs); !s.ok()) return s;
    std::sort(inputs.begin(), inputs.end(),
              [](const Input& a, const Input& b) { return a.rank < b.rank; });
  }
  ModelBuilder builder(diags, parts);
  for (Input& input : inputs) {
    if (Status s = input.Open(); !s.ok()) return s;
    const ReadOptions options{.rank = static_cast<uint32_t>(std::max<int64_t>(input.rank, 0))};
    if (Status s = input.reader()->read(input.source(), options, builder, diags); !s.ok()) return s;
    input.Close();
  }
  auto model = std::move(builder).Finish();
  if (model.ok()) return model;
  const std::string more = inputs.size() > 1 ? ", ..." : "";
  return model.status().WithPrefix(inputs.front().path() + more);
}

}  // namespace

Result<TraceModel> Load(std::span<const std::unique_ptr<Source>> sources, Diagnostics& diags,
                        uint32_t parts) {
  std::vector<Input> inputs;
  for (const auto& source : sources) inputs.emplace_back(*source);
  return LoadInputs(inputs, diags, parts);
}

Result<TraceModel> LoadPaths(std::span<const std::string> paths, Diagnostics& diags,
                             uint32_t parts) {
  auto files = TraceFiles(paths);
  if (!files.ok()) return files.status();
  std::vector<Input> inputs;
  for (std::string& file : *files) inputs.emplace_back(std::move(file));
  return LoadInputs(inputs, diags, parts);
}

}  // namespace tasklens
