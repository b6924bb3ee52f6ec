// SPDX-License-Identifier: Apache-2.0
// What the files beside a .prv say: labels of states, events and values (.pcf), names of threads
// (.row). Lines of no known form are passed over; what a file does not say is not there.
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
  uint32_t precision = 0;  // values are told in units of 10^-precision
  // Whether its values are codes: some other than 0, which often only ends what was, has a label.
  bool HasLabels() const { return !values->empty() && values->rbegin()->first > 0; }
  // Of its value; nullptr: none. Types of one group share them.
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

// The place that a label of Extrae's names: "42 (chol.c, /path/chol.c)".
struct PrvPlace {
  uint32_t line = 0;  // from 1
  std::string_view file;
};
std::optional<PrvPlace> PlaceOfLabel(std::string_view label);

}  // namespace tasklens
