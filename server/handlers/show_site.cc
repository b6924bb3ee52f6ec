// SPDX-License-Identifier: Apache-2.0
// tasklens/showSite: the command behind a code lens. The answer has the costs of the site; a client
// without our plugin shows them as a message.
#include "analysis/text.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

// "gemm: 42 tasks · 1.2 ms total · mean 28 µs · 37 % · 20 µs to 41 µs".
std::string Sentence(const OpenTrace& trace, const SiteCost& cost) {
  std::string names;
  for (const StringId name : cost.names) {
    if (names.size() > 60) {
      names += ", ...";
      break;
    }
    names += (names.empty() ? "" : ", ") + std::string(trace.model->str(name));
  }
  std::string text = (names.empty() ? "unnamed" : names) + ": " + CostTitle(trace, cost);
  if (cost.runs > 1) text += " · " + DurationText(cost.min_ns) + " to " + DurationText(cost.max_ns);
  if (const std::string change = ChangeText(trace, cost); !change.empty()) text += " · " + change;
  return text;
}

void ShowSite(Host& host, const messages::ShowSiteParams& params,
              const std::shared_ptr<Call>& call) {
  const auto trace = host.session()->Find(params.trace);
  if (!trace.ok()) return call->Answer(trace.status());
  if (Status s = CheckSite(**trace, params.site); !s.ok()) return call->Answer(s);
  const uint32_t row = (*trace)->cost_of[params.site];
  const std::string wait = WaitTitle(**trace, params.site);
  if (row == kNone && wait.empty())
    return call->Answer(Status(ErrorCode::kNotFound, "no task was submitted here"));
  const SiteCost cost = row == kNone ? SiteCost{params.site} : (*trace)->costs[row];
  messages::ShowSiteAnswer answer{CostMessage(*host.session(), **trace, cost), (*trace)->id,
                                  (*trace)->diagnostics.HasDataLoss(),
                                  row == kNone ? wait : Sentence(**trace, cost)};
  if (row == kNone) answer.title = wait;
  host.ShowMessage(Host::MessageType::kInfo, answer.text);
  call->Answer(answer);
}

}  // namespace

extern const ActionSpec kShowSiteAction = Action<&ShowSite>("tasklens/showSite");

}  // namespace tasklens
