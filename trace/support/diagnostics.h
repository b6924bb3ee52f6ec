// SPDX-License-Identifier: Apache-2.0
// Faults of an input that did not stop the reader: counted by kind, with the place of the first.
//
// A bad record is data, not death: a reader calls Skip() and goes on; only when nothing more can
// be read does it return an error Status. Tools print Summary() and `--strict` makes any loss an
// error. Kinds are short identifiers (`fxt_short_event`) listed with their advice in kKinds of
// diagnostics.cc; a kind that is not listed there still counts, but has no advice.
//
// Memory: bounded by the number of kinds, never by the input. Threads: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tasklens {

enum class Severity {
  kInfo,      // worth knowing, nothing is missing
  kWarning,   // a value is doubtful
  kDataLoss,  // something of the input is not in the result
};

struct DiagnosticKind {
  std::string_view name;
  Severity severity;
  std::string_view text;  // one sentence: what happened and what the user can do
};

struct DiagnosticCount {
  uint64_t count = 0;
  std::string first_where;  // "x.fxt: byte 8192", the place of the first one
};

class Diagnostics {
 public:
  // Counts `count` occurrences of `kind`; keeps only the first `where`.
  void Skip(std::string_view kind, std::string_view where, uint64_t count = 1);

  // Adds all of `other` to this.
  void Merge(const Diagnostics& other);

  bool empty() const { return counts_.empty(); }
  bool HasDataLoss() const;
  uint64_t Count(std::string_view kind) const;
  const std::map<std::string, DiagnosticCount, std::less<>>& counts() const { return counts_; }

  // One line per kind, "warning: 3 x fxt_short_event (first at ...): text"; "" when empty.
  std::string Summary() const;

 private:
  std::map<std::string, DiagnosticCount, std::less<>> counts_;
};

// The row of `name`, or nullptr.
const DiagnosticKind* FindDiagnosticKind(std::string_view name);

}  // namespace tasklens
