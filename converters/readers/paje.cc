// SPDX-License-Identifier: Apache-2.0
// Paje traces of StarPU's tool, of our writer, and of other tools for ViTE and pj_dump (SimGrid,
// Akypuera, PaRSEC, ...). paje_file.h parses the lines, paje_decoder.h interprets them.
#include <algorithm>
#include <string_view>

#include "converters/formats.h"
#include "converters/readers/paje_decoder.h"
#include "trace/support/read_number.h"

namespace tasklens {
namespace {

bool Sniff(std::span<const std::byte> head) {
  return IsPaje({reinterpret_cast<const char*>(head.data()), head.size()});
}

// Returns the rank in StarPU's container "R_program", if it is in the first part of the file.
int64_t Rank(const Source& source) {
  constexpr size_t kPart = 1 << 20;
  constexpr std::string_view kProgram = "_program";
  const std::string_view text(reinterpret_cast<const char*>(source.bytes().data()),
                              std::min(source.bytes().size(), kPart));
  const size_t end = text.find(kProgram);
  if (end == text.npos || end == 0) return -1;
  const size_t begin = text.find_last_not_of("0123456789", end - 1) + 1;
  uint32_t rank = 0;
  return ReadNumber(text.substr(begin, end - begin), rank) ? int64_t{rank} : -1;
}

Status Read(const Source& source, const ReadOptions& options, EventSink& sink, Diagnostics& diags) {
  PajeDecoder decoder(options, source.path(), sink, diags);
  if (Status s = ReadPajeLines(source, options.progress, diags,
                               [&](const PajeLine& line) { decoder.Line(line); });
      !s.ok())
    return s;
  decoder.Finish();
  return Status::Ok();
}

}  // namespace

extern const ReaderSpec kPajeReader;
const ReaderSpec kPajeReader = {
    .name = "paje",
    .description = "Paje trace, of StarPU's tool, SimGrid and others",
    .sniff_order = 40,
    .sniff = &Sniff,
    .rank = &Rank,
    .read = &Read,
    .beginning = Beginning::kFirstBytes,
};

}  // namespace tasklens
