// SPDX-License-Identifier: Apache-2.0
// Loads the trace, prints the address, and serves the page.
#include "server/command_line/serve_http.h"

#include <fmt/format.h>

#include <QCoreApplication>
#include <QSocketNotifier>
#include <clocale>

#include "analysis/text.h"
#include "server/command_line/command.h"
#include "server/command_line/ending_signals.h"
#include "server/command_line/report.h"
#include "server/command_line/run_store.h"
#include "server/command_line/summary.h"
#include "server/command_line/terminal_progress.h"
#include "server/http/view_service.h"
#include "server/session/memory.h"

namespace tasklens {
namespace {

// Progress on the terminal that stops the reading at the memory limit.
class LimitedProgress : public TerminalProgress {
 public:
  LimitedProgress(const std::string& trace, uint64_t limit_bytes)
      : TerminalProgress("reading " + trace), trace_(trace), limit_(limit_bytes) {}

  bool Report(uint64_t done, uint64_t total) override {
    return TerminalProgress::Report(done, total) && !limit_.IsExceeded();
  }
  // Fails if the memory limit was exceeded.
  Status Room() {
    if (!limit_.IsExceeded()) return Status::Ok();
    return BeyondMemoryLimit(trace_, limit_.bytes(), kLimitOption);
  }

 private:
  const std::string trace_;
  MemoryLimit limit_;
};

}  // namespace

int ServeHttp(const HttpOptions& options) {
  const Result<std::vector<std::string>> traces = TracesOrNewest(options.traces);
  if (!traces.ok()) return Fail(traces.status());
  Session session;
  session.roots = RootsOf(options.source_roots);
  session.settings =
      std::make_shared<const Settings>(Settings{.memory_limit_mib = options.memory_limit_mib});
  {
    LimitedProgress progress(traces->front(), session.settings->MemoryLimitBytes());
    const auto trace = LoadTrace(*traces, {.roots = session.roots,
                                           .progress = &progress,
                                           .first_bytes = uint64_t{options.first_mib} << 20});
    if (const Status room = progress.Room(); !room.ok()) return Fail(room);
    if (!trace.ok()) return Fail(trace.status());
    ReportDiagnostics((*trace)->diagnostics, false);
    (*trace)->id = "t1";
    session.traces.push_back(*trace);
  }

  const Result<int> ending = FdOfEndingSignals();
  if (!ending.ok()) return Fail(ending.status());
  int argc = 1;
  char name[] = "tasklens";
  char* argv[] = {name, nullptr};
  QCoreApplication application(argc, argv);
  std::setlocale(LC_ALL, "C");  // Qt set the user's locale: decimal commas, translated errors
  QSocketNotifier stop(*ending, QSocketNotifier::Read);
  QObject::connect(&stop, &QSocketNotifier::activated, [] { QCoreApplication::exit(); });
  ViewService service(std::move(session), [](const OpenTrace& trace) {
    ReportDiagnostics(trace.diagnostics, false);
    if (!trace.not_read.empty())
      fmt::print(stderr, "tasklens: only the first {} of the trace is shown: {}\n",
                 ShareText(trace.share), trace.not_read);
  });
  HttpServer server([&](const HttpRequest& request, HttpServer::Answer answer) {
    return service.Handle(request, std::move(answer));
  });
  if (Status listening = server.Listen(options.port); !listening.ok()) return Fail(listening);
  fmt::print("{}\n", server.Address());
  std::fflush(stdout);
  QCoreApplication::exec();
  return kExitDone;
}

}  // namespace tasklens
