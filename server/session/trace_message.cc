// SPDX-License-Identifier: Apache-2.0
#include "server/session/trace_message.h"

#include "server/answers/answers.h"
#include "server/answers/diagnostics.h"
#include "server/answers/known_values.h"

namespace tasklens {

messages::Trace TraceMessage(const OpenTrace& trace) {
  messages::Trace message{SummaryMessage(*trace.model, trace.summary)};
  message.trace = trace.id;
  message.title = trace.title;
  message.paths = trace.paths;
  message.sites = trace.costs.size();
  message.events = trace.model->event_count;
  message.read = trace.share;
  message.not_read = KnownText(trace.not_read);
  message.diagnostics = DiagnosticMessages(trace.diagnostics);
  return message;
}

}  // namespace tasklens
