// SPDX-License-Identifier: Apache-2.0
// Answers of the standard requests in the form that the client takes.
//
// Handlers answer in the richest form. What the client did not announce is said more simply here:
// plain text for Markdown, commands for code actions, a list for a tree of symbols.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "server/protocol/client_abilities.h"

namespace tasklens {

// `answer` to `method` with `params`.
json Fitting(const ClientAbilities& client, std::string_view method, const json& params,
             json answer);

// What a reader sees of our Markdown: tables in columns, no marks.
std::string PlainText(std::string_view markdown);

}  // namespace tasklens
