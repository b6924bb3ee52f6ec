// SPDX-License-Identifier: Apache-2.0
// TaskLens's own trace files (.tlt), written by runtime/recorder; see trace/format/format.md.
#include "converters/formats.h"
#include "trace/format/reader.h"

namespace tasklens {
namespace {

int64_t Rank(const Source& source) {
  auto header = tlt::ReadHeader(source.path(), source.bytes());
  return header.ok() ? header->rank : -1;
}

Status Read(const Source& source, const ReadOptions& options, EventSink& sink, Diagnostics& diags) {
  return tlt::ReadTrace(source.path(), source.bytes(), options.rank, sink, diags, options.progress,
                        options.share);
}

}  // namespace

extern const ReaderSpec kTltReader;
constinit const ReaderSpec kTltReader = {
    .name = "tlt",
    .description = "TaskLens trace",
    .sniff_order = 10,
    .sniff = &tlt::LooksLikeTrace,
    .rank = &Rank,
    .read = &Read,
    .beginning = Beginning::kByReader,
};

}  // namespace tasklens
