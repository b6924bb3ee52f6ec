// SPDX-License-Identifier: Apache-2.0
// Translates StarPU's FxT events: one row for each code, with the handler that turns a record into
// our events. Files carry no version; three dialects are known, StarPU 1.3, StarPU 1.4, and its
// master branch after 1.4 (2026), and are told apart by records that only one of them writes.
// fxt_parameters.h has the parameters of each event in each dialect.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "converters/readers/fxt_file.h"
#include "converters/readers/fxt_parameters.h"
#include "trace/events/events.h"

namespace tasklens {

class FxtDecoder;

std::string_view FxtDialectName(FxtDialect dialect);  // "StarPU 1.3"

// Guesses the dialect of a file's events: that of the first record whose parameters exist in one
// dialect only; 1.4 if there is none.
class FxtDialectGuess {
 public:
  // Returns whether the dialect is certain now. Call with each record, in the order of the file.
  bool IsSettledBy(const FxtRecord& record);
  FxtDialect dialect() const { return dialect_; }

 private:
  FxtDialect dialect_ = FxtDialect::k14;
};

struct FxtRow {
  // Turns a record into events.
  using Function = void (*)(FxtDecoder&, const FxtRecord&);
  struct Handler {
    Function function;  // nullptr: the record has nothing that we use
    // If the function only sends events of some kinds: these kinds, so that it need not be called
    // if the sink wants none of them. Else empty.
    std::span<const EventKind> sends;
  };

  uint16_t code;
  std::string_view name;  // without StarPU's _STARPU_FUT_ or _STARPU_MPI_FUT_
  Handler handler;
};

// All codes that StarPU 1.3, 1.4 and its master write, and those of FxT itself.
std::span<const FxtRow> FxtRows();

}  // namespace tasklens
