// SPDX-License-Identifier: Apache-2.0
// tasklens/configurations: the launch configurations and their problems.
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/runs/launch_file.h"
#include "server/runs/runtimes.h"

namespace tasklens {
namespace {

using messages::ConfigurationsAnswer, messages::ConfigurationsParams;

std::vector<messages::RuntimeChoice> Runtimes(bool may_ask) {
  std::vector<messages::RuntimeChoice> rows;
  for (const RuntimeChoice& runtime : FindRuntimes(OwnEnvironment(), may_ask))
    rows.push_back({.runtime = runtime.kind,
                    .version = KnownText(runtime.version),
                    .package = KnownText(runtime.package),
                    .compile_flags = runtime.compile_flags,
                    .link_flags = runtime.link_flags,
                    .problem = KnownText(runtime.problem)});
  return rows;
}

Result<ConfigurationsAnswer> Configurations(const Session& session,
                                            const ConfigurationsParams& params, const Call&) {
  const LaunchConfigurations known =
      ReadLaunchConfigurations(session.workspace_folders, session.settings->configurations);
  ConfigurationsAnswer answer{.problems = known.problems};
  if (const std::string folder = session.workspace_folder(); !folder.empty())
    answer.file = LaunchFilePath(folder);
  for (const NamedLaunch& launch : known.found)
    answer.configurations.push_back({.name = launch.configuration.name,
                                     .origin = launch.origin,
                                     .problem = KnownText(launch.problem),
                                     .configuration = {launch.text}});
  if (params.runtimes) answer.runtimes = Runtimes(session.settings->trusted);
  return answer;
}

}  // namespace

extern const RequestSpec kConfigurationsRequest =
    Request<&Configurations>("tasklens/configurations");

}  // namespace tasklens
