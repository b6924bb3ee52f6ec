// SPDX-License-Identifier: Apache-2.0
// Open traces, and what the analyses answer of them. Numbers are those of the example's four tasks.
#include <filesystem>
#include <map>
#include <sstream>

#include "tests/server/in_process/in_process.h"

namespace tasklens::testing {
namespace {

// A task of the answers of analyses.
std::string Task(int job) {
  static const std::map<int, std::string> kTasks = {
      {1,
       "'name': 'alpha', 'worker': 'CPU0', 'site': 0, 'line': 10, 'startNs': 0, 'endNs': 100000"},
      {2,
       "'name': 'alpha', 'worker': 'CPU1', 'site': 0, 'line': 10, 'startNs': 0, 'endNs': 300000"},
      {3,
       "'name': 'beta', 'worker': 'CPU0', 'site': 1, 'line': 11, 'startNs': 300000, 'endNs': "
       "400000"},
      {4,
       "'name': 'beta', 'worker': 'CPU1', 'site': 1, 'line': 11, 'startNs': 400000, 'endNs': "
       "1000000"}};
  return "{'task': " + std::to_string(job - 1) + ", 'job': " + std::to_string(job) +
         ", 'rank': 0, 'file': 'app.c', 'submitNs': 0, 'ownRgb': null, " + kTasks.at(job) + "}";
}

// The tasks by number, as `tasklens/task` answers them.
std::vector<Json> AllTasks(Client& client) {
  std::vector<Json> tasks;
  for (int task = 0; task < 4; ++task)
    tasks.push_back(client.Ask("tasklens/task", "{'task': " + std::to_string(task) + "}"));
  return tasks;
}

TEST(OpenTrace, SaysWhatIsInIt) {
  Client client({.capabilities = "{'experimental': {'tasklens': true}}"});
  client.Write("app.c", ExampleSource());
  WriteTrace(ExampleTrace(), client.Path("trace_0.tlt"));
  const Json opened =
      client.Ask("tasklens/openTrace", "{'uris': ['" + client.Uri("trace_0.tlt") + "']}");
  const std::map<std::string, std::string> expected = {
      {"/trace", "'t1'"},
      {"/title", "'app'"},
      {"/tasks", "4"},
      {"/ran", "4"},
      {"/workers", "2"},
      {"/ranks", "1"},
      {"/dependencies", "3"},
      {"/sites", "2"},
      {"/spanNs", "1000000"},
      {"/busyNs", "1100000"},
      {"/read", "1.0"},
      {"/notRead", "null"},
      {"/diagnostics", "[]"},
      {"/efficiency", "0.55"},
      {"/paths", "['" + client.Path("trace_0.tlt") + "']"}};
  for (const auto& [member, value] : expected) EXPECT_EQ(opened[member], value) << member;
  EXPECT_EQ(client.Ask("tasklens/traces")["/traces/0"], opened);
  const Json told = client.Take("tasklens/traceUpdated");
  EXPECT_EQ(told["/growing"], "false");
  for (const auto& [member, value] : expected) EXPECT_EQ(told[member], value) << member;
}

TEST(OpenTrace, SaysWhatIsWrong) {
  Client client;
  client.Write("empty", "");
  client.Write("foreign", "hello\n");
  const struct {
    std::string params;
    int code;
    std::string part;
  } rows[] = {
      {"{'uris': []}", kInvalidParams, "params.uris names no file"},
      {"{'uris': [1]}", kInvalidParams, "params.uris[0] must be a string, not 1"},
      {"{'uris': ['http://x']}", kInvalidParams,
       "http://x: expected a file URI or an absolute path"},
      {"{'uris': ['/x'], 'firstBytes': -1}", kInvalidParams,
       "params.firstBytes must be at least 0"},
      {"{'uris': ['" + client.Uri("none") + "']}", kRequestFailed, client.Path("none")},
      {"{'uris': ['" + client.Uri("empty") + "']}", kRequestFailed,
       client.Path("empty") + ": the file is empty"},
      {"{'uris': ['" + client.Uri("foreign") + "']}", kRequestFailed, client.Path("foreign")},
      {"{'uris': ['/dev/zero']}", kRequestFailed,
       "/dev/zero: a pipe or device, not a file with a trace"},
  };
  for (const auto& row : rows) {
    const Failure failure = client.Refused("tasklens/openTrace", row.params);
    EXPECT_EQ(failure.code, row.code) << row.params;
    EXPECT_TRUE(Has(failure.message, row.part));
    EXPECT_EQ(failure.message.find('\n'), std::string::npos);
  }
  EXPECT_EQ(client.Ask("tasklens/traces"), "{'traces': []}");
}

TEST(OpenTrace, WaitsForATraceUntilItIsCancelled) {
  Client client;
  const int64_t id = client.Start("tasklens/openTrace",
                                  "{'uris': ['" + client.Path("late_0.tlt") + "'], 'wait': true}");
  client.Ask("tasklens/traces");
  EXPECT_FALSE(client.IsAnswered(id));
  client.Tell("$/cancelRequest", "{'id': " + std::to_string(id) + "}");
  EXPECT_EQ(client.ErrorTo(id).code, kCancelled);
  const int64_t again = client.Start(
      "tasklens/openTrace", "{'uris': ['" + client.Path("late_0.tlt") + "'], 'wait': true}");
  client.Ask("tasklens/traces");
  WriteTrace(ExampleTrace(), client.Path("late"));
  std::filesystem::rename(client.Path("late"), client.Path("late_0.tlt"));
  EXPECT_EQ(client.AnswerTo(again)["/tasks"], 4);
}

TEST(Traces, AreListedTheNewestFirstAndClosed) {
  Client client;
  OpenExample(client);
  EXPECT_EQ(client.Open(TestTrace().Task("gamma", 0, 10), "other_0.tlt"), "t2");
  const auto open = [&] {
    std::string ids;
    for (const Json& id : client.Ask("tasklens/traces")["/traces"].Each("/trace"))
      ids += id.text() + " ";
    return ids;
  };
  EXPECT_EQ(open(), "t2 t1 ");
  EXPECT_EQ(client.Ask("tasklens/stats")["/trace"], "'t2'");
  // What is opened again stays itself, and is the newest.
  EXPECT_EQ(client.OpenFiles({client.Path("trace_0.tlt")}), "t1");
  EXPECT_EQ(open(), "t1 t2 ");
  EXPECT_EQ(client.Ask("tasklens/closeTrace", "{'trace': 't1'}"), "null");
  EXPECT_EQ(open(), "t2 ");
  EXPECT_EQ(client.Refused("tasklens/closeTrace", "{'trace': 't1'}"),
            (Failure{kRequestFailed, "the trace t1 is not open; open: t2 (app)"}));
  EXPECT_EQ(client.OpenFiles({client.Path("trace_0.tlt")}), "t3");
}

TEST(Task, HasAllThatIsKnown) {
  Client client;
  OpenExample(client);
  const Json task = client.Ask("tasklens/task", "{'task': 2}");
  const std::map<std::string, std::string> expected = {{"/trace", "'t1'"},
                                                       {"/name", "'beta'"},
                                                       {"/job", "3"},
                                                       {"/rank", "0"},
                                                       {"/worker", "'CPU0'"},
                                                       {"/site", "1"},
                                                       {"/startNs", "300000"},
                                                       {"/endNs", "400000"},
                                                       {"/durationNs", "100000"},
                                                       {"/submitNs", "0"},
                                                       {"/slackNs", "0"},
                                                       {"/lastDependency", "1"},
                                                       {"/tag", "null"},
                                                       {"/iteration", "1"},
                                                       {"/arch", "'cpu0_impl0'"},
                                                       {"/ownRgb", "null"},
                                                       {"/predecessors/count", "2"},
                                                       {"/predecessors/tasks/0/job", "1"},
                                                       {"/predecessors/tasks/1/job", "2"},
                                                       {"/predecessors/tasks/0/label", "'task'"},
                                                       {"/successors/count", "1"},
                                                       {"/successors/tasks/0/job", "4"},
                                                       {"/data/0/name", "'block'"},
                                                       {"/data/0/address", "'0x1000'"},
                                                       {"/data/0/sizeBytes", "4096"},
                                                       {"/data/0/mode", "3"},
                                                       {"/source/location/range/start/line", "10"},
                                                       {"/source/line", "11"}};
  for (const auto& [member, value] : expected) EXPECT_EQ(task[member], value) << member;
  // Job 1 could have ended as late as job 2, which the others waited for.
  EXPECT_EQ(client.Ask("tasklens/task", "{'task': 0}")["/slackNs"], 200'000);
  EXPECT_EQ(client.Ask("tasklens/task", "{'task': 3}")["/tag"], 42);
  for (const char* number : {"4", "4294967295"})
    EXPECT_EQ(client.Refused("tasklens/task", std::string("{'task': ") + number + "}").code,
              kRequestFailed);
  EXPECT_EQ(client.Refused("tasklens/task", "{'task': 4}"),
            (Failure{kRequestFailed, "the trace t1 has no task 4; it has 4, counted from 0"}));
  EXPECT_EQ(client.Refused("tasklens/task", "{'task': -1}").code, kInvalidParams);
}

TEST(Stats, AreTheSumsOfTheTasks) {
  Client client;
  OpenExample(client);
  // What tasks say one by one, by each of these.
  std::map<std::string, std::map<std::string, int64_t>> total_ns;
  for (const Json& task : AllTasks(client)) {
    const auto ns = static_cast<int64_t>(task["/durationNs"].number());
    total_ns["codelet"][task["/name"].text()] += ns;
    total_ns["worker"][task["/worker"].text()] += ns;
    total_ns["kind"]["CPU"] += ns;
    total_ns["size"][task["/name"].text() + ","] += ns;  // each codelet has one size
    total_ns["site"][task["/source/file"].text() + ":" +
                     std::to_string(static_cast<int>(task["/source/line"].number()))] += ns;
  }
  for (const char* by : {"codelet", "worker", "kind", "site", "size"}) {
    const Json stats = client.Ask("tasklens/stats", std::string("{'by': '") + by + "'}");
    EXPECT_EQ(stats["/by"], Text(by));
    EXPECT_EQ(stats["/count"].number(), total_ns[by].size()) << by;
    int64_t last_ns = INT64_MAX;
    for (const Json& group : stats["/groups"].Each()) {
      const std::string label = group["/label"].text();
      const auto ns = static_cast<int64_t>(group["/totalNs"].number());
      const auto same =
          std::find_if(total_ns[by].begin(), total_ns[by].end(), [&](const auto& one) {
            return label == one.first || label.starts_with(one.first + " ");
          });
      ASSERT_NE(same, total_ns[by].end()) << by << ": " << label;
      EXPECT_EQ(ns, same->second) << by << ": " << label;
      EXPECT_LE(ns, last_ns) << "the costliest first";
      last_ns = ns;
    }
  }
}

TEST(Stats, HaveDurationsAndStretches) {
  Client client;
  OpenExample(client);
  const Json beta = client.Ask("tasklens/stats", "{'by': 'codelet', 'limit': 1}");
  EXPECT_EQ(beta["/count"], 2);
  ASSERT_EQ(beta["/groups"].size(), 1u);
  const std::map<std::string, std::string> expected = {
      {"/label", "'beta'"},  {"/tasks", "2"},       {"/count", "2"},      {"/totalNs", "700000"},
      {"/meanNs", "350000"}, {"/minNs", "100000"},  {"/maxNs", "600000"}, {"/medianNs", "350000"},
      {"/gflops", "null"},   {"/estimates", "null"}};
  for (const auto& [member, value] : expected)
    EXPECT_EQ(beta["/groups/0"][member], value) << member;
  // From 200 to 500 µs: 100 of job 2, 100 of job 3, 100 of job 4; CPU0 idle for 200.
  const Json part =
      client.Ask("tasklens/stats", "{'by': 'codelet', 'fromNs': 200000, 'toNs': 500000}");
  EXPECT_EQ(part["/groups/0/label"], "'beta'");
  EXPECT_EQ(part["/groups/0/totalNs"], 200'000);
  EXPECT_EQ(part["/groups/1/totalNs"], 100'000);
  EXPECT_EQ(part["/timesNs/tasks"], 300'000);
  EXPECT_EQ(part["/timesNs/nothing ready"].number() + part["/timesNs/nothing submitted"].number(),
            300'000);
  // Without `by`, the lines.
  const Json costs = client.Ask("tasklens/stats", "{'limit': 1}");
  EXPECT_EQ(costs["/count"], 2);
  ASSERT_EQ(costs["/costs"].size(), 1u);
  EXPECT_EQ(costs["/costs/0/names"], "['beta']");
  EXPECT_NEAR(costs["/costs/0/share"].number(), 7. / 11, 1e-12);
  EXPECT_EQ(costs["/costs/0/before"], "null");
  EXPECT_EQ(costs["/busyNs"], 1'100'000);
}

TEST(Stats, RefuseWhatTheyDoNotHave) {
  Client client;
  OpenExample(client);
  const struct {
    const char *params, *message;
  } rows[] = {
      {"{'by': 'x'}", "params.by is codelet, site, worker, kind, size or state, not 'x'"},
      {"{'fromNs': 1, 'toNs': 2}", "params.fromNs needs by"},
      {"{'internal': true}", "params.internal needs by"},
      {"{'by': 'site', 'fromNs': 1}", "params.toNs is missing: a stretch has both"},
      {"{'by': 'site', 'toNs': 1}", "params.fromNs is missing: a stretch has both"},
      {"{'by': 'site', 'fromNs': 5, 'toNs': 5}",
       "params.fromNs must be at least 0 and before toNs"},
      {"{'by': 'site', 'fromNs': -1, 'toNs': 5}",
       "params.fromNs must be at least 0 and before toNs"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(client.Refused("tasklens/stats", row.params), (Failure{kInvalidParams, row.message}));
}

TEST(Advice, NamesLineCostAndEvidence) {
  Client client;
  OpenExample(client);
  const Json advice = client.Ask("tasklens/advice", "{'trace': 't1'}");
  EXPECT_EQ(advice["/trace"], "'t1'");
  Json uneven, first;
  double last = 1e18;
  for (const Json& finding : advice["/findings"].Each()) {
    if (finding["/rule"] == "'uneven_end'") uneven = finding;
    if (!first.exists() && finding["/site"].exists() && finding["/site"] != "null")
      first = finding["/site"];
    EXPECT_LE(finding["/costNs"].number(), last) << "the most expensive first";
    last = finding["/costNs"].number();
  }
  ASSERT_TRUE(uneven.exists()) << advice;
  // 600 µs of one of two workers.
  EXPECT_EQ(uneven["/costNs"], 300'000);
  EXPECT_EQ(uneven["/file"], "'app.c'");
  EXPECT_EQ(uneven["/line"], 11);
  EXPECT_EQ(uneven["/site"], 1);
  EXPECT_EQ(uneven["/evidence/last_task_job"], 4);
  EXPECT_EQ(advice["/firstSite"], first) << "the line to look at first is that of a finding";
}

TEST(CriticalPath, IsWhatTheRunHungOn) {
  Client client;
  OpenExample(client);
  const Json path = client.Ask("tasklens/criticalPath", "{'marks': true}");
  EXPECT_EQ(path["/workNs"], 1'000'000);
  EXPECT_EQ(path["/waitNs"], 0);
  EXPECT_EQ(path["/count"], 3);
  ASSERT_EQ(path["/steps"].size(), 3u);
  for (int i = 0; i < 3; ++i) {
    const Json step = path["/steps/" + std::to_string(i)];
    EXPECT_EQ(step["/task"], Task(i + 2));
    EXPECT_EQ(step["/hold"], i == 0 ? "'start'" : "'dependency'");
    EXPECT_EQ(step["/waitNs"], 0);
    EXPECT_EQ(step["/lengthNs"].number(),
              step["/task/endNs"].number() - step["/task/startNs"].number());
  }
  // Bits 1, 2 and 3: 14, in base64.
  EXPECT_EQ(path["/marks"], "{'i8': 'Dg=='}");
  const Json page = client.Ask("tasklens/criticalPath", "{'first': 1, 'limit': 1}");
  EXPECT_EQ(
      page["/steps"], "[" + [&] {
        std::ostringstream text;
        text << path["/steps/1"];
        return text.str();
      }() + "]");
  EXPECT_EQ(page["/count"], 3);
  EXPECT_EQ(client.Ask("tasklens/criticalPath", "{'first': 99}")["/steps"], "[]");
  // The span, by the other request.
  const Json bound = client.Ask("tasklens/bound");
  EXPECT_EQ(bound["/spanNs"].number(), path["/workNs"].number() + path["/waitNs"].number());
}

TEST(Bound, SaysHowShortTheRunCouldBe) {
  Client client;
  OpenExample(client);
  const Json bound = client.Ask("tasklens/bound", "{'trace': 't1'}");
  EXPECT_EQ(bound["/spanNs"], 1'000'000);
  EXPECT_EQ(bound["/longestChainNs"], 1'000'000);
  EXPECT_EQ(bound["/longestChainTasks"], 3);
  EXPECT_EQ(bound["/boundNs"], 1'000'000);
  EXPECT_EQ(bound["/boundOverSpan"], "1.0");
  ASSERT_EQ(bound["/ranks"].size(), 1u);
  EXPECT_EQ(bound["/ranks/0/windowNs"], 1'000'000);
  const Json whole = bound["/efficiencySplit/whole"];
  EXPECT_EQ(whole["/taskNs"], 1'100'000);
  // All of the two workers' time is accounted for.
  double all_ns = 0;
  for (const char* part :
       {"/taskNs", "/transferNs", "/schedulingNs", "/runtimeNs", "/noWorkNs", "/notKnownNs"})
    all_ns += whole[part].number();
  EXPECT_EQ(all_ns, 2'000'000);
  double product = 1;
  for (const char* factor : {"/locality", "/scheduling", "/runtime", "/parallelism", "/known"})
    product *= whole[factor].number();
  EXPECT_NEAR(product, whole["/total"].number(), 1e-12);
  EXPECT_NEAR(whole["/total"].number(), 0.55, 1e-12);
}

TEST(Why, OfALateTaskIsItsLastDependencies) {
  Client client;
  OpenExample(client);
  const Json why = client.Ask("tasklens/why", "{'task': 3}");
  EXPECT_EQ(why["/task"], Task(4));
  EXPECT_EQ(why["/count"], 3);
  EXPECT_EQ(why["/chain"], "[{'task': " + Task(4) + ", 'gapNs': 0}, {'task': " + Task(3) +
                               ", 'gapNs': 0}, {'task': " + Task(2) + ", 'gapNs': null}]");
  const Json first = client.Ask("tasklens/why", "{'task': 3, 'limit': 1}");
  EXPECT_EQ(first["/chain"].size(), 1u);
  EXPECT_EQ(first["/count"], 3);
  EXPECT_EQ(client.Refused("tasklens/why", "{'task': 4}"),
            (Failure{kRequestFailed, "the trace t1 has no task 4; it has 4, counted from 0"}));
}

TEST(Why, OfAnIdleWorkerIsItsPause) {
  Client client;
  OpenExample(client);
  const Json idle = client.Ask("tasklens/why", "{'worker': 0, 'atNs': 200000}");
  EXPECT_EQ(idle["/instead"], "null");
  EXPECT_EQ(idle["/pause/worker"], "'CPU0'");
  EXPECT_EQ(idle["/pause/startNs"], 100'000);
  EXPECT_EQ(idle["/pause/endNs"], 300'000);
  EXPECT_EQ(idle["/pause/cause"], "'nothing ready'");
  EXPECT_EQ(idle["/pause/causesNs/nothing ready"], 200'000);
  EXPECT_EQ(idle["/pause/nextTask"], Task(3));
  EXPECT_EQ(idle["/pause/chain"].size(), 2u);
  const Json busy = client.Ask("tasklens/why", "{'worker': 1, 'atNs': 200000}");
  EXPECT_EQ(busy["/pause"], "null");
  EXPECT_EQ(busy["/instead/what"], "'busy'");
  EXPECT_EQ(busy["/instead/task"], Task(2));
  EXPECT_EQ(client.Ask("tasklens/why", "{'worker': 1, 'atNs': -1}")["/instead/what"],
            "'before the run'");
  EXPECT_EQ(client.Ask("tasklens/why", "{'worker': 1, 'atNs': 9999999}")["/instead/what"],
            "'after the run'");
  const Failure both = {kInvalidParams, "params needs task, or worker and atNs"};
  for (const char* params : {"{}", "{'worker': 0}", "{'atNs': 0}"})
    EXPECT_EQ(client.Refused("tasklens/why", params), both);
  EXPECT_EQ(client.Refused("tasklens/why", "{'task': 0, 'worker': 0}"),
            (Failure{kInvalidParams, "params.task cannot be used together with worker and atNs"}));
  EXPECT_EQ(client.Refused("tasklens/why", "{'worker': 2, 'atNs': 0}"),
            (Failure{kRequestFailed, "the trace t1 has no worker 2; it has 2, counted from 0"}));
}

TEST(Compare, SplitsTheChangeOfEachGroup) {
  Client client;
  OpenExample(client);
  // The same run but for one task more of beta, of 300 µs.
  client.Open(ExampleTrace().Task("beta", 1'000'000, 1'300'000,
                                  {.submit_ns = 0, .file = "app.c", .line = 11}),
              "after_0.tlt");
  const Json compared =
      client.Ask("tasklens/compare", "{'traces': ['t1', 't2', 't1'], 'by': 'codelet'}");
  ASSERT_EQ(compared["/comparisons"].size(), 2u);
  const Json change = compared["/comparisons/0"];
  EXPECT_EQ(change["/before"], "'t1'");
  EXPECT_EQ(change["/after"], "'t2'");
  EXPECT_EQ(change["/spanBeforeNs"], 1'000'000);
  EXPECT_EQ(change["/spanAfterNs"], 1'300'000);
  EXPECT_EQ(change["/complete"], "true");
  EXPECT_EQ(change["/count"], 2);
  const Json beta = change["/changes/0"];
  EXPECT_EQ(beta["/label"], "'beta'");
  EXPECT_EQ(beta["/changeNs"], 300'000);
  // One more at the mean before, 350 µs; three that are 50/3 µs shorter each.
  EXPECT_EQ(beta["/byCountNs"], 350'000);
  EXPECT_EQ(beta["/byDurationNs"], -50'000);
  EXPECT_EQ(beta["/countVerdict"], "'more tasks'");
  EXPECT_EQ(beta["/durationVerdict"], "'within noise'");
  EXPECT_EQ(change["/changes/1/changeNs"], 0);
  EXPECT_EQ(change["/total/changeNs"], 300'000);
  EXPECT_EQ(change["/total/beforeNs"], 1'100'000);
  EXPECT_EQ(change["/total/afterNs"], 1'400'000);
  for (const Json& same : compared["/comparisons/1/changes"].Each())
    EXPECT_EQ(same["/changeNs"], 0);
  EXPECT_EQ(client.Ask("tasklens/compare",
                       "{'traces': ['t1', 't2'], 'by': 'state'}")["/comparisons/0/total"],
            "null");
  EXPECT_EQ(
      client.Refused("tasklens/compare", "{'traces': ['t1']}"),
      (Failure{kInvalidParams,
               "params.traces must name at least two traces, the one to compare with first"}));
  EXPECT_EQ(client.Refused("tasklens/compare", "{'traces': ['t1', 't9']}"),
            (Failure{kRequestFailed, "the trace t9 is not open; open: t1 (app), t2 (app)"}));
  EXPECT_EQ(client.Refused("tasklens/compare", "{'traces': ['t1', 't2'], 'by': 'x'}").code,
            kInvalidParams);
}

TEST(Overview, IsTheFirstScreen) {
  Client client;
  OpenExample(client);
  const Json all = client.Ask("tasklens/overview", "{'limit': 1}");
  const Json path = client.Ask("tasklens/criticalPath"), bound = client.Ask("tasklens/bound");
  EXPECT_EQ(all["/criticalPath/workNs"], path["/workNs"]);
  EXPECT_EQ(all["/criticalPath/count"], path["/count"]);
  EXPECT_EQ(all["/bound/boundNs"], bound["/boundNs"]);
  EXPECT_EQ(all["/factors/total"], bound["/efficiencySplit/whole/total"]);
  EXPECT_EQ(all["/findings"], client.Ask("tasklens/advice")["/findings"]);
  EXPECT_EQ(all["/timesNs/tasks"], 1'100'000);
  EXPECT_EQ(all["/sites"], 2);
  ASSERT_EQ(all["/costs"].size(), 1u);
  EXPECT_EQ(all["/costs/0/line"], 11);
  EXPECT_EQ(all["/workerRows"].size(), 2u);
  // What the workers did, in stretches: together their time in tasks.
  double busy = 0;
  for (const Json& share : all["/profile/shares/0"].Each()) busy += share.number();
  busy *= (all["/profile/toNs"].number() - all["/profile/fromNs"].number()) /
          static_cast<double>(all["/profile/shares/0"].size());
  EXPECT_NEAR(busy, 1'100'000, 100);
  const Json quick = client.Ask("tasklens/overview", "{'reasons': false}");
  for (const char* part :
       {"/bound", "/criticalPath", "/profile", "/factors", "/findings", "/timesNs"})
    EXPECT_FALSE(quick[part].exists()) << part;
  EXPECT_EQ(quick["/efficiency"], "0.55");
}

TEST(Progress, IsNullOfACompleteTraceAndLiveOfAnother) {
  Client client;
  OpenExample(client);
  EXPECT_EQ(client.Ask("tasklens/progress"), "{'trace': 't1', 'read': 1.0, 'progress': null}");
  EXPECT_EQ(client.Refused("tasklens/progress", "{'fromNs': -1}"),
            (Failure{kInvalidParams, "params.fromNs must be at least 0"}));
  WriteTrace(ExampleTrace(), client.Path("live_0.tlt"), /*close=*/false);
  EXPECT_EQ(
      client.Ask("tasklens/openTrace", "{'uris': ['" + client.Path("live_0.tlt") + "']}")["/trace"],
      "'t2'");
  const Json progress =
      client.Ask("tasklens/progress", "{'trace': 't2', 'fromNs': 350000}")["/progress"];
  EXPECT_EQ(progress["/tasks"], 4);
  EXPECT_EQ(progress["/ran"], 4);
  EXPECT_EQ(progress["/busyNs"], 1'100'000);
  EXPECT_EQ(progress["/endNs"], 1'000'000);
  EXPECT_EQ(progress["/fromNs"], 350'000);
}

TEST(Search, FindsTasksAndLines) {
  Client client;
  OpenExample(client);
  const struct {
    const char* text;
    std::vector<std::string> tasks;  // jobs
    std::vector<std::string> sites;  // lines
  } rows[] = {
      {"bet", {"3", "4"}, {}},    {"ALPHA", {"1", "2"}, {}}, {"app.c:11", {"3", "4"}, {"11"}},
      {"42", {"4"}, {}},          {"0x2a", {"4"}, {}},       {"2", {"2"}, {}},
      {"0x1000", {"3", "4"}, {}}, {"block", {"3", "4"}, {}}, {"nothing like it", {}, {}},
  };
  for (const auto& row : rows) {
    const Json found = client.Ask("tasklens/search", std::string("{'text': '") + row.text + "'}");
    const auto numbers = [](const std::vector<Json>& values) {
      std::vector<std::string> texts;
      for (const Json& value : values)
        texts.push_back(std::to_string(static_cast<int>(value.number())));
      return texts;
    };
    EXPECT_EQ(numbers(found["/tasks"].Each("/job")), row.tasks) << row.text;
    EXPECT_EQ(found["/count"].number(), row.tasks.size()) << row.text;
    EXPECT_EQ(numbers(found["/sites"].Each("/line")), row.sites) << row.text;
  }
  const Json one = client.Ask("tasklens/search", "{'text': 'a', 'limit': 1}");
  EXPECT_EQ(one["/tasks"].size(), 1u);
  EXPECT_EQ(one["/count"], 4);
}

TEST(Site, QuotesItsLinesAndListsItsTasks) {
  Client client;
  OpenExample(client);
  const Json site = client.Ask("tasklens/site", "{'site': 0, 'marks': true}");
  EXPECT_EQ(site["/count"], 2);
  EXPECT_EQ(site["/tasks"], "[0, 1]");
  EXPECT_EQ(site["/marks"], "{'i8': 'Aw=='}");
  const auto first = static_cast<int>(site["/source/firstLine"].number());
  EXPECT_EQ(site["/source/lines/" + std::to_string(10 - first)].text(),
            "  starpu_task_insert(&alpha_cl, 0);");
  EXPECT_FALSE(site["/source/note"].exists());
  const Json page = client.Ask("tasklens/site", "{'site': 1, 'first': 1, 'limit': 5}");
  EXPECT_EQ(page["/tasks"], "[3]");
  EXPECT_EQ(page["/count"], 2);
  EXPECT_EQ(client.Ask("tasklens/site", "{'site': 1, 'first': 9}")["/tasks"], "[]");
  EXPECT_EQ(client.Ask("tasklens/site", "{'site': 1, 'limit': 1}")["/tasks"], "[2]");
  EXPECT_EQ(
      client.Refused("tasklens/site", "{'site': 2}"),
      (Failure{kRequestFailed, "the trace t1 has no submission site 2; it has 2, counted from 0"}));
}

// Both are kept with the trace.
TEST(Site, HasItsTasksAlsoAfterStatisticsBySize) {
  Client client;
  OpenExample(client);
  EXPECT_GT(client.Ask("tasklens/stats", "{'by': 'size'}")["/count"].number(), 0);
  EXPECT_EQ(client.Ask("tasklens/site", "{'site': 1}")["/tasks"], "[2, 3]");
}

TEST(Codelet, ListsItsTasks) {
  Client client;
  OpenExample(client);
  EXPECT_EQ(client.Ask("tasklens/codelet", "{'codelet': 'beta', 'marks': true}"),
            "{'trace': 't1', 'count': 2, 'tasks': [2, 3], 'marks': {'i8': 'DA=='}}");
  EXPECT_EQ(client.Ask("tasklens/codelet", "{'codelet': 'beta', 'first': 1}"),
            "{'trace': 't1', 'count': 2, 'tasks': [3]}");
  EXPECT_EQ(client.Refused("tasklens/codelet", "{'codelet': 'gamma'}").message,
            "the trace t1 has no task of a codelet 'gamma'");
}

TEST(Sources, SayWhichTextLinesAreFollowedFrom) {
  Client client;
  OpenExample(client);
  const Json sources = client.Ask("tasklens/sources", "{'trace': 't1'}");
  const std::string folder = std::filesystem::canonical(client.folder());
  EXPECT_EQ(sources["/roots"], "[{'folder': '" + folder + "', 'origin': 'workspace'}]");
  ASSERT_EQ(sources["/files"].size(), 1u);
  const Json file = sources["/files/0"];
  EXPECT_EQ(file["/file"], "'app.c'");
  EXPECT_EQ(file["/path"], Text(folder + "/app.c"));
  EXPECT_EQ(file["/foundBy"], "'root'");
  EXPECT_EQ(file["/problem"], "null");
  EXPECT_EQ(file["/text"], "'disk'");
  EXPECT_EQ(file["/certain"], "true");
  EXPECT_EQ(file["/commit"], "null");
  // By another program: sha256sum of the example.
  EXPECT_EQ(file["/sha256"], "'9d5c7a0b96ce5b34109561390e737d7f4cc97dcc2905b0b7b7c0182d3e3c1ef9'");
}

TEST(Sources, SayWhyThereIsNone) {
  Client client;
  client.Open(ExampleTrace());
  const Json file = client.Ask("tasklens/sources")["/files/0"];
  for (const char* member : {"/path", "/foundBy", "/text", "/sha256", "/commit"})
    EXPECT_EQ(file[member], "null") << member;
  EXPECT_EQ(file["/certain"], "false");
  EXPECT_TRUE(Has(file["/problem"].text(), "app.c: no such file in the workspace"));
}

TEST(Page, IsOneDocumentThatLoadsNothing) {
  Client client;
  for (const char* view : {"all", "graph", "timeline"}) {
    const std::string html =
        client.Ask("tasklens/page", std::string("{'view': '") + view + "'}")["/html"].text();
    EXPECT_TRUE(html.starts_with("<!doctype html>")) << html.substr(0, 100);
    EXPECT_TRUE(Has(html, "Content-Security-Policy"));
    EXPECT_EQ(html.find("src=\"http"), html.npos);
  }
  EXPECT_EQ(client.Refused("tasklens/page", "{'view': 'x'}"),
            (Failure{kInvalidParams, "params.view is all, graph or timeline, not 'x'"}));
}

}  // namespace
}  // namespace tasklens::testing
