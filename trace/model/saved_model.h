// SPDX-License-Identifier: Apache-2.0
// A TraceModel as bytes that can be used in place, so that the trace need not be read again.
//
// Not an exchange format: the bytes are those of the columns in memory, in the order of
// model_columns.h. Only the build of the program that wrote them can read them.
//
// Untrusted input: any bytes give a model that keeps the promises of trace_model.h or an error.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "trace/model/trace_model.h"
#include "trace/support/diagnostics.h"
#include "trace/support/status.h"

namespace tasklens {

// Writes `model` and the diagnostics of its trace as pieces of bytes; all together a multiple of 8.
void SaveModel(const TraceModel& model, const Diagnostics& diags,
               const std::function<void(std::string_view)>& write);

// Returns the model in `bytes`, which must be aligned for 8 bytes and must not change while the
// model lives; the model holds `storage` for that. Adds the saved diagnostics of the trace to
// `diags`. Memory is proportional to the number of strings, workers, transfers, messages and
// handles; columns stay where they are. kCorrupt says what is wrong.
Result<TraceModel> LoadModel(std::span<const std::byte> bytes, std::shared_ptr<const void> storage,
                             Diagnostics& diags);

}  // namespace tasklens
