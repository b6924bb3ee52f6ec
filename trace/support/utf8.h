// SPDX-License-Identifier: Apache-2.0
// UTF-8, a character at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace tasklens {

struct Utf8Character {
  char32_t code;
  size_t bytes;  // 0: what the text begins with is no UTF-8
};
// The character that `text` begins with. Surrogates and longer forms than needed are no UTF-8.
// REQUIRES: text is not empty.
Utf8Character FirstCharacter(std::string_view text);

}  // namespace tasklens
