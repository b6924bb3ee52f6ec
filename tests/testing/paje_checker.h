// SPDX-License-Identifier: Apache-2.0
// A strict reader of Paje files: what any of pj_dump, ViTE and StarVZ rejects or silently
// misunderstands is a violation here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tasklens::testing {

// A line of the body with its fields by name; values as written, without their quotes.
struct PajeLine {
  size_t number;     // of the line in the file, from 1
  int id;            // of its definition
  std::string name;  // "PajeSetState"
  std::map<std::string, std::string> fields;
  int64_t time_ns = 0;  // of its Time in milliseconds, rounded; 0 for definitions
  const std::string& operator[](const std::string& field) const;
};

struct PajeFile {
  std::vector<std::string> violations;  // "line 12: ...", at most 50
  std::vector<PajeLine> lines;          // without the event definitions
};

// Rules, beyond the grammar: mandatory fields; exactly the defined fields on every line; no empty
// string, no unquoted keyword; times plain decimals that never go back in the whole file; every
// type, container and value declared before use, once, and of the right kind and place; states
// popped only when there is one and never set twice to the same value at once; links ended once,
// by the same key with the same value, between the right types; colours of three numbers from 0
// to 1; nothing happens in a container before it is created or after it is destroyed.
PajeFile CheckPaje(std::string_view text);

}  // namespace tasklens::testing
