// SPDX-License-Identifier: Apache-2.0
// Decodes UTF-8, one character at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace tasklens {

struct Utf8Character {
  char32_t code;
  size_t bytes;  // 0: the text does not begin with UTF-8
};
// Returns the first character of `text`. Surrogates and overlong forms are not UTF-8.
// REQUIRES: text is not empty.
Utf8Character FirstCharacter(std::string_view text);

}  // namespace tasklens
