// SPDX-License-Identifier: Apache-2.0
// The meaning of each parameter of StarPU's FxT events in each version: one row for each form of an
// event. Made from the trace points in StarPU's sources (branches starpu-1.3 and starpu-1.4, and
// master of August 2026), where an event of one name has different parameters in different
// versions.
//
// Threads: constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tasklens {

enum class FxtDialect : uint8_t { k13, k14, kMaster };
inline constexpr size_t kFxtDialects = 3;

struct FxtForm {
  uint16_t code;
  std::string_view versions;  // "3", "4", "m": the versions that write it
  // The names of the parameters, separated by blanks: `-name` is ignored on purpose, `*name` is a
  // string and fills the record, `name...` and all after it are any number of numbers.
  std::string_view parameters;
  std::string_view why;  // why parameters are ignored; "" if none are
  uint16_t last = code;  // the form is that of all codes up to this one

  constexpr bool IsIn(FxtDialect dialect) const {
    return versions.find("34m"[static_cast<size_t>(dialect)]) != versions.npos;
  }
};

// In the order of codes; all codes that StarPU writes, and those of FxT itself.
std::span<const FxtForm> FxtForms();

// The possible numbers of parameters of one event in one dialect.
struct FxtCounts {
  uint8_t numbers = 0xff;  // before the string or the repeated ones; 0xff: the event does not exist
  bool has_text = false;   // in one of its forms
  uint32_t exact = 0;      // a bit for each count of forms without string
  uint8_t from = 0xff;     // and any count from here on

  constexpr bool Allows(uint32_t params) const {
    return params >= from || (params < 32 && (exact >> params & 1) != 0);
  }
};
// By dialect.
std::array<FxtCounts, kFxtDialects> FxtCountsOf(uint16_t code);

}  // namespace tasklens
