// SPDX-License-Identifier: Apache-2.0
// Reads chunks, inflates gzip, splits lines, parses numbers.
#include "converters/readers/prv_lines.h"

#define ZLIB_CONST  // its input is not written to
#include <zlib.h>

#include <algorithm>
#include <filesystem>

namespace tasklens {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
// A header lists every process of the run.
constexpr size_t kLongestLine = size_t{64} << 20;
// Traces typically compress to a tenth. A file that expands by more than this is not a trace.
constexpr uint64_t kMostGrowth = 200;

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool IsCompressed(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

// Inflates a gzip file, one chunk at a time.
class Inflater {
 public:
  explicit Inflater(std::string_view input) : rest_(input) {
    constexpr int kGzip = 16 + MAX_WBITS;
    ready_ = inflateInit2(&stream_, kGzip) == Z_OK;
  }
  Inflater(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }

  // Returns the next bytes, at most out.size(); 0 at the end, and if the rest cannot be read.
  size_t Next(std::span<char> out) {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    while (ready_ && !ended_ && !damaged_ && stream_.avail_out > 0) {
      Refill();
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        NextMember();
      } else if (result != Z_OK) {
        damaged_ = true;  // also at an unexpected end of the input
      }
    }
    const size_t got = out.size() - stream_.avail_out;
    total_ += got;
    return got;
  }
  bool damaged() const { return damaged_ || !ready_; }
  uint64_t consumed() const { return consumed_ - stream_.avail_in; }
  uint64_t total() const { return total_; }

 private:
  void Refill() {
    if (stream_.avail_in > 0) return;
    const size_t count = std::min(rest_.size(), kChunkBytes);
    stream_.next_in = reinterpret_cast<const Bytef*>(rest_.data());
    stream_.avail_in = static_cast<uInt>(count);
    rest_.remove_prefix(count);
    consumed_ += count;
  }
  // Several gzip files may be concatenated.
  void NextMember() {
    Refill();
    if (stream_.avail_in == 0)
      ended_ = true;
    else
      damaged_ = inflateReset(&stream_) != Z_OK;
  }

  z_stream stream_{};
  std::string_view rest_;
  uint64_t consumed_ = 0, total_ = 0;
  bool ready_ = false, ended_ = false, damaged_ = false;
};

// Splits chunks into lines.
class Lines {
 public:
  // Calls f(line, offset) for each line that is complete now.
  template <class F>
  void Feed(std::string_view chunk, F f) {
    while (!chunk.empty()) {
      const size_t end = chunk.find('\n');
      if (end == chunk.npos) {
        Keep(chunk);
        return;
      }
      const std::string_view part = chunk.substr(0, end);
      if (begun_.empty() && !skipping_) {
        f(part, offset_);
        offset_ += part.size() + 1;
      } else {
        Keep(part);
        End(f);
        ++offset_;
      }
      chunk.remove_prefix(end + 1);
    }
  }
  // The same for the rest, which has no newline.
  template <class F>
  void End(F f) {
    if (!skipping_ && !begun_.empty()) f(begun_, offset_ - begun_.size());
    begun_.clear();
    skipping_ = false;
  }
  uint64_t too_long() const { return too_long_; }

 private:
  void Keep(std::string_view part) {
    offset_ += part.size();
    if (skipping_) return;
    begun_ += part;
    if (begun_.size() <= kLongestLine) return;
    ++too_long_;
    skipping_ = true;
    begun_.clear();
  }

  std::string begun_;
  uint64_t offset_ = 0, too_long_ = 0;
  bool skipping_ = false;
};

class LineReader {
 public:
  LineReader(const Source& source, Progress* progress, Diagnostics& diags,
             const std::function<void(std::string_view, uint64_t)>& f)
      : source_(source), progress_(progress), diags_(diags), f_(f) {}

  Status Read() {
    const std::string_view bytes = AsText(source_.bytes());
    if (Status s = IsCompressed(bytes) ? ReadCompressed(bytes) : ReadPlain(bytes); !s.ok())
      return s;
    lines_.End(f_);
    if (lines_.too_long() > 0) diags_.Skip("prv_long_line", source_.path(), lines_.too_long());
    return Status::Ok();
  }

 private:
  Status ReadPlain(std::string_view bytes) {
    for (size_t begin = 0; begin < bytes.size(); begin += kChunkBytes) {
      const std::string_view chunk = bytes.substr(begin, kChunkBytes);
      lines_.Feed(chunk, f_);
      source_.Forget(begin, begin + chunk.size());
      if (Status s = Report(begin + chunk.size()); !s.ok()) return s;
    }
    return Status::Ok();
  }

  Status ReadCompressed(std::string_view bytes) {
    Inflater inflater(bytes);
    std::string chunk(kChunkBytes, '\0');
    while (const size_t size = inflater.Next(chunk)) {
      lines_.Feed(std::string_view(chunk).substr(0, size), f_);
      if (inflater.total() > kMostGrowth * bytes.size() + kChunkBytes) {
        diags_.Skip("prv_truncated", source_.path() + ": more than " + std::to_string(kMostGrowth) +
                                         " times as large as its compressed form");
        break;
      }
      if (Status s = Report(inflater.consumed()); !s.ok()) return s;
    }
    if (inflater.damaged())
      diags_.Skip("prv_truncated",
                  source_.path() + ": byte " + std::to_string(inflater.consumed()));
    return Status::Ok();
  }

  Status Report(uint64_t done) {
    if (progress_ != nullptr && !progress_->Report(done, source_.bytes().size()))
      return {ErrorCode::kCancelled, source_.path() + ": reading was stopped"};
    return Status::Ok();
  }

  const Source& source_;
  Progress* const progress_;
  Diagnostics& diags_;
  const std::function<void(std::string_view, uint64_t)>& f_;
  Lines lines_;
};

}  // namespace

bool IsPrv(std::span<const std::byte> head) {
  const std::string_view text = AsText(head);
  if (!IsCompressed(text)) return text.starts_with(kPrvMagic);
  char begin[kPrvMagic.size()];
  const size_t size = Inflater(text).Next(begin);
  return std::string_view(begin, size) == kPrvMagic;
}

Status ReadPrvLines(const Source& source, Progress* progress, Diagnostics& diags,
                    const std::function<void(std::string_view, uint64_t)>& f) {
  return LineReader(source, progress, diags, f).Read();
}

bool ParsePrvRecord(std::string_view record, std::vector<int64_t>& fields) {
  fields.clear();
  const char* at = record.data();
  const char* const end = at + record.size();
  for (;;) {
    const bool negative = at < end && *at == '-';
    at += negative;
    const char* const first = at;
    uint64_t value = 0;
    for (; at < end && static_cast<unsigned char>(*at - '0') < 10; ++at)
      value = value * 10 + static_cast<uint64_t>(*at - '0');
    constexpr std::ptrdiff_t kMostDigits = 19;  // up to 10^19 - 1: may exceed 2^63, but not 2^64
    if (at == first || at - first > kMostDigits) return false;
    const uint64_t limit = uint64_t{INT64_MAX} + negative;
    if (value > limit) return false;
    fields.push_back(static_cast<int64_t>(negative ? 0 - value : value));
    if (at == end) return true;
    if (*at++ != ':') return false;
  }
}

std::vector<std::string> FilesBesidePrv(const std::string& path) {
  std::vector<std::string> files;
  for (const std::string_view own : {".prv", ".prv.gz"})
    if (path.ends_with(own))
      for (const std::string_view extension : {".pcf", ".row"})
        files.push_back(path.substr(0, path.size() - own.size()) + std::string(extension));
  return files;
}

std::string FileBesidePrv(const std::string& path, std::string_view extension) {
  for (const std::string& file : FilesBesidePrv(path)) {
    std::error_code error;  // opening a pipe may block for ever
    if (!file.ends_with(extension) || !std::filesystem::is_regular_file(file, error)) continue;
    const auto source = OpenSource(file);
    if (source.ok()) return std::string(AsText((*source)->bytes()));
  }
  return "";
}

}  // namespace tasklens
