// SPDX-License-Identifier: Apache-2.0
// Reads a .tlt file: bytes in, events out. The file may be closed, cut off by a crash, damaged, or
// still being written; everything that is complete is delivered and the rest is counted:
//
//   tlt_not_closed  the recorder did not finish
//   tlt_dropped     events that the recorder counted instead of recording
//   tlt_truncated   the file was closed and is shorter now
//   tlt_bad_chunk   bytes that are no chunk or no record; reading went on behind them
//   tlt_bad_record  a record of an unknown kind, or with an unknown string
//   tlt_missing_text  a record with an unknown string, in a file that is not closed: another thread
//                   wrote the string while the file was read
//
// Untrusted input: any bytes are accepted, in memory proportional to their number. Files of either
// byte order are read.
//
// Threads: functions without state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "trace/events/event_sink.h"
#include "trace/format/format.h"
#include "trace/support/diagnostics.h"
#include "trace/support/progress.h"
#include "trace/support/status.h"

namespace tasklens::tlt {

// Whether a file that begins with `head` calls itself a .tlt file.
bool LooksLikeTrace(std::span<const std::byte> head);

// Returns the header, in this machine's byte order. `path` is for the message. Fails with kCorrupt,
// or kUnsupported for another major version.
Result<FileHeader> ReadHeader(const std::string& path, std::span<const std::byte> bytes);

// Delivers the events of all threads to `sink`, merged in order of time; times are CLOCK_MONOTONIC
// of the recording machine. Before them come wall_clock and program_info (program, host, pid) of
// thread 0, which stands for "no thread". `path` is for messages. Fails as ReadHeader() does, or
// with kCancelled when `progress` (which may be null) says so.
// With `share` less than 1, delivers only the beginning of the run: all threads up to the same
// moment, about this share of the file. Most of the rest of the file is not touched.
// `bytes` may change while they are read (a mapped file that is being recorded), but not shrink.
Status ReadTrace(const std::string& path, std::span<const std::byte> bytes, uint32_t rank,
                 EventSink& sink, Diagnostics& diags, Progress* progress = nullptr,
                 double share = 1);

}  // namespace tasklens::tlt
