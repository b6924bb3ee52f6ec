// SPDX-License-Identifier: Apache-2.0
// Shared by commands that read traces: reads them with progress, summarizes a run, and reports
// problems of the input.
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

// Returns tasks, workers, span and efficiency; then the `most_sites` costliest submission sites as
// FILE:LINE; then the number of further sites, and of tasks without a known site. Every line ends
// with a newline.
std::string SummaryText(const TraceModel& model, size_t most_sites);

// Prints the problems of the input on standard error. Returns kExitFault if a file was truncated,
// because then no number is that of the run, or if `strict` is set and data are missing; else
// kExitDone.
int ReportDiagnostics(const Diagnostics& diags, bool strict);

// "842 bytes", "3.3 MB"; a MB is 1000000 bytes.
std::string BytesText(uint64_t bytes);

}  // namespace tasklens
