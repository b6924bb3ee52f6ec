// SPDX-License-Identifier: Apache-2.0
// What several handlers share: names, and the pieces that answers are made of.
//
// Threads: pure functions of a session.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/answers/known_values.h"
#include "server/messages/messages.h"
#include "server/protocol/text.h"
#include "server/session/session.h"
#include "server/session/trace_message.h"

namespace tasklens {

inline constexpr std::string_view kMethodPrefix = "tasklens/";
inline constexpr std::string_view kCommandPrefix = "tasklens.";

// Every request whose name begins with kMethodPrefix.
std::vector<std::string_view> OurMethods();

// A line of a file that exists, as the protocol wants it.
struct Location {
  std::string uri;
  Range range;  // the line without the blanks around it
  messages::Location Message() const;
  json ToJson() const;
};
json ToJson(const Range& range);

// Where `site` of the trace is; kNotFound says why it cannot be shown. A line behind the end of the
// file (it was shortened since) becomes its last line.
Result<Location> LocateSite(const Session& session, const OpenTrace& trace, uint32_t site);

// Line `line` (from 0) of the file, from the client's text if it has the file open.
Range RangeOfLine(const Session& session, const std::string& path, uint32_t line);

// The text as the client or the disk has it; kNotFound and kIo name the file.
Result<std::shared_ptr<const Text>> TextOf(const Session& session, const std::string& path);

// "42 tasks · 1.2 ms total · mean 28 µs · 37 %".
std::string CostTitle(const OpenTrace& trace, const SiteCost& cost);
// For how long the program waited in calls of that line; "" not at all, or not yet known.
std::string WaitTitle(const OpenTrace& trace, uint32_t site);

// How that changed since the run before: "mean +12 %, tasks 40 → 42 since the run before", "as
// before"; "" where the line has no run before.
std::string ChangeText(const OpenTrace& trace, const SiteCost& cost);

// Nothing for a site that the trace does not have.
std::optional<messages::Site> SiteMessage(const Session& session, const OpenTrace& trace,
                                          uint32_t site);
messages::Task TaskMessage(const OpenTrace& trace, uint32_t task);
messages::Cost CostMessage(const Session& session, const OpenTrace& trace, const SiteCost& cost);

// kNotFound for a row that the trace does not have.
Status CheckTask(const OpenTrace& trace, uint32_t task);
Status CheckSite(const OpenTrace& trace, uint32_t site);

}  // namespace tasklens
