// SPDX-License-Identifier: Apache-2.0
// ide-plugin/protocol.json against the server's tables and against the messages of all tests of
// this program, each of which is checked as it comes (in_process.cc).
#include <set>

#include "tests/server/in_process/in_process.h"
#include "tests/server/in_process/protocol_check.h"

namespace tasklens::testing {
namespace {

using Lines = std::vector<std::string>;

TEST(ProtocolSchema, HasTheParametersOfEachRequest) {
  std::map<std::string, ProtocolCheck::Parameters> table;
  for (const Method& method : Methods()) {
    if (!method.name.starts_with("tasklens/")) continue;
    ProtocolCheck::Parameters& parameters = table[method.name];
    for (const std::string& name : method.needed) parameters[name] = true;
    for (const std::string& name : method.optional) parameters[name] = false;
  }
  EXPECT_EQ(ProtocolCheck::Instance().Requests(), table);
}

TEST(ProtocolSchema, ParametersThatAreLeftOutAreTheirDefaults) {
  Client client;
  OpenExample(client);
  const std::string group =
      client.Ask("tasklens/group", "{'group': ['codelet'], 'task': 0}")["/groups/0"].text();
  const std::map<std::string, std::string> needed = {
      {"tasklens/codelet", "{'codelet': 'beta'}"},
      {"tasklens/compare", "{'traces': ['t1', 't1']}"},
      {"tasklens/graph", "{'task': 0}"},
      {"tasklens/group", "{'group': ['codelet'], 'id': '" + group + "', 'around': 3}"},
      {"tasklens/reveal", "{'task': 0}"},
      {"tasklens/search", "{'text': 'beta'}"},
      {"tasklens/site", "{'site': 1}"},
      {"tasklens/stats", "{'by': 'codelet'}"},
      {"tasklens/tasksAt", "{'uri': '" + client.Uri("app.c") + "', 'line': 9}"},
      {"tasklens/why", "{'task': 3}"},
  };
  size_t compared = 0;
  for (const auto& [method, parameters] : ProtocolCheck::Instance().Requests()) {
    if (method == "tasklens/openTrace") continue;  // each answer is of another trace
    const auto params = needed.find(method);
    nlohmann::json without = Json(params == needed.end() ? "{}" : params->second).value();
    for (const auto& [name, value] : ProtocolCheck::Instance().Defaults(method)) {
      nlohmann::json with = without;
      with[name] = value;
      EXPECT_EQ(client.Ask(method, Json(with)), client.Ask(method, Json(without))) << with;
      ++compared;
    }
  }
  EXPECT_GT(compared, 40u);
}

TEST(ProtocolSchema, NamesWhatIsWrongWithAnAnswer) {
  const auto faults = [](const std::string& method, const char* answer) {
    return ProtocolCheck::Instance().FaultsOfAnswer(method, Json(answer).value());
  };
  const std::string stop = "tasklens/stop";
  EXPECT_EQ(faults(stop, "{'stopped': []}"), Lines{});
  EXPECT_EQ(faults(stop, "{}"), Lines{"tasklens/stop answer.stopped is missing"});
  EXPECT_EQ(faults(stop, "{'stopped': [], 'x': 1}"),
            Lines{"tasklens/stop answer.x is not in protocol.json"});
  EXPECT_EQ(faults(stop, "{'stopped': 'r1'}"), Lines{"tasklens/stop answer.stopped is no array"});
  EXPECT_EQ(faults(stop, "{'stopped': ['r1', 2]}"),
            Lines{"tasklens/stop answer.stopped[1] is no string"});
  EXPECT_EQ(faults(stop, "null"), Lines{"tasklens/stop answer is no object"});
  EXPECT_EQ(faults("tasklens/deleteRun", "{}"), Lines{"tasklens/deleteRun answer is no null"});
  const std::string progress = "tasklens/progress";
  EXPECT_EQ(faults(progress, "{'trace': 't1', 'read': 1, 'progress': null}"), Lines{});
  EXPECT_EQ(faults(progress, R"({'trace': 't1', 'read': 1, 'progress': {
      'isBehind': false, 'endNs': 1.5, 'spanNs': 1, 'tasks': -1, 'ran': 1, 'busyNs': 1,
      'sites': [], 'fromNs': 0, 'names': [], 'rowsTotal': 1, 'rows': [
        {'row': 0, 'start': [1], 'end': [2, 3], 'busy': [1], 'name': [0], 'count': [1]}]}})"),
            (Lines{"tasklens/progress answer.progress.endNs is no ns",
                   "tasklens/progress answer.progress.rows[0] has columns of different lengths: "
                   "start and end",
                   "tasklens/progress answer.progress.tasks is no count"}));
  EXPECT_EQ(faults("tasklens/group", "{'trace': 't1', 'groups': [], 'marks': {'i8': 'AQ=='}}"),
            Lines{});
  EXPECT_EQ(faults("tasklens/group", "{'trace': 't1', 'groups': [], 'marks': {'i16': 'AQ=='}}"),
            Lines{"tasklens/group answer.marks is no packed"});
}

TEST(ProtocolSchema, NamesWhatIsWrongWithParametersAndNotifications) {
  ProtocolCheck& check = ProtocolCheck::Instance();
  const auto faults = [&](const char* params) {
    return check.FaultsOfRequest("tasklens/graph", Json(params).value());
  };
  EXPECT_EQ(faults("{'colour': 'slack', 'site': null, 'workDoneToken': 1}"), Lines{});
  EXPECT_EQ(faults("{'color': 'slack'}"),
            Lines{"tasklens/graph params.color is not in protocol.json"});
  EXPECT_EQ(faults("{'group': ['tag']}"),
            Lines{"tasklens/graph params.group[0] is no 'iteration'"});
  EXPECT_EQ(check.FaultsOfRequest("tasklens/nothing", Json("{}").value()),
            Lines{"tasklens/nothing is no request of protocol.json"});
  EXPECT_EQ(check.FaultsOfNotification("tasklens/nothing", Json("{}").value()),
            Lines{"tasklens/nothing is no notification of protocol.json"});
}

// Members that no message of these tests has. The tests of the server as a process see most of them
// (tests/server/*_test.py), which check their messages as well.
const std::set<std::string> kUnseen = {
    // Of runs before, of sources elsewhere, of large traces and of those that grow.
    "CostBefore.meanNs", "CostBefore.ran", "CostBefore.tasks", "CostBefore.totalNs", "Site.problem",
    "SiteSource.note", "SourceGuess.files", "SourceGuess.from", "SourceGuess.to",
    "tasklens/openTrace parameters.firstBytes", "tasklens/traceGrew parameters.growing",
    // Of programs that are run another way, and of the runtimes of a machine.
    "LaunchConfiguration.calibrate", "LaunchConfiguration.cpus", "LaunchConfiguration.environment",
    "LaunchConfiguration.gpus", "LaunchConfiguration.keepRunning", "LaunchConfiguration.launcher",
    "LaunchConfiguration.name", "LaunchConfiguration.runtime", "LaunchConfiguration.scheduler",
    "LaunchConfiguration.source", "RuntimeChoice.compileFlags", "RuntimeChoice.linkFlags",
    "RuntimeChoice.package", "RuntimeChoice.problem", "RuntimeChoice.runtime",
    "RuntimeChoice.version",
    // Of traces with estimates, counters, the runtime's own tasks, and colours.
    "ModelQuality.count", "ModelQuality.meanRelativeError", "ModelQuality.measuredOverEstimated",
    "TaskCounter.code", "TaskCounter.value", "TaskEstimate.lengthNs", "TaskEstimate.transferNs",
    "TaskEstimate.worker", "TimelineLayer.expectedEnd", "TimelineLayer.internal",
    "TimelineLayer.rgb",
    // Pictures of several runs.
    "tasklens/plot parameters.others"};

// Looked at when all other tests have run.
class AllOfIt : public ::testing::Environment {
  void TearDown() override {
    const auto* const test = ::testing::UnitTest::GetInstance();
    if (test->test_to_run_count() < test->total_test_count() || test->Failed()) return;
    const std::set<std::string> unseen = ProtocolCheck::Instance().Unseen();
    for (const std::string& name : unseen)
      EXPECT_TRUE(kUnseen.contains(name)) << name << ": no message of these tests has it";
    for (const std::string& name : kUnseen)
      EXPECT_TRUE(unseen.contains(name)) << name << ": a message has it; take it out of kUnseen";
  }
};
const auto* const kAllOfIt = ::testing::AddGlobalTestEnvironment(new AllOfIt);

}  // namespace
}  // namespace tasklens::testing
