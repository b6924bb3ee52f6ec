// SPDX-License-Identifier: Apache-2.0
// tasklens/tasksAt: the tasks that a line submitted, in the newest trace that knows the line.
#include <algorithm>

#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"

namespace tasklens {
namespace {

using messages::TasksAtAnswer, messages::TasksAtParams;

Result<TasksAtAnswer> TasksAt(const Session& session, const TasksAtParams& params,
                              const Call& call) {
  const auto wanted = session.Find(params.trace);
  if (!wanted.ok()) return wanted.status();
  const std::string path = PathOfDocument(session, params.uri);
  const SitesAtLine at =
      FindSitesAt(session, path, params.line, params.trace.empty() ? nullptr : *wanted);
  if (!at.trace) return TasksAtAnswer();
  const auto by_site = at.trace->views->TasksBySite(call.stop());
  if (!by_site) return Cancelled();
  std::vector<uint32_t> tasks;
  for (const uint32_t site : at.sites)
    tasks.insert(tasks.end(), (*by_site)[site].begin(), (*by_site)[site].end());
  std::sort(tasks.begin(), tasks.end());
  TasksAtAnswer answer{.trace = at.trace->id, .count = tasks.size()};
  for (size_t i = 0; i < std::min<size_t>(tasks.size(), params.limit); ++i)
    answer.tasks.push_back(TaskMessage(*at.trace, tasks[i]));
  return answer;
}

}  // namespace

extern const RequestSpec kTasksAtRequest = Request<&TasksAt>("tasklens/tasksAt");

}  // namespace tasklens
