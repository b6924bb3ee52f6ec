// SPDX-License-Identifier: Apache-2.0
// Fills in the sentences of events.inc, and writes the page that lists them.
#include "trace/events/text_dump.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "trace/support/printable.h"

namespace tasklens {
namespace {

template <class... Args>
void Append(std::string& line, const char* format, Args... args) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, args...);
  line += buffer;
}

bool IsTimelineState(const EventDecl& decl, size_t arg) {
  return decl.arg_names[arg] == "state" && decl.kind != EventKind::kDataState;
}

// Returns the argument that "%{name}..." at the beginning of `text` names, or arg_count.
size_t NamedArg(const EventDecl& decl, std::string_view text) {
  const std::string_view name = text.substr(2, text.find('}') - 2);
  size_t i = 0;
  while (i < decl.arg_count && decl.arg_names[i] != name) ++i;
  return i;
}

std::string Lowercase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

void AppendValue(std::string& line, const EventDecl& decl, size_t declared, uint64_t value,
                 const StringPool& strings) {
  if (IsTimelineState(decl, declared) && value < static_cast<uint64_t>(StateKind::kCount)) {
    line += Decl(static_cast<StateKind>(value)).name;
    return;
  }
  if (decl.kind == EventKind::kWorkerNew && decl.arg_names[declared] == "arch" && value < 256) {
    line += WorkerArchName(static_cast<WorkerArch>(value));
    return;
  }
  switch (decl.arg_types[declared]) {
    case ArgType::kU64:
    case ArgType::kU32: Append(line, "%" PRIu64, value); break;
    case ArgType::kI64:
    case ArgType::kI32: Append(line, "%" PRId64, static_cast<int64_t>(value)); break;
    case ArgType::kHex: Append(line, "%#" PRIx64, value); break;
    case ArgType::kF64: Append(line, "%.17g", AsDouble(value)); break;
    case ArgType::kStr: AppendPrintable(line, strings.Get(static_cast<StringId>(value))); break;
  }
}

// Appends declared argument `declared`, with all its repetitions.
void AppendArg(std::string& line, const EventDecl& decl, size_t declared,
               std::span<const uint64_t> args, const StringPool& strings) {
  const bool repeats = decl.repeats_last && declared + 1 == decl.arg_count;
  const size_t end = repeats ? args.size() : declared + 1;
  for (size_t i = declared; i < end && i < args.size(); ++i) {
    if (i > declared) line += ' ';
    AppendValue(line, decl, declared, args[i], strings);
  }
}

}  // namespace

void AppendSentence(std::string& line, EventKind kind, std::span<const uint64_t> args,
                    const StringPool& strings) {
  const EventDecl& decl = Decl(kind);
  bool said[kMaxArgs] = {};
  for (std::string_view text = decl.text; !text.empty();) {
    const size_t next = std::min(text.find("%{"), text.size());
    line += text.substr(0, next);
    text.remove_prefix(next);
    if (text.empty()) break;
    const size_t arg = NamedArg(decl, text);
    if (arg < decl.arg_count) {
      AppendArg(line, decl, arg, args, strings);
      said[arg] = true;
    }
    text.remove_prefix(text.find('}') + 1);
  }
  bool bracket = false;
  for (size_t i = 0; i < decl.arg_count; ++i) {
    if (said[i]) continue;
    line += bracket ? " " : " (";
    bracket = true;
    line += decl.arg_names[i];
    line += '=';
    AppendArg(line, decl, i, args, strings);
  }
  if (bracket) line += ')';
}

void TextDump::OnEvent(const Event& event) {
  if (!has_first_) first_ns_ = event.time_ns;
  has_first_ = true;
  const EventDecl& decl = Decl(event.kind);
  // Unsigned, because the two times may be any; a negative difference is printed with its sign.
  const bool negative = event.time_ns < first_ns_;
  const uint64_t a = static_cast<uint64_t>(event.time_ns), b = static_cast<uint64_t>(first_ns_);
  const uint64_t since_ns = negative ? b - a : a - b;
  line_.clear();
  Append(line_, "%s%" PRIu64 ".%09" PRIu64 " %" PRIu32 "/%" PRIu64 " ", negative ? "-" : "",
         since_ns / 1'000'000'000, since_ns % 1'000'000'000, event.rank, event.tid);
  line_ += decl.name;
  line_ += ": ";
  AppendSentence(line_, event.kind, event.args, strings_);
  line_ += '\n';
  write_(line_);
}

std::string EventReferencePage() {
  std::string page =
      "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
      "# Events\n\n"
      "Every event that a trace may have. Made from `events.inc`, which has more to say; a test "
      "holds\n"
      "the two equal (`UPDATE_PAGES=1 bazel run //tests/trace/events:text_dump_test` writes this "
      "page).\n\n"
      "Types: `u64 i64 f64` 8 bytes in a `.tlt` file; `u32 i32 str` 4 bytes; `hex` a `u64` shown "
      "in\n"
      "hexadecimal; `...` repeats. As which record an event stands in a file, "
      "[format.md](../format/format.md)\n"
      "says. The category is what `STARPU_FXT_EVENTS` selects.\n\n"
      "| kind | event | category | arguments | meaning |\n|---|---|---|---|---|\n";
  for (const EventDecl& decl : AllEvents()) {
    Append(page, "| %u | ", static_cast<unsigned>(decl.kind));
    page += "`" + std::string(decl.name) + "` | " + Lowercase(CategoryName(decl.category)) + " | ";
    page += decl.args.empty() ? "" : "`" + std::string(decl.args) + "`";
    page += " | ";
    for (std::string_view text = decl.text; !text.empty();) {
      const size_t next = std::min(text.find("%{"), text.size());
      page += text.substr(0, next);
      text.remove_prefix(next);
      if (text.empty()) break;
      const size_t end = text.find('}');
      page += "*" + std::string(text.substr(2, end - 2)) + "*";
      text.remove_prefix(end + 1);
    }
    page += " |\n";
  }
  return page;
}

}  // namespace tasklens
