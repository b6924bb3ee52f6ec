// SPDX-License-Identifier: Apache-2.0
// Traces of Paraver (.prv, also compressed with gzip) from Extrae, ovni and other tools, and from
// our writer, in today's dialect and in the document's. prv_lines.h splits them into lines,
// prv_header.h parses the first line, prv_labels.h the files beside the trace, prv_decoder.h the
// records.
//
// The .pcf and .row have the name of the trace with .pcf or .row instead of .prv or .prv.gz. A
// trace without them has numbers instead of names.
#include <optional>
#include <string>

#include "converters/formats.h"
#include "converters/readers/prv_decoder.h"
#include "converters/readers/prv_lines.h"

namespace tasklens {
namespace {

int64_t NoRank(const Source&) { return -1; }

class Reader {
 public:
  Reader(const Source& source, const ReadOptions& options, EventSink& sink, Diagnostics& diags)
      : source_(source), options_(options), sink_(sink), diags_(diags) {}

  Status Read() {
    const auto line = [&](std::string_view text, uint64_t offset) { Line(text, offset); };
    if (Status s = ReadPrvLines(source_, options_.progress, diags_, line); !s.ok()) return s;
    if (!decoder_) return NotAPrv(source_.path());
    decoder_->Finish();
    return Status::Ok();
  }

 private:
  void Line(std::string_view line, uint64_t offset) {
    if (decoder_) return decoder_->Line(line, offset);
    if (offset != 0) return;  // without a header nothing can be decoded
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    auto header = ParsePrvHeader(line);
    if (!header) return;
    header_ = std::move(*header);
    ReadPcf(FileBesidePrv(source_.path(), ".pcf"), labels_);
    ReadRow(FileBesidePrv(source_.path(), ".row"), labels_);
    decoder_.emplace(header_, labels_, options_.rank, source_.path(), sink_, diags_);
  }

  const Source& source_;
  const ReadOptions& options_;
  EventSink& sink_;
  Diagnostics& diags_;
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
                               &IsPrv,
                               &NoRank,
                               &Read};

}  // namespace tasklens
