// SPDX-License-Identifier: Apache-2.0
// The JSON that commands print with --json; answers.md describes it.
//
// Members have the names of ide-plugin/protocol.json in snake_case, and its order. Texts are
// indented and end with a newline. Bytes that are not UTF-8 become U+FFFD.
//
// Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tasklens {

// The version of answers.md. New members do not change it; no member is removed, renamed or given
// another meaning.
inline constexpr int kAnswerVersion = 1;

using WriteText = std::function<void(std::string_view)>;

// Returns the message as an object whose first member is the version. printed.cc lists the messages
// that commands print.
template <class Message>
std::string Dump(const Message& message);

// Writes the same text in pieces, for a message with `count` rows in its array `list`
// ("/pause/chain"), which must be empty in `message`. row(0), row(1), ... are called one after the
// other, so that a list of millions of rows takes no memory.
template <class Row, class Message>
void DumpRows(const Message& message, const std::string& list, size_t count,
              const std::function<Row(size_t)>& row, const WriteText& write);

// Returns one line, without the version, for a command that prints many lines.
template <class Message>
std::string DumpLine(const Message& message);

// Returns the line with the version that precedes those lines.
std::string VersionLine();

}  // namespace tasklens
