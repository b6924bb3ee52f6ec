// SPDX-License-Identifier: Apache-2.0
// Adapts answers of standard requests to the capabilities of the client.
//
// Handlers return the richest form. If the client did not announce support for it, this file
// replaces it by a simpler one: plain text for Markdown, commands for code actions, a list for a
// tree of symbols.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "server/protocol/client_abilities.h"

namespace tasklens {

// Adapts `answer`, the answer to `method` with `params`.
json Fitting(const ClientAbilities& client, std::string_view method, const json& params,
             json answer);

// Converts our Markdown to plain text: aligns the columns of tables and removes the marks.
std::string PlainText(std::string_view markdown);

}  // namespace tasklens
