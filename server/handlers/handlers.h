// SPDX-License-Identifier: Apache-2.0
// Functions that several handlers share: names, and parts of answers.
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

// All methods whose name begins with kMethodPrefix.
std::vector<std::string_view> OurMethods();

// A line of an existing file, in the form of the protocol.
struct Location {
  std::string uri;
  Range range;  // the line without the blanks around it
  messages::Location Message() const;
  json ToJson() const;
};
json ToJson(const Range& range);

// Returns the location of `site` in the present file. kNotFound says why it cannot be shown. A line
// behind the end of the file (which may have become shorter) becomes the last line.
Result<Location> LocateSite(const Session& session, const OpenTrace& trace, uint32_t site);

// The range of line `line` (from 0), in the client's text if the file is open there.
Range RangeOfLine(const Session& session, const std::string& path, uint32_t line);

// The text of a file, from the client or the disk. kNotFound and kIo name the file.
Result<std::shared_ptr<const Text>> TextOf(const Session& session, const std::string& path);

// "42 tasks · 1.2 ms total · mean 28 µs · 37 %".
std::string CostTitle(const OpenTrace& trace, const SiteCost& cost);
// The time that the program waited in calls on the line; "" if none or not yet known.
std::string WaitTitle(const OpenTrace& trace, uint32_t site);

// The change since the run before: "mean +12 %, tasks 40 → 42 since the run before", "as before";
// "" if the line was not in the run before.
std::string ChangeText(const OpenTrace& trace, const SiteCost& cost);

// Returns nullopt for a site that the trace does not have.
std::optional<messages::Site> SiteMessage(const Session& session, const OpenTrace& trace,
                                          uint32_t site);
messages::Task TaskMessage(const OpenTrace& trace, uint32_t task);
messages::Cost CostMessage(const Session& session, const OpenTrace& trace, const SiteCost& cost);

// Returns kNotFound for a row that the trace does not have.
Status CheckTask(const OpenTrace& trace, uint32_t task);
Status CheckSite(const OpenTrace& trace, uint32_t site);

}  // namespace tasklens
