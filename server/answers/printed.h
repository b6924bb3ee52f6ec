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
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tasklens {

struct RunSummary;

// Of answers.md. Members may be added under the same number; none is removed, renamed or given
// another meaning.
inline constexpr int kAnswerVersion = 1;

using WriteText = std::function<void(std::string_view)>;

// The object with that number as its first member.
std::string Dump(const nlohmann::ordered_json& answer);

// The same text, piece by piece to `write`, of an answer whose empty array `list` has `count` rows:
// row(0), row(1), ... Each is made when it is its turn, so that a list of millions takes no memory.
void DumpRows(const nlohmann::ordered_json& answer, const std::string& list, size_t count,
              const std::function<nlohmann::ordered_json(size_t)>& row, const WriteText& write);

// Both for messages, and a message as a part of other JSON. Those that commands print are listed in
// printed.cc.
template <class Message>
nlohmann::ordered_json CommandJson(const Message& message);
template <class Message>
std::string Dump(const Message& message);
template <class Row>
std::string DumpList(const std::string& name, const std::vector<Row>& rows);
template <class Row, class Message>
void DumpRows(const Message& answer, const std::string& list, size_t count,
              const std::function<Row(size_t)>& row, const WriteText& write);

// {"tasks", "ran", "submissions", "executions", "dependencies", "workers", "ranks", "span_ns",
// "busy_ns", "efficiency"}
nlohmann::ordered_json SummaryAnswer(const RunSummary& run);

}  // namespace tasklens
