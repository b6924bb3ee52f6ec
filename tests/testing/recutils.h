// SPDX-License-Identifier: Apache-2.0
// GNU recutils files as tests read them: records of fields, in order.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tasklens::testing {

struct RecRecord {
  std::vector<std::pair<std::string, std::string>> fields;
  // The value of the first field of that name, "" if there is none.
  std::string Get(std::string_view name) const;
  bool Has(std::string_view name) const;
};

// Records are separated by empty lines; `+ ` continues a value on a new line; `#` and `%` lines
// are skipped. Lines that are none of these go to `errors` when given.
std::vector<RecRecord> ParseRecords(std::string_view text,
                                    std::vector<std::string>* errors = nullptr);

// A tasks.rec of StarPU's tool, which ends a record that has EndDependencies with a blank instead
// of a blank line, as it means it.
std::string PartedAfterEndDependencies(std::string text);

}  // namespace tasklens::testing
