// SPDX-License-Identifier: Apache-2.0
// Texts that are a number from their first character to their last: "12", not " 12" or "12a". The
// point of a decimal is a point, whatever the program chose by setlocale().
//
// False where the text is something else, or where `number` cannot hold it; then `number` is what
// the text begins with, if that is a number.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace tasklens {

template <class Integer>
bool ReadNumber(std::string_view text, Integer& number, int base = 10) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stop == end;
}

// A decimal; infinity is none.
inline bool ReadNumber(std::string_view text, double& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && std::isfinite(number);
}

// "12", or "0xc".
inline bool ReadNumberOrHex(std::string_view text, uint64_t& number) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  return ReadNumber(text.substr(is_hex ? 2 : 0), number, is_hex ? 16 : 10);
}

}  // namespace tasklens
