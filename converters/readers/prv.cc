// SPDX-License-Identifier: Apache-2.0
// Traces of Paraver (.prv, also compressed with gzip), as Extrae, ovni and others write them, and
// we ourselves: of today's dialect and of the document's. prv_header.h is their first line,
// prv_labels.h the files beside them, prv_decoder.h what records mean.
//
// The .pcf and .row are those called like the trace, with .pcf or .row for its .prv or .prv.gz. A
// trace without them has numbers for names.
#define ZLIB_CONST  // its input is not written to
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "converters/formats.h"
#include "converters/readers/prv_decoder.h"

namespace tasklens {
namespace {

constexpr std::string_view kMagic = "#Paraver";
constexpr size_t kChunkBytes = size_t{1} << 20;
// A header names every process of the run.
constexpr size_t kLongestLine = size_t{64} << 20;
// Text of traces shrinks to a tenth or so. What would grow by more than this is no trace.
constexpr uint64_t kMostGrowth = 200;

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool IsCompressed(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

// Bytes of a gzip file, a chunk at a time.
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

  // The next bytes, at most out.size(); 0 at the end, and when the rest cannot be read.
  size_t Next(std::span<char> out) {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    while (ready_ && !ended_ && !damaged_ && stream_.avail_out > 0) {
      Refill();
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        NextMember();
      } else if (result != Z_OK) {
        damaged_ = true;  // also when the input is at its end
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
  // gzip files may be put one after the other.
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

bool Sniff(std::span<const std::byte> head) {
  const std::string_view text = AsText(head);
  if (!IsCompressed(text)) return text.starts_with(kMagic);
  char begin[kMagic.size()];
  const size_t size = Inflater(text).Next(begin);
  return std::string_view(begin, size) == kMagic;
}

int64_t NoRank(const Source&) { return -1; }

// Cuts chunks into lines.
class Lines {
 public:
  // Calls f(line, offset) for each line that ends in what was fed so far.
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
  // The same for what is left, which no newline ends.
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

// The whole text of the file called like the trace, with `extension`; "" when there is none.
std::string FileBeside(const std::string& path, std::string_view extension) {
  for (const std::string_view own : {".prv", ".prv.gz"}) {
    if (!path.ends_with(own)) continue;
    const auto source =
        OpenSource(path.substr(0, path.size() - own.size()) + std::string(extension));
    if (source.ok()) return std::string(AsText((*source)->bytes()));
  }
  return "";
}

class Reader {
 public:
  Reader(const Source& source, const ReadOptions& options, EventSink& sink, Diagnostics& diags)
      : source_(source), options_(options), sink_(sink), diags_(diags) {}

  Status Read() {
    const std::string_view bytes = AsText(source_.bytes());
    if (Status s = IsCompressed(bytes) ? ReadCompressed(bytes) : ReadPlain(bytes); !s.ok())
      return s;
    lines_.End([&](std::string_view line, uint64_t offset) { Line(line, offset); });
    if (lines_.too_long() > 0) diags_.Skip("prv_long_line", source_.path(), lines_.too_long());
    if (!decoder_)
      return {ErrorCode::kCorrupt,
              source_.path() +
                  ": line 1: not a header of Paraver's ('#Paraver (date):time:nodes:"
                  "applications'); is the file whole?"};
    decoder_->Finish();
    return Status::Ok();
  }

 private:
  Status ReadPlain(std::string_view bytes) {
    for (size_t begin = 0; begin < bytes.size(); begin += kChunkBytes) {
      const std::string_view chunk = bytes.substr(begin, kChunkBytes);
      Feed(chunk);
      source_.Forget(begin, begin + chunk.size());
      if (Status s = Report(begin + chunk.size()); !s.ok()) return s;
    }
    return Status::Ok();
  }

  Status ReadCompressed(std::string_view bytes) {
    Inflater inflater(bytes);
    std::string chunk(kChunkBytes, '\0');
    while (const size_t size = inflater.Next(chunk)) {
      Feed(std::string_view(chunk).substr(0, size));
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

  void Feed(std::string_view chunk) {
    lines_.Feed(chunk, [&](std::string_view line, uint64_t offset) { Line(line, offset); });
  }

  Status Report(uint64_t done) {
    if (options_.progress != nullptr && !options_.progress->Report(done, source_.bytes().size()))
      return {ErrorCode::kCancelled, source_.path() + ": reading was stopped"};
    return Status::Ok();
  }

  void Line(std::string_view line, uint64_t offset) {
    if (decoder_) return decoder_->Line(line, offset);
    if (offset != 0) return;  // without a header nothing can be read
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    auto header = ParsePrvHeader(line);
    if (!header) return;
    header_ = std::move(*header);
    ReadPcf(FileBeside(source_.path(), ".pcf"), labels_);
    ReadRow(FileBeside(source_.path(), ".row"), labels_);
    decoder_.emplace(header_, labels_, options_.rank, source_.path(), sink_, diags_);
  }

  const Source& source_;
  const ReadOptions& options_;
  EventSink& sink_;
  Diagnostics& diags_;
  Lines lines_;
  PrvHeader header_;
  PrvLabels labels_;
  std::optional<PrvDecoder> decoder_;
};

Status Read(const Source& source, const ReadOptions& options, EventSink& sink, Diagnostics& diags) {
  return Reader(source, options, sink, diags).Read();
}

}  // namespace

extern const ReaderSpec kPrvReader;
const ReaderSpec kPrvReader = {"prv",
                               "Paraver trace (.prv, .prv.gz) with the .pcf and .row beside it",
                               /*sniff_order=*/30,
                               &Sniff,
                               &NoRank,
                               &Read};

}  // namespace tasklens
