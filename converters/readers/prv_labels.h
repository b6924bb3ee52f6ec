// SPDX-License-Identifier: Apache-2.0
// The files beside a .prv: labels of states, events and values (.pcf), names of threads (.row).
// Lines of unknown form are skipped; everything may be missing.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tasklens {

struct PrvType {
  std::string label;
  uint32_t precision = 0;  // values are in units of 10^-precision
  // Whether its values are codes: some value other than 0 has a label. (0 often only ends a value.)
  bool HasLabels() const { return !values->empty() && values->rbegin()->first > 0; }
  // Returns the label of a value; nullptr: none. Types of one group share their labels.
  const std::string* LabelOf(int64_t value) const {
    const auto found = values->find(value);
    return found == values->end() ? nullptr : &found->second;
  }
  std::shared_ptr<std::map<int64_t, std::string>> values;
};
struct PrvLabels {
  std::map<int64_t, std::string> states;
  std::map<int64_t, PrvType> types;
  std::vector<std::string> threads;  // in the order of the header
};
void ReadPcf(std::string_view text, PrvLabels& labels);
void ReadRow(std::string_view text, PrvLabels& labels);

// The place in a label of Extrae: "42 (chol.c, /path/chol.c)".
struct PrvPlace {
  uint32_t line = 0;  // from 1
  std::string_view file;
};
std::optional<PrvPlace> PlaceOfLabel(std::string_view label);

}  // namespace tasklens
