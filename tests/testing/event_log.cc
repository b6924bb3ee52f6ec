// SPDX-License-Identifier: Apache-2.0
// A sink that keeps every event as a line of text: see event_log.h.
#include "tests/testing/event_log.h"

#include <algorithm>
#include <cstdio>

namespace tasklens::testing {
namespace {

std::string Hex(uint64_t value) {
  char digits[17];
  snprintf(digits, sizeof digits, "%lx", static_cast<unsigned long>(value));
  return digits;
}

}  // namespace

void EventLog::OnEvent(const Event& event) {
  const EventDecl& decl = Decl(event.kind);
  Entry entry{event.time_ns,
              event.kind,
              event.rank,
              event.tid,
              {event.args.begin(), event.args.end()},
              std::string(decl.name)};
  const size_t count = event.args.size();
  if (count != decl.arg_count &&
      (!decl.repeats_last || count + 1 < decl.arg_count || count > kMaxArgs))
    violations_.push_back(entry.text + " with " + std::to_string(count) + " arguments");
  for (size_t i = 0; i < count; ++i) {
    const size_t declared = std::min<size_t>(i, decl.arg_count - 1u);
    const uint64_t value = event.args[i];
    entry.text += ' ' + std::string(decl.arg_names[declared]) + '=';
    switch (decl.arg_types[declared]) {
      case ArgType::kF64: entry.text += std::to_string(AsDouble(value)); break;
      case ArgType::kHex: entry.text += Hex(value); break;
      case ArgType::kI64:
      case ArgType::kI32: entry.text += std::to_string(static_cast<int64_t>(value)); break;
      case ArgType::kU64:
      case ArgType::kU32: entry.text += std::to_string(value); break;
      case ArgType::kStr:
        entry.text += "'" + std::string(Str(value)) + "'";
        if (value >= strings_.size()) violations_.push_back(entry.text + ": not interned");
        break;
    }
    if (decl.arg_types[declared] == ArgType::kU32 && value > 0xffffffff)
      violations_.push_back(entry.text + ": more than 32 bits");
  }
  entries_.push_back(std::move(entry));
}

std::vector<std::string> EventLog::Lines() const {
  std::vector<std::string> lines;
  for (const Entry& entry : entries_) lines.push_back(entry.text);
  return lines;
}

std::vector<std::string> EventLog::Lines(EventKind kind) const {
  std::vector<std::string> lines;
  for (const Entry& entry : entries_)
    if (entry.kind == kind) lines.push_back(entry.text);
  return lines;
}

}  // namespace tasklens::testing
