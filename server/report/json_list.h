// SPDX-License-Identifier: Apache-2.0
// Converts lists of messages to the JSON in a report.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "server/messages/messages.h"

namespace tasklens {

template <class Message>
nlohmann::json JsonList(const std::vector<Message>& messages) {
  nlohmann::json list = nlohmann::json::array();
  for (const Message& message : messages) Write(message, list.emplace_back());
  return list;
}

}  // namespace tasklens
