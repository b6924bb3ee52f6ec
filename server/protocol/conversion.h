// SPDX-License-Identifier: Apache-2.0
// From JSON to parameters and from answers to JSON, for who knows neither: what is declared here
// needs nothing of the library for JSON, which takes more than a second in each file.
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

// Of parameters with Visit(Fields&), defined in fields.h. Those of server/messages/messages.h have
// functions of their own with the same names.
template <class Params>
Status Read(const json& raw, Params& params);
template <class Params>
std::vector<ParameterName> NamesOf(const Params& params);

// An answer that is JSON already. Those of messages.h have functions of their own.
void Write(json&& answer, json& out);

}  // namespace tasklens
