// SPDX-License-Identifier: Apache-2.0
// tasklens/programs: what the workspace has that could be run traced.
#include "server/handlers/columns.h"
#include "server/handlers/request.h"
#include "server/session/starpu_programs.h"

namespace tasklens {
namespace {

// A second or two of a slow disk. Who has more names the program.
constexpr size_t kMostEntries = 50'000;

struct Params {
  uint32_t limit = 50;
  void Visit(Fields& fields) { fields.Optional("limit", limit); }
};

Result<json> Programs(const Session& session, const Params& params, const Call& call) {
  const std::string folder = session.workspace_folder();
  json rows = json::array();
  StarpuPrograms programs{{}, true};
  if (!folder.empty()) programs = FindStarpuPrograms(folder, kMostEntries, call.stop());
  if (call.IsCancelled()) return Cancelled();
  for (const StarpuProgram& program : programs.found) {
    if (rows.size() == params.limit) break;
    rows.push_back({{"program", "./" + program.path}, {"modifiedNs", program.modified_ns}});
  }
  return json{{"directory", folder.empty() ? json() : json(folder)},
              {"count", programs.found.size()},
              {"programs", std::move(rows)},
              {"all", programs.is_all}};
}

}  // namespace

extern const RequestSpec kProgramsRequest;
const RequestSpec kProgramsRequest = LongRequest<&Programs>("tasklens/programs");

}  // namespace tasklens
