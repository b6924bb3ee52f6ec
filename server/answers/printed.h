// SPDX-License-Identifier: Apache-2.0
// What commands print with --json, which answers.md describes.
//
// Members of messages are called in snake_case there, and stand in the order of
// ide-plugin/protocol.json. Texts are indented and end with a newline; bytes that are no UTF-8
// become U+FFFD.
//
// Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tasklens {

// Of answers.md. Members may be added under the same number; none is removed, renamed or given
// another meaning.
inline constexpr int kAnswerVersion = 1;

using WriteText = std::function<void(std::string_view)>;

// The object with that number as its first member. Those that commands print are listed in
// printed.cc.
template <class Message>
std::string Dump(const Message& message);

// The same text, piece by piece to `write`, of a message whose empty array `list` ("/pause/chain")
// has `count` rows: row(0), row(1), ... Each is made when it is its turn, so that a list of
// millions takes no memory.
template <class Row, class Message>
void DumpRows(const Message& message, const std::string& list, size_t count,
              const std::function<Row(size_t)>& row, const WriteText& write);

// A line of a command that prints many, without that number.
template <class Message>
std::string DumpLine(const Message& message);

// The line that comes before them.
std::string VersionLine();

}  // namespace tasklens
