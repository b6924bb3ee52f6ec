// SPDX-License-Identifier: Apache-2.0
// Types of message members beyond the standard library.
#pragma once

#include <string>

#include "server/protocol/conversion.h"

namespace tasklens::messages {

// An array of numbers of type `kind` ("i8", "i16", "i32", "f32", "f64"): the base64 text of its
// little-endian bytes.
struct Packed {
  std::string kind, base64;
};

// Any JSON value, as text.
struct AnyJson {
  std::string text = "null";
};

// The answer of a request that returns no data.
struct Nothing {};

}  // namespace tasklens::messages
