// SPDX-License-Identifier: Apache-2.0
// Loads files into one model: chooses the reader, the rank and the order of each.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <thread>

#include "converters/formats.h"
#include "converters/paired_source.h"
#include "converters/trace_files.h"
#include "trace/model/model_builder.h"

namespace tasklens {
namespace {

// Whether the input begins like a file of gzip, xz, bzip2 or zstd.
bool IsCompressed(std::span<const std::byte> bytes) {
  constexpr std::string_view kBeginnings[] = {"\x1f\x8b", "\xfd\x37zXZ", "BZh", "\x28\xb5\x2f\xfd"};
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

// The first `bytes` bytes of another source.
class BeginningOf : public Source {
 public:
  BeginningOf(std::unique_ptr<Source> whole, size_t bytes) : whole_(std::move(whole)) {
    path_ = whole_->path();
    bytes_ = whole_->bytes().first(bytes);
  }
  Result<std::span<const std::byte>> Read(size_t begin, std::span<std::byte> room) const override {
    return whole_->Read(begin, room.first(std::min(room.size(), bytes_.size() - begin)));
  }
  void Forget(size_t begin, size_t end) const override { whole_->Forget(begin, end); }

 private:
  const std::unique_ptr<Source> whole_;
};

// An input that is open already, or is opened when needed and closed again: in a run of a thousand
// ranks, one file is in memory at a time.
class Input {
 public:
  explicit Input(const Source& source) : path_(source.path()), source_(&source) {}
  // `share`: see LoadBeginning().
  explicit Input(std::string path, double share = 1) : path_(std::move(path)), share_(share) {}

  const std::string& path() const { return path_; }
  const ReaderSpec* reader() const { return reader_; }
  double share() const { return share_; }
  const Source& source() const { return *source_; }

  // Makes source() and reader() valid. Fails if the file does not exist, or no reader knows it.
  Status Open() {
    const bool is_new = source_ == nullptr;
    if (is_new) {
      auto opened = OpenSource(path_);
      if (!opened.ok()) return opened.status();
      opened_ = std::move(*opened);
      source_ = opened_.get();
    }
    if (Status s = FindReader(); !s.ok() || !is_new || share_ >= 1) return s;
    return TakeBeginning();
  }
  // Standard input and pipes cannot be opened twice.
  void Close() {
    std::error_code ignored;
    if (opened_ == nullptr || !std::filesystem::is_regular_file(path_, ignored)) return;
    opened_.reset();
    source_ = nullptr;
  }

  // The number of bytes to read; 0 if that is unknown before reading.
  uint64_t Bytes() const {
    const bool is_cut = reader_ != nullptr && reader_->beginning == Beginning::kFirstBytes;
    if (source_ != nullptr)
      return is_cut ? source_->bytes().size() : PartOf(source_->bytes().size());
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path_, error);
    return error ? 0 : PartOf(bytes);
  }

  int64_t rank = -1;       // -1: unknown so far
  bool says_rank = false;  // the rank is from the file

 private:
  uint64_t PartOf(uint64_t bytes) const {
    return share_ < 1 ? static_cast<uint64_t>(share_ * static_cast<double>(bytes)) : bytes;
  }
  Status FindReader() {
    if (source_->bytes().empty())
      return {ErrorCode::kCorrupt, source_->path() +
                                       ": the file is empty; did the program end before it wrote "
                                       "its trace?"};
    reader_ = GuessReader(source_->bytes());
    if (reader_ != nullptr) return Status::Ok();
    if (IsCompressed(source_->bytes()))
      return {
          ErrorCode::kUnsupported,
          source_->path() +
              ": is compressed; decompress it first, for example: zcat FILE | tasklens stats -"};
    std::string names;
    for (const ReaderSpec* reader : Readers())
      names += (names.empty() ? "" : ", ") + std::string(reader->name);
    return {ErrorCode::kUnsupported,
            source_->path() + ": not in a known trace format (" + names + ")"};
  }

  Status TakeBeginning() {
    switch (reader_->beginning) {
      case Beginning::kNone: break;
      case Beginning::kByReader: return Status::Ok();
      case Beginning::kFirstBytes:
        opened_ =
            std::make_unique<BeginningOf>(std::move(opened_), PartOf(source_->bytes().size()));
        source_ = opened_.get();
        return Status::Ok();
    }
    return {ErrorCode::kUnsupported, path_ + ": a trace of the format " +
                                         std::string(reader_->name) + " cannot be read in part"};
  }

  std::string path_;
  double share_ = 1;
  std::unique_ptr<Source> opened_;
  const Source* source_ = nullptr;
  const ReaderSpec* reader_ = nullptr;
};

// Takes the rank from the file, if it has one.
Status TakeOwnRank(Input& input) {
  if (Status s = input.Open(); !s.ok()) return s;
  input.rank = input.reader()->rank(input.source());
  input.says_rank = input.rank >= 0;
  return Status::Ok();
}

// Takes ranks from the files, else from their names, else the lowest free numbers.
Status AssignRanks(std::vector<Input>& inputs) {
  std::map<int64_t, const Input*> taken;
  for (Input& input : inputs) {
    if (Status s = TakeOwnRank(input); !s.ok()) return s;
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

// Adds the bytes of earlier inputs to the progress of this one.
class SumOfInputs : public Progress {
 public:
  SumOfInputs(Progress& all, std::span<const Input> inputs) : all_(all) {
    for (const Input& input : inputs) total_ += input.Bytes();
  }
  bool Report(uint64_t done, uint64_t) override { return all_.Report(before_ + done, total_); }
  void EndOfInput(uint64_t bytes) { before_ += bytes; }

 private:
  Progress& all_;
  uint64_t before_ = 0, total_ = 0;
};

// Small traces are read before a thread has started; on one core a second thread only costs time.
// ARCHITECTURE.md has the figures of the three ways to read.
bool TwoThreadsPay(std::span<const Input> inputs) {
  constexpr uint64_t kFromBytes = 1 << 20;
  uint64_t bytes = 0;
  for (const Input& input : inputs) bytes += input.Bytes();
  return bytes >= kFromBytes && std::thread::hardware_concurrency() > 1;
}

// Lets the work continue until Stop().
class UntilStopped : public Progress {
 public:
  bool Report(uint64_t, uint64_t) override { return !stopped_; }
  void Stop() { stopped_ = true; }

 private:
  std::atomic<bool> stopped_ = false;
};

// Reads the input twice at once, each time for one half of the model.
Status ReadInHalves(const Input& input, const ReadOptions& options, ModelBuilder& builder,
                    Diagnostics& diags) {
  PairedSource pair(input.source());
  UntilStopped go_on;
  std::future<Status> work = std::async(std::launch::async, [&] {
    const PairedSource::Reading reading(pair, 1);
    Diagnostics same;  // the other reading finds the same faults
    return input.reader()->read(reading,
                                {.rank = options.rank,
                                 .files = options.files,
                                 .is_last_file = options.is_last_file,
                                 .progress = &go_on,
                                 .share = options.share},
                                builder.work_half(), same);
  });
  Status status;
  {
    const PairedSource::Reading reading(pair, 0);
    status = input.reader()->read(reading, options, builder.timeline_half(), diags);
    if (!status.ok()) go_on.Stop();
  }
  const Status of_work = work.get();
  return status.ok() ? of_work : status;
}

Result<TraceModel> LoadInputs(std::vector<Input>& inputs, Diagnostics& diags, uint32_t parts,
                              Progress* progress, std::shared_ptr<ScratchFile> scratch) {
  if (inputs.empty()) return Status(ErrorCode::kInvalidArgument, "no trace was given");
  if (inputs.size() > 1) {
    if (Status s = AssignRanks(inputs); !s.ok()) return s;
    std::sort(inputs.begin(), inputs.end(),
              [](const Input& a, const Input& b) { return a.rank < b.rank; });
  } else if (Status s = TakeOwnRank(inputs.front()); !s.ok()) {
    return s;
  }
  std::optional<SumOfInputs> sum;
  if (progress != nullptr) sum.emplace(*progress, inputs);
  const bool two_threads = TwoThreadsPay(inputs);
  const bool in_halves =
      two_threads && std::all_of(inputs.begin(), inputs.end(),
                                 [](const Input& input) { return input.reader()->in_halves; });
  using Threads = ModelBuilder::Threads;
  ModelBuilder builder(diags, parts, std::move(scratch),
                       two_threads && !in_halves ? Threads::kTwo : Threads::kOne);
  const ReaderSpec* const first_reader = inputs.front().reader();
  std::unique_ptr<BetweenFiles> between_files;
  for (Input& input : inputs) {
    if (Status s = input.Open(); !s.ok()) return s;
    const bool is_one_of_many = inputs.size() > 1 && input.reader() == first_reader;
    const ReadOptions options{.rank = static_cast<uint32_t>(std::max<int64_t>(input.rank, 0)),
                              .files = static_cast<uint32_t>(inputs.size()),
                              .is_last_file = &input == &inputs.back(),
                              .between_files = is_one_of_many ? &between_files : nullptr,
                              .progress = sum ? &*sum : nullptr,
                              .share = input.share()};
    if (Status s = in_halves ? ReadInHalves(input, options, builder, diags)
                             : input.reader()->read(input.source(), options, builder, diags);
        !s.ok())
      return s;
    if (sum) sum->EndOfInput(input.Bytes());
    input.Close();
  }
  auto model = std::move(builder).Finish();
  if (model.ok()) {
    // A process with a known rank belongs to an MPI program, even if the file has no MPI events.
    for (uint32_t i = 0; inputs.size() > 1 && i < model->ranks.size(); ++i)
      for (const Input& input : inputs)
        if (input.says_rank && input.rank == model->ranks.rank[i] &&
            model->ranks.world_size[i] == 0)
          model->ranks.world_size.Set(i, static_cast<uint32_t>(inputs.size()));
    return model;
  }
  const std::string more = inputs.size() > 1 ? ", ..." : "";
  return model.status().WithPrefix(inputs.front().path() + more);
}

Result<TraceModel> LoadShare(std::span<const std::string> paths, double share, Diagnostics& diags,
                             uint32_t parts, Progress* progress,
                             std::shared_ptr<ScratchFile> scratch) {
  auto files = TraceFiles(paths);
  if (!files.ok()) return files.status();
  std::vector<Input> inputs;
  for (std::string& file : *files) inputs.emplace_back(std::move(file), share);
  return LoadInputs(inputs, diags, parts, progress, std::move(scratch));
}

}  // namespace

Result<TraceModel> Load(std::span<const std::unique_ptr<Source>> sources, Diagnostics& diags,
                        uint32_t parts, Progress* progress) {
  std::vector<Input> inputs;
  for (const auto& source : sources) inputs.emplace_back(*source);
  return LoadInputs(inputs, diags, parts, progress, nullptr);
}

Result<TraceModel> LoadPaths(std::span<const std::string> paths, Diagnostics& diags, uint32_t parts,
                             Progress* progress, std::shared_ptr<ScratchFile> scratch) {
  return LoadShare(paths, 1, diags, parts, progress, std::move(scratch));
}

Result<TraceModel> LoadBeginning(std::span<const std::string> paths, double share,
                                 Diagnostics& diags, uint32_t parts, Progress* progress) {
  return LoadShare(paths, share, diags, parts, progress, nullptr);
}

}  // namespace tasklens
