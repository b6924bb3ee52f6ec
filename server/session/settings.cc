// SPDX-License-Identifier: Apache-2.0
// The names of the settings.
#include "server/session/settings.h"

#include "server/protocol/fields.h"
#include "server/protocol/parse_json.h"

namespace tasklens {

void Settings::Visit(Fields& fields) {
  fields.Optional("sourceRoots", source_roots);
  fields.Optional("silencedRules", silenced_rules);
  std::vector<json> launches;
  for (const std::string& text : configurations) launches.push_back(ParseJson(text));
  fields.Optional("configurations", launches);
  configurations.clear();
  for (const json& launch : launches)
    configurations.push_back(launch.dump(-1, ' ', false, json::error_handler_t::replace));
  fields.Optional("keepRuns", keep_runs);
  fields.Optional("memoryLimitMiB", memory_limit_mib);
  fields.Optional("trusted", trusted);
}

}  // namespace tasklens
