// SPDX-License-Identifier: Apache-2.0
#include "server/session/trace_message.h"

#include "analysis/run_clock.h"
#include "server/answers/diagnostics.h"
#include "server/answers/known_values.h"

namespace tasklens {

messages::Trace TraceMessage(const OpenTrace& trace) {
  const RunSummary& summary = trace.summary;
  return {.trace = trace.id,
          .title = trace.title,
          .paths = trace.paths,
          .tasks = summary.tasks,
          .ran = summary.ran,
          .dependencies = summary.dependencies,
          .workers = summary.workers,
          .ranks = summary.ranks,
          .sites = trace.costs.size(),
          .zero_ns = RunClock(*trace.model).zero_ns(),
          .span_ns = summary.span_ns,
          .busy_ns = summary.busy_ns,
          .efficiency = summary.ran > 0 ? std::optional(summary.Efficiency()) : std::nullopt,
          .events = trace.model->event_count,
          .read = trace.share,
          .not_read = KnownText(trace.not_read),
          .diagnostics = DiagnosticMessages(trace.diagnostics)};
}

}  // namespace tasklens
