// SPDX-License-Identifier: Apache-2.0
// The rows of events.inc as compile-time constants. For code that is generated from the table at
// compile time (the file format, the recorder); all other code calls Decl().
#pragma once

#include "trace/events/events.h"

namespace tasklens {
namespace internal {

// A throw in a constant expression stops the compilation, so a bad row does not build.
constexpr ArgType ParseArgType(std::string_view word) {
  if (word == "u64") return ArgType::kU64;
  if (word == "i64") return ArgType::kI64;
  if (word == "f64") return ArgType::kF64;
  if (word == "hex") return ArgType::kHex;
  if (word == "u32") return ArgType::kU32;
  if (word == "i32") return ArgType::kI32;
  if (word == "str") return ArgType::kStr;
  throw "events.inc: unknown argument type";
}

constexpr EventDecl ParseEvent(EventKind kind, std::string_view name, Category category,
                               std::string_view args, std::string_view text) {
  EventDecl decl{kind, name, category, args, text};
  while (!args.empty()) {
    if (decl.arg_count == kMaxArgs) throw "events.inc: too many arguments";
    const size_t comma = args.find(", ");
    std::string_view arg = args.substr(0, comma);
    args = comma == args.npos ? "" : args.substr(comma + 2);
    if (arg.ends_with("...")) {
      if (!args.empty()) throw "events.inc: only the last argument repeats";
      decl.repeats_last = true;
      arg.remove_suffix(3);
    }
    const size_t blank = arg.find(' ');
    decl.arg_types[decl.arg_count] = ParseArgType(arg.substr(0, blank));
    decl.arg_names[decl.arg_count] = arg.substr(blank + 1);
    ++decl.arg_count;
  }
  return decl;
}

}  // namespace internal

inline constexpr EventDecl kEventTable[] = {
#define EVENT(Kind, name, category, args, text) \
  internal::ParseEvent(EventKind::k##Kind, name, Category::category, args, text),
#include "trace/events/events.inc"
#undef EVENT
};

}  // namespace tasklens
