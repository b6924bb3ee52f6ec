// SPDX-License-Identifier: Apache-2.0
// Takes texts apart: lines, words, numbers, letters. Blanks are spaces, tabs and line breaks; only
// the letters of ASCII have a case.
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace tasklens {

inline constexpr std::string_view kBlanks = " \t\r\n";

// Returns `text` without the blanks at its ends.
inline std::string_view Trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Removes the beginning of `text` up to the next `separator`, or all of it if there is none, and
// returns it without the separator.
inline std::string_view TakeUpTo(char separator, std::string_view& text) {
  const std::string_view piece = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(piece.size() + 1, text.size()));
  return piece;
}

// Removes the next word and the blanks before it, and returns it; "" at the end.
inline std::string_view TakeWord(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

// Removes `beginning`; returns false if the text does not begin with it.
inline bool Take(std::string_view beginning, std::string_view& text) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

// Removes the number at the beginning; returns false if there is none, or one that is too large.
template <class Integer>
bool TakeNumber(std::string_view& text, Integer& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc();
}

inline char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = Lower(c);
  return lower;
}

inline bool ContainsIgnoringCase(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return Lower(a) == Lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace tasklens
