// SPDX-License-Identifier: Apache-2.0
// What holds for every request of the server's tables, and for those that are in none.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "tests/server/in_process/in_process.h"
#include "tests/testing/starpu_traces.h"

namespace tasklens::testing {
namespace {

constexpr char kNoTrace[] = "no trace is open; run a program or open a trace first";

// Parameters of each method with which it would be answered if the trace `t9` were open.
std::map<std::string, std::string> RequestsOfATrace() {
  return {
      {"tasklens/closeTrace", "{'trace': 't9'}"},
      {"tasklens/reveal", "{'trace': 't9', 'task': 0}"},
      {"tasklens/showSite", "{'trace': 't9', 'site': 0}"},
      {"tasklens/graph", "{'trace': 't9'}"},
      {"tasklens/group", "{'trace': 't9', 'task': 0}"},
      {"tasklens/timeline", "{'trace': 't9'}"},
      {"tasklens/task", "{'trace': 't9', 'task': 0}"},
      {"tasklens/tasksAt", "{'trace': 't9', 'uri': 'file:///app.c', 'line': 9}"},
      {"tasklens/stats", "{'trace': 't9'}"},
      {"tasklens/plot", "{'trace': 't9'}"},
      {"tasklens/advice", "{'trace': 't9'}"},
      {"tasklens/criticalPath", "{'trace': 't9'}"},
      {"tasklens/why", "{'trace': 't9', 'task': 0}"},
      {"tasklens/bound", "{'trace': 't9'}"},
      {"tasklens/overview", "{'trace': 't9'}"},
      {"tasklens/progress", "{'trace': 't9'}"},
      {"tasklens/search", "{'trace': 't9', 'text': 'alpha'}"},
      {"tasklens/site", "{'trace': 't9', 'site': 0}"},
      {"tasklens/codelet", "{'trace': 't9', 'codelet': 'alpha'}"},
      {"tasklens/sources", "{'trace': 't9'}"},
  };
}

bool Takes(const Method& method, const std::string& parameter) {
  return std::count(method.needed.begin(), method.needed.end(), parameter) +
             std::count(method.optional.begin(), method.optional.end(), parameter) >
         0;
}

TEST(Table, HasNoRequestThatNoTestNames) {
  std::string tests;
  for (const auto& file : std::filesystem::directory_iterator("tests/server/in_process"))
    if (file.path().filename() != "table_test.cc") tests += ReadFile(file.path());
  ASSERT_TRUE(Has(tests, "TEST("));
  for (const Method& method : Methods()) {
    const bool is_named = tests.find("\"" + method.name + "\"") != tests.npos;
    EXPECT_TRUE(is_named) << method.name << ": no test of this folder asks for it";
  }
}

TEST(Table, RequestsThatNeedAParameterSayWhichOneIsMissing) {
  Client client;
  for (const Method& method : Methods()) {
    if (method.needed.empty() || method.name == "tasklens/run") continue;
    const Failure missing = {kInvalidParams, "params." + method.needed[0] + " is missing"};
    EXPECT_EQ(client.Refused(method.name), missing);
    EXPECT_EQ(client.Refused(method.name, "{'" + method.needed[0] + "': null}"), missing);
  }
}

TEST(Table, RequestsRefuseParametersOfAWrongType) {
  Client client;
  OpenExample(client);
  size_t refused = 0;
  for (const Method& method : Methods()) {
    EXPECT_EQ(client.Refused(method.name, "[]"),
              (Failure{kInvalidParams, "params must be an object, not an array"}));
    for (const auto* names : {&method.needed, &method.optional}) {
      for (const std::string& name : *names) {
        // What no parameter is: neither a whole number nor a text.
        const Failure failure = client.Refused(method.name, "{'" + name + "': 7.5}");
        EXPECT_EQ(failure.code, kInvalidParams) << method.name << " " << name;
        EXPECT_TRUE(Has(failure.message, "params.")) << method.name << " " << name;
        EXPECT_EQ(failure.message.find('\n'), std::string::npos) << failure;
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(Table, RequestsAboutATraceNameThoseThatAreOpen) {
  Client client;
  const auto requests = RequestsOfATrace();
  for (const Method& method : Methods())
    EXPECT_EQ(requests.contains(method.name), Takes(method, "trace")) << method.name;
  for (const auto& [method, params] : requests)
    EXPECT_EQ(client.Refused(method, params), (Failure{kRequestFailed, kNoTrace})) << method;
  OpenExample(client);
  for (const auto& [method, params] : requests)
    EXPECT_EQ(client.Refused(method, params),
              (Failure{kRequestFailed, "the trace t9 is not open; open: t1 (app)"}))
        << method;
}

TEST(Table, RequestsOfOursAreCommandsToo) {
  Client client;
  OpenExample(client);
  const std::string command = "{'command': 'tasklens.task', 'arguments': [{'task': 3}]}";
  EXPECT_EQ(client.Ask("workspace/executeCommand", command),
            client.Ask("tasklens/task", "{'task': 3}"));
  const struct {
    std::string params, message;
  } rows[] = {
      {"{}", "params.command is missing"},
      {"{'command': 'tasklens.nothing'}", "unknown command tasklens.nothing"},
      {"{'command': 'task'}", "unknown command task"},
      {"{'command': 'tasklens.task', 'arguments': {}}",
       "params.arguments must be an array, not an object"},
      {"{'command': 'tasklens.task', 'arguments': [{}, {}]}",
       "a command takes one argument, an object with its parameters"},
      {"{'command': 'tasklens.task', 'arguments': [3]}", "params must be an object, not 3"},
      {"{'command': 'tasklens.task'}", "params.task is missing"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(client.Refused("workspace/executeCommand", row.params),
              (Failure{kInvalidParams, row.message}));
}

TEST(Table, WhatIsInNoTableIsRefused) {
  Client client;
  EXPECT_EQ(client.Refused("tasklens/nothing"),
            (Failure{kMethodNotFound, "unknown request tasklens/nothing"}));
  EXPECT_EQ(client.Refused("textDocument/rename"),
            (Failure{kMethodNotFound, "unknown request textDocument/rename"}));
  EXPECT_EQ(client.Refused("initialize"), (Failure{kInvalidRequest, "initialize came twice"}));
  client.Tell("tasklens/nothing", "{}");
  EXPECT_EQ(client.Ask("tasklens/traces"), "{'traces': []}");
}

TEST(Table, NothingIsAnsweredBeforeInitializeAndAfterShutdown) {
  Client client({.initialize = false});
  for (const Method& method : Methods())
    EXPECT_EQ(client.Refused(method.name),
              (Failure{kNotInitialized, method.name + " came before initialize"}));
  client.Ask("initialize", "{'processId': null, 'rootUri': null, 'capabilities': {}}");
  EXPECT_EQ(client.Ask("tasklens/traces"), "{'traces': []}");
  EXPECT_EQ(client.Ask("shutdown"), "null");
  for (const Method& method : Methods())
    EXPECT_EQ(client.Refused(method.name),
              (Failure{kInvalidRequest, "only exit may follow shutdown"}));
}

TEST(Table, MessagesThatAreNoneAreAnsweredWithoutAnId) {
  Client client;
  client.Send("Content-Length: 3\r\n\r\n{x}");
  EXPECT_EQ(client.ErrorTo(0).code, -32700);
  EXPECT_EQ(client.Ask("tasklens/traces"), "{'traces': []}");
}

}  // namespace
}  // namespace tasklens::testing
