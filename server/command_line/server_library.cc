// SPDX-License-Identifier: Apache-2.0
// The only function that libtasklens-server.so exports: it finds a command by name.
#include <algorithm>
#include <iterator>

#include "server/command_line/server_commands.h"
#include "server/version.h"

namespace tasklens {

extern const CommandSpec kDemoCommand, kRunCommand, kReportCommand, kServeCommand;

extern "C" const CommandSpec* TasklensFindServerCommand(std::string_view version,
                                                        std::string_view name) {
  static constexpr const CommandSpec* kCommands[] = {&kDemoCommand, &kRunCommand, &kReportCommand,
                                                     &kServeCommand};
  if (version != kVersion) return nullptr;
  const auto* const found =
      std::ranges::find_if(kCommands, [&](const CommandSpec* spec) { return spec->name == name; });
  return found == std::end(kCommands) ? nullptr : *found;
}
static_assert(std::is_same_v<FindServerCommand, decltype(TasklensFindServerCommand)>);

}  // namespace tasklens
