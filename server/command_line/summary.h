// SPDX-License-Identifier: Apache-2.0
// What commands that read traces share: reading with progress, a run in a few lines of text, and
// what was wrong with the input.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "trace/model/trace_model.h"
#include "trace/support/diagnostics.h"
#include "trace/support/scratch_file.h"
#include "trace/support/status.h"

namespace tasklens {

// LoadPaths() with progress on the terminal.
Result<TraceModel> LoadWithProgress(std::span<const std::string> paths, Diagnostics& diags,
                                    uint32_t parts, std::shared_ptr<ScratchFile> scratch = nullptr);

// Tasks, workers, span and efficiency, then the `most_sites` costliest submission sites as
// FILE:LINE, and what is left: how many more, and the tasks of no known site. Every line ends with
// a newline.
std::string SummaryText(const TraceModel& model, size_t most_sites);

// Prints what was wrong with the input on standard error, if anything. The exit status is
// kExitFault where a file was cut, as then no number is that of the run, and where `strict` asks
// for an error and anything of the input is missing; else kExitDone.
int ReportDiagnostics(const Diagnostics& diags, bool strict);

// "842 bytes", "3.3 MB": of a thousand thousand bytes.
std::string BytesText(uint64_t bytes);

}  // namespace tasklens
