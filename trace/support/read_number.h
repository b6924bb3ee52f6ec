// SPDX-License-Identifier: Apache-2.0
// Parses texts that consist of a number only: "12", not " 12" or "12a". The decimal separator is a
// point, whatever locale the program chose by setlocale().
//
// The functions return false if the text is no number, or if `number` cannot hold it; `number` is
// then the number at the beginning of the text, if there is one.
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

// Parses a decimal number. Infinity is not one.
inline bool ReadNumber(std::string_view text, double& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && std::isfinite(number);
}

// Parses "12" or "0xc".
inline bool ReadNumberOrHex(std::string_view text, uint64_t& number) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  return ReadNumber(text.substr(is_hex ? 2 : 0), number, is_hex ? 16 : 10);
}

}  // namespace tasklens
