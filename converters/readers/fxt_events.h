// SPDX-License-Identifier: Apache-2.0
// What StarPU's FxT events mean to us: one row for each code, with the handler that turns a record
// into our events. Files carry no version; three dialects are known, StarPU 1.3, StarPU 1.4, and
// its master branch after 1.4 (2026), told apart by what only one of them writes. fxt_parameters.h
// says which parameters an event has in each.
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

// The dialect of a file's events: that of the first record whose parameters give it away; 1.4 when
// none does.
class FxtDialectGuess {
 public:
  // Whether the dialect is certain now. To be asked with each record in the order of the file.
  bool IsSettledBy(const FxtRecord& record);
  FxtDialect dialect() const { return dialect_; }

 private:
  FxtDialect dialect_ = FxtDialect::k14;
};

struct FxtRow {
  // Turns a record into events.
  using Function = void (*)(FxtDecoder&, const FxtRecord&);
  struct Handler {
    Function function;  // nullptr: the record carries nothing for us
    // If it does nothing but send events of some kinds: these, so that it need not be called where
    // nobody wants them. Else empty.
    std::span<const EventKind> sends;
  };

  uint16_t code;
  std::string_view name;  // without StarPU's _STARPU_FUT_ or _STARPU_MPI_FUT_
  Handler handler;
};

// Every code that StarPU 1.3, 1.4 and its master write, and those that FxT itself adds.
std::span<const FxtRow> FxtRows();

}  // namespace tasklens
