// SPDX-License-Identifier: Apache-2.0
// The commands and their options as a table, read from what --help is made of. Completions and the
// manual are made from it, so that nothing is said twice.
//
// OptionSet::ProgramRows() makes them.
#pragma once

#include <string>
#include <vector>

namespace tasklens {

struct OptionRow {
  std::vector<std::string> names;    // "--output", "-o"; the one of an operand: "trace"
  std::string value;                 // what stands behind it, "" of a flag
  std::vector<std::string> choices;  // all values there are; empty: any
  std::string description;           // one sentence
  std::string default_value;         // "" none
  bool is_operand = false, is_required = false, is_repeatable = false;
};

struct CommandRow {
  std::string name, summary, footer;
  std::vector<OptionRow> options;  // operands as well, in the order of --help
};

}  // namespace tasklens
