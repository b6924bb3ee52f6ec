// SPDX-License-Identifier: Apache-2.0
// What StarPU's FxT events mean: one row for each code, with the handler that turns a record into
// our events. Files carry no version; three dialects are known, told apart by how many parameters
// some events have: StarPU 1.3, StarPU 1.4, and its master branch after 1.4 (2026).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "converters/readers/fxt_file.h"
#include "trace/events/events.h"

namespace tasklens {

class FxtDecoder;

enum class FxtDialect : uint8_t { k13, k14, kMaster };
inline constexpr size_t kFxtDialects = 3;
std::string_view FxtDialectName(FxtDialect dialect);  // "StarPU 1.3"

// The dialect of a file's events: that of the first record whose parameters give it away, looked
// for in the first `limit_bytes` of each block; 1.4 when nothing does.
FxtDialect GuessFxtDialect(const FxtFile& file, size_t limit_bytes);

struct FxtRow {
  // Turns a record into events.
  using Function = void (*)(FxtDecoder&, const FxtRecord&);
  struct Handler {
    Function function;  // nullptr: the record carries nothing for us
    // If it does nothing but send events of some kinds: these, so that it need not be called where
    // nobody wants them. Else empty.
    std::span<const EventKind> sends;
  };

  // In a dialect that does not have the event.
  static constexpr uint8_t kAbsent = 0xff;

  uint16_t code;
  std::string_view name;  // without StarPU's _STARPU_FUT_ or _STARPU_MPI_FUT_
  // Numeric parameters in each dialect; a string, if there is one, follows them.
  std::array<uint8_t, kFxtDialects> numbers;
  bool has_text;
  Handler handler;
  // Fewer parameters than this no version writes.
  constexpr uint8_t Least() const {
    uint8_t least = kAbsent;
    for (uint8_t n : numbers) least = n < least ? n : least;
    return least;
  }
};

// Every code that StarPU 1.3, 1.4 and its master write, and those that FxT itself adds.
std::span<const FxtRow> FxtRows();

}  // namespace tasklens
