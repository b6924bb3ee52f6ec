// SPDX-License-Identifier: Apache-2.0
// What a hover says of a trace that no recorded one of ours holds all of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>

#include "server/handlers/request.h"
#include "server/protocol/uri.h"
#include "tests/testing/test_trace.h"
#include "tests/testing/tlt_file.h"

namespace tasklens {
namespace {

using ::testing::HasSubstr;
using testing::TempFolder;
using testing::TestTrace;

// Two tasks of one line, foretold for the worker and kind that ran them.
TraceModel ForetoldTasks() {
  return TestTrace()
      .Worker("CPU0")
      .Worker("CPU1")
      .Task("gemm", 0, 10, {.file = "x.c", .line = 5})
      .Task("gemm", 0, 30, {.worker = 1, .file = "x.c", .line = 5})
      .Event(0, EventKind::kTaskEstimate, {1, 0, 8.0, 0.0})
      .Event(0, EventKind::kTaskEstimate, {2, -1, 60.0, 0.0})
      .Build();
}

// A session in which the trace of that model is open, its sources below `folder`.
Session SessionWith(TraceModel model, const std::string& folder) {
  auto trace = std::make_shared<OpenTrace>();
  trace->id = "t1";
  trace->model = std::make_shared<const TraceModel>(std::move(model));
  trace->summary = Summarize(*trace->model);
  trace->costs = CostBySite(*trace->model);
  trace->cost_of.assign(trace->model->sites.size(), kNone);
  for (uint32_t row = 0; row < trace->costs.size(); ++row)
    trace->cost_of[trace->costs[row].site] = row;
  trace->directory = folder;
  SourceRoots roots;
  roots.Add(folder);
  trace->FindSources(roots, /*may_run_git=*/false);
  trace->views = std::make_shared<TraceViews>(trace->model);
  trace->insights = std::make_shared<const Insights>(*trace->model, *trace->views);
  Session session;
  session.roots = roots;
  session.traces.push_back(trace);
  return session;
}

std::string HoverAt(const Session& session, const std::string& path, uint32_t line) {
  const auto& requests = Requests();
  const auto hover = std::find_if(requests.begin(), requests.end(), [](const RequestSpec* spec) {
    return spec->method == "textDocument/hover";
  });
  Call call([](Result<json>, RpcError) {}, json());
  const Result<json> reply = (*hover)->handle(session,
                                              {{"textDocument", {{"uri", UriOfPath(path)}}},
                                               {"position", {{"line", line}, {"character", 0u}}}},
                                              call);
  EXPECT_TRUE(reply.ok()) << reply.status().message();
  return reply.ok() && reply->is_object() ? (*reply)["contents"]["value"].get<std::string>() : "";
}

TEST(Hover, HoldsEstimatesAgainstWhatWasMeasured) {
  TempFolder folder;
  std::ofstream(folder.File("x.c")) << "\n\n\n\n  submit();\n";
  const Session session = SessionWith(ForetoldTasks(), folder.path());
  // 10 and 30 ns, foretold as 8 and 60.
  EXPECT_THAT(HoverAt(session, folder.File("x.c"), 4),
              HasSubstr("measured / estimated: 0.59 · mean error 60 %\n"));
}

}  // namespace
}  // namespace tasklens
