// SPDX-License-Identifier: Apache-2.0
// What members of messages are made of, besides the standard library.
#pragma once

#include <string>

#include "server/protocol/conversion.h"

namespace tasklens::messages {

// Numbers of the kind `kind` ("i8", "i16", "i32", "f32", "f64"), as the base64 text of their
// little-endian bytes.
struct Packed {
  std::string kind, base64;
};

// Any JSON, as its text.
struct AnyJson {
  std::string text = "null";
};

// The answer to what is only done.
struct Nothing {};

}  // namespace tasklens::messages
