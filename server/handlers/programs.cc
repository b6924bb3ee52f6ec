// SPDX-License-Identifier: Apache-2.0
// tasklens/programs: the programs in the workspace that can be run traced.
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/runs/starpu_programs.h"

namespace tasklens {
namespace {

// Takes a second or two on a slow disk. In a larger workspace the user has to name the program.
constexpr size_t kMostEntries = 50'000;

using messages::ProgramsAnswer, messages::ProgramsParams;

Result<ProgramsAnswer> Programs(const Session& session, const ProgramsParams& params,
                                const Call& call) {
  const std::string folder = session.workspace_folder();
  StarpuPrograms programs{{}, true};
  if (!folder.empty()) programs = FindStarpuPrograms(folder, kMostEntries, call.stop());
  if (call.IsCancelled()) return Cancelled();
  ProgramsAnswer answer{
      .directory = KnownText(folder), .count = programs.found.size(), .all = programs.is_all};
  for (const StarpuProgram& program : programs.found) {
    if (answer.programs.size() == params.limit) break;
    answer.programs.push_back({.program = "./" + program.path, .modified_ns = program.modified_ns});
  }
  return answer;
}

}  // namespace

extern const RequestSpec kProgramsRequest = LongRequest<&Programs>("tasklens/programs");

}  // namespace tasklens
