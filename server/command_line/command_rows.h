// SPDX-License-Identifier: Apache-2.0
// The commands and their options as a table, for completions and the manual.
// OptionSet::ProgramRows() makes it from the declarations that --help uses.
#pragma once

#include <string>
#include <vector>

namespace tasklens {

struct OptionRow {
  std::vector<std::string> names;    // "--output", "-o"; for an operand: "trace"
  std::string value;                 // placeholder of its value; "" for a flag
  std::vector<std::string> choices;  // the permitted values; empty: any
  std::string description;           // one sentence
  std::string default_value;         // "": none
  bool is_operand = false, is_required = false, is_repeatable = false;
};

struct CommandRow {
  std::string name, summary, footer;
  std::vector<OptionRow> options;  // and operands, in the order of --help
};

}  // namespace tasklens
