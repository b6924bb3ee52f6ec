// SPDX-License-Identifier: Apache-2.0
// State of the reader of FxT files: see fxt_decoder.h.
#include "converters/readers/fxt_decoder.h"

#include <algorithm>
#include <cstring>

namespace tasklens {
namespace {

template <class Word>
uint64_t Load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// REQUIRES: text is not empty. Reads whole words, the last one overlapping, because strings of
// traces are short.
uint32_t Hash(std::string_view text) {
  constexpr uint64_t kMix = 0x9e3779b97f4a7c15;
  const char* at = text.data();
  const char* const end = at + text.size();
  uint64_t hash = text.size() * kMix;
  uint64_t last = 0;
  if (text.size() >= 8) {
    for (; end - at > 8; at += 8) {
      hash = (hash ^ Load<uint64_t>(at)) * kMix;
      hash ^= hash >> 29;
    }
    last = Load<uint64_t>(end - 8);
  } else if (text.size() >= 4) {
    last = Load<uint32_t>(at) << 32 | Load<uint32_t>(end - 4);
  } else {
    last =
        Load<uint8_t>(at) << 16 | Load<uint8_t>(at + text.size() / 2) << 8 | Load<uint8_t>(end - 1);
  }
  hash = (hash ^ last) * kMix;
  return static_cast<uint32_t>(hash >> 32);
}

// REQUIRES: size > 0. Whole words, as above, without a call of memcmp().
bool AreEqual(const char* a, const char* b, size_t size) {
  if (size < 8) {
    if (size >= 4)
      return Load<uint32_t>(a) == Load<uint32_t>(b) &&
             Load<uint32_t>(a + size - 4) == Load<uint32_t>(b + size - 4);
    return a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1];
  }
  for (size_t at = 0; at + 8 < size; at += 8)
    if (Load<uint64_t>(a + at) != Load<uint64_t>(b + at)) return false;
  return Load<uint64_t>(a + size - 8) == Load<uint64_t>(b + size - 8);
}

}  // namespace

FxtDecoder::FxtDecoder(FxtDialect dialect, uint32_t rank, std::string_view path, EventSink& sink,
                       Diagnostics& diags)
    : dialect_(dialect),
      rank_(rank),
      path_(path),
      sink_(sink),
      diags_(diags),
      cache_(std::make_unique<CachedString[]>(kCacheSize)),
      kind_of_code_(kCodes, kUnknown) {
  for (size_t kind = 0; kind < kEventKinds; ++kind)
    wants_[kind] = sink.Wants(static_cast<EventKind>(kind));
  for (const FxtRow& row : FxtRows()) {
    const std::array<FxtCounts, kFxtDialects> counts = FxtCountsOf(row.code);
    const FxtCounts& here = counts[static_cast<size_t>(dialect)];
    uint8_t least = 0xff;
    for (const FxtCounts& of : counts) least = std::min(least, of.numbers);
    const auto& [handler, sends] = row.handler;
    const bool is_wanted = sends.empty() || std::any_of(sends.begin(), sends.end(),
                                                        [this](auto kind) { return Wants(kind); });
    kind_of_code_[row.code] = static_cast<uint8_t>(kinds_.size());
    kinds_.push_back({.handler = is_wanted ? handler : nullptr,
                      .code = row.code,
                      .least = least,
                      .text_at = here.numbers == 0xff ? least : here.numbers,
                      .counts = here});
  }
}

void FxtDecoder::Decode(const FxtRecord& record, size_t offset) {
  offset_ = offset;
  const uint8_t index = record.code < kCodes ? kind_of_code_[record.code] : kUnknown;
  if (index == kUnknown) {
    CountUnknown(record.code);
    return;
  }
  Kind& kind = kinds_[index];
  ++kind.count;
  if (record.params < kind.least) {
    Skip("fxt_short_event");
    return;
  }
  if (!kind.counts.Allows(record.params)) Skip("fxt_other_parameters");
  if (kind.handler == nullptr) return;
  time_ns_ = record.time_ns;
  header_tid_ = record.tid;
  text_at_ = kind.text_at;
  kind.handler(*this, record);
}

void FxtDecoder::CountUnknown(uint64_t code) {
  Skip("fxt_unknown_event");
  if (unknown_counts_.size() < kMaxUnknownCodes || unknown_counts_.contains(code))
    ++unknown_counts_[code];
}

void FxtDecoder::Finish(int64_t time_ns) {
  time_ns_ = time_ns;
  if (flushes_ > 0)
    diags_.Skip("fxt_flush", path_ + ": " + std::to_string(flushed_ns_ / 1000) + " us in all",
                flushes_);
  if (unknown_tags_ > 0) diags_.Skip("fxt_unknown_tags", path_, unknown_tags_);
  std::vector<std::pair<uint64_t, uint64_t>> counts(unknown_counts_.begin(), unknown_counts_.end());
  for (const Kind& kind : kinds_)
    if (kind.count != 0) counts.emplace_back(kind.code, kind.count);
  std::sort(counts.begin(), counts.end());
  for (const auto& [code, count] : counts) Emit(EventKind::kSourceEventCount, 0, code, count);
}

// Records with the same string mostly have the same bytes up to their end.
StringId FxtDecoder::Text(const FxtRecord& record) {
  const std::string_view bytes = record.TextBytes(text_at_);
  if (bytes.empty()) return 0;
  CachedString& cached = cache_[Hash(bytes) % kCacheSize];
  if (cached.bytes.size() != bytes.size() ||
      !AreEqual(cached.bytes.data(), bytes.data(), bytes.size())) {
    cached.bytes = bytes;
    cached.id = sink_.Intern(record.Text(text_at_));
  }
  return cached.id;
}

FxtDecoder::Worker* FxtDecoder::FindWorker(uint64_t id) {
  if (id >= workers_.size()) {
    if (id >= kMaxWorkers) {
      Skip("fxt_bad_worker");
      return nullptr;
    }
    workers_.resize(id + 1);
  }
  return &workers_[id];
}

StringId FxtDecoder::AddWorker(uint64_t id, WorkerArch arch, int32_t device, uint64_t tid,
                               bool sync) {
  if (Worker* worker = FindWorker(id)) *worker = {tid, 0};
  worker_tids_[tid] = sync ? ThreadKind::kSync : ThreadKind::kDevice;
  has_devices_ |= !sync;
  std::string name = std::string(WorkerArchName(arch)) + std::to_string(device);
  // Several streams of one CUDA device are workers with the same device number.
  if (arch == WorkerArch::kCuda) name += '_' + std::to_string(cuda_streams_[device]++);
  return sink_.Intern(name);
}

void FxtDecoder::Skip(std::string_view kind) {
  const bool first = diags_.Count(kind) == 0;
  diags_.Skip(kind, first ? path_ + ": byte " + std::to_string(offset_) : std::string());
}

}  // namespace tasklens
