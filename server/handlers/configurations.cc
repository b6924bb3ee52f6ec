// SPDX-License-Identifier: Apache-2.0
// tasklens/configurations: the launch configurations there are, and what is wrong with them.
#include "server/handlers/request.h"
#include "server/session/launch_file.h"
#include "server/session/runtimes.h"

extern char** environ;

namespace tasklens {
namespace {

struct Params {
  bool runtimes = false;
  void Visit(Fields& fields) { fields.Optional("runtimes", runtimes); }
};

json TextOrNull(const std::string& text) { return text.empty() ? json() : json(text); }

json RuntimesJson(bool may_ask) {
  std::map<std::string, std::string> environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (const size_t equals = text.find('='); equals != text.npos)
      environment[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  json rows = json::array();
  for (const RuntimeChoice& runtime : FindRuntimes(environment, may_ask))
    rows.push_back({{"runtime", runtime.kind},
                    {"version", TextOrNull(runtime.version)},
                    {"package", TextOrNull(runtime.package)},
                    {"compileFlags", runtime.compile_flags},
                    {"linkFlags", runtime.link_flags},
                    {"problem", TextOrNull(runtime.problem)}});
  return rows;
}

Result<json> Configurations(const Session& session, const Params& params, const Call&) {
  const LaunchConfigurations known =
      ReadLaunchConfigurations(session.workspace_folders, session.settings->configurations);
  json rows = json::array();
  for (const NamedLaunch& launch : known.found)
    rows.push_back({{"name", launch.configuration.name},
                    {"origin", launch.origin},
                    {"problem", TextOrNull(launch.problem)},
                    {"configuration", launch.raw}});
  return json{{"file", session.workspace_folder().empty()
                           ? json()
                           : json(LaunchFilePath(session.workspace_folder()))},
              {"configurations", std::move(rows)},
              {"problems", known.problems},
              {"runtimes", params.runtimes ? RuntimesJson(session.settings->trusted) : json()}};
}

}  // namespace

extern const RequestSpec kConfigurationsRequest;
const RequestSpec kConfigurationsRequest = Request<&Configurations>("tasklens/configurations");

}  // namespace tasklens
