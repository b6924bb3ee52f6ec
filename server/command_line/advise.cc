// SPDX-License-Identifier: Apache-2.0
// tasklens advise: finds what slows a run down, and says what to try.
#include <fmt/format.h>

#include "analysis/advice.h"
#include "analysis/text.h"
#include "server/answers/answers.h"
#include "server/answers/printed.h"
#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/terminal.h"
#include "server/command_line/trace_command.h"

namespace tasklens {
namespace {

Ink InkOf(AdviceSeverity severity) {
  if (severity == AdviceSeverity::kError) return Ink::kRed;
  return severity == AdviceSeverity::kWarning ? Ink::kYellow : Ink::kFaint;
}

void Print(const TraceModel& model, const std::vector<Finding>& findings) {
  if (findings.empty()) PrintText("no findings\n");
  const size_t columns = TerminalColumns();
  for (const Finding& finding : findings) {
    const std::string place =
        finding.site < model.sites.size() ? SiteText(model, finding.site) : "the whole run";
    const std::string cost =
        finding.cost_ns > 0 ? "up to " + DurationText(finding.cost_ns) : "cost unknown";
    PrintLines(Painted(Printable(place), Ink::kBold) + ": " +
               Painted(AdviceSeverityName(finding.severity), InkOf(finding.severity)));
    PrintText(" ({}, {})\n", finding.rule, cost);
    PrintLines(Wrapped(Printable(finding.message), columns, 4) + "\n");
  }
}

std::function<int()> Declare(OptionSet& cli) {
  auto arguments = std::make_shared<TraceArguments>();
  DeclareTraceArguments(cli, *arguments);
  cli.Example("tasklens advise");
  return [arguments] {
    return WithTrace(*arguments, kAnalysisParts, [&](const TraceModel& model) {
      const std::vector<Finding> findings = Advise(model);
      if (arguments->json) {
        PrintLines(Dump(messages::Advice{FindingMessages(model, findings)}));
      } else {
        Print(model, findings);
      }
      return Status::Ok();
    });
  };
}

}  // namespace

extern const CommandSpec kAdviseCommand = {
    "advise", "find what slows a run down, and say what to try", &Declare};

}  // namespace tasklens
