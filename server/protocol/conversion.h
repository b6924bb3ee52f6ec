// SPDX-License-Identifier: Apache-2.0
// Declares the conversion of parameters from JSON and of answers to JSON. Files that include only
// this header do not compile the JSON library, which takes more than a second in each file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

using json = nlohmann::json;

struct ParameterName {
  std::string name;
  bool required;
};

// For parameters with Visit(Fields&); defined in fields.h. The parameters in
// server/messages/messages.h have overloads of the same names.
template <class Params>
Status Read(const json& raw, Params& params);
template <class Params>
std::vector<ParameterName> NamesOf(const Params& params);

// For an answer that is JSON already. Messages of messages.h have overloads of their own.
void Write(json&& answer, json& out);

}  // namespace tasklens
