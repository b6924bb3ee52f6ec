// SPDX-License-Identifier: Apache-2.0
// Traces of Paje, as StarPU's tool writes them, and we ourselves, and others for ViTE and pj_dump
// (SimGrid, Akypuera, PaRSEC, ...). paje_file.h is the form, paje_decoder.h what it means.
#include <string_view>

#include "converters/formats.h"
#include "converters/readers/paje_decoder.h"

namespace tasklens {
namespace {

bool Sniff(std::span<const std::byte> head) {
  return IsPaje({reinterpret_cast<const char*>(head.data()), head.size()});
}

int64_t NoRank(const Source&) { return -1; }

Status Read(const Source& source, const ReadOptions& options, EventSink& sink, Diagnostics& diags) {
  PajeDecoder decoder(options.rank, source.path(), sink, diags);
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
    .rank = &NoRank,
    .read = &Read,
    .beginning = Beginning::kFirstBytes,
};

}  // namespace tasklens
