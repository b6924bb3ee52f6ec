// SPDX-License-Identifier: Apache-2.0
// From one place of the sources to another: call hierarchy, references, definitions, symbols, and
// the places that generated files name.
#include "tests/server/in_process/in_process.h"

namespace tasklens::testing {
namespace {

// "app.c:9 app.c:10": file and line of each place, in the order of the answer.
std::string Places(const Json& places) {
  std::string text;
  for (const Json& place : places.Each()) {
    const std::string uri = place["/uri"].text();
    text += (text.empty() ? "" : " ") + uri.substr(uri.rfind('/') + 1) + ":" +
            std::to_string(static_cast<int>(place["/range/start/line"].number()));
  }
  return text;
}

Json Item(const std::string& trace, int site) {
  return "{'item': {'data': {'trace': '" + trace + "', 'site': " + std::to_string(site) + "}}}";
}

TEST(CallHierarchy, PreparesTheSitesOfALine) {
  Client client;
  OpenExample(client);
  const Json items = client.Ask("textDocument/prepareCallHierarchy", client.At("app.c", 9, 4));
  const std::string range =
      "{'start': {'line': 9, 'character': 2}, 'end': {'line': 9, 'character': 35}}";
  EXPECT_EQ(items,
            "[{'name': 'alpha', 'kind': 12, 'detail': '2 tasks · 400 µs total · mean 200 µs "
            "· 36 %', 'uri': '" +
                client.Uri("app.c") + "', 'range': " + range + ", 'selectionRange': " + range +
                ", 'data': {'trace': 't1', 'site': 0}}]");
  for (const uint32_t line : {0u, 8u, 11u, 99u})
    EXPECT_EQ(client.Ask("textDocument/prepareCallHierarchy", client.At("app.c", line)), "null");
  EXPECT_EQ(client.Ask("textDocument/prepareCallHierarchy", client.At("none.c", 9)), "null");
}

TEST(CallHierarchy, CountsTheDependenciesBothWays) {
  Client client;
  OpenExample(client);
  const Json before = client.Ask("callHierarchy/incomingCalls", Item("t1", 1));
  const Json after = client.Ask("callHierarchy/outgoingCalls", Item("t1", 0));
  // Of the three dependencies of the trace, two lead from alpha to beta, one from beta to beta.
  ASSERT_EQ(before.size(), 2u);
  EXPECT_EQ(before["/0/from/name"], "'alpha'");
  EXPECT_TRUE(before["/0/from/detail"].text().starts_with("2 dependencies · 2 tasks · 400 µs"));
  EXPECT_EQ(before["/1/from/name"], "'beta'");
  EXPECT_TRUE(before["/1/from/detail"].text().starts_with("1 dependency · 2 tasks · 700 µs"));
  EXPECT_EQ(before["/0/fromRanges/0"], before["/0/from/range"]);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after["/0/to/data"], "{'trace': 't1', 'site': 1}");
  EXPECT_EQ(after["/0/fromRanges/0/start/line"], 9);
  EXPECT_EQ(client.Ask("callHierarchy/incomingCalls", Item("t1", 0)), "[]");
  size_t counted = 0;
  for (int task = 0; task < 4; ++task)
    counted +=
        client.Ask("tasklens/task", "{'task': " + std::to_string(task) + "}")["/predecessors/count"]
            .number();
  EXPECT_EQ(counted, 3u);
}

TEST(CallHierarchy, RefusesItemsThatAreNone) {
  Client client;
  OpenExample(client);
  for (const char* method : {"callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"}) {
    const struct {
      std::string params;
      Failure failure;
    } rows[] = {
        {"{'item': {}}", {kInvalidParams, "params.item.data is missing"}},
        {"{'item': {'data': {'trace': 't1'}}}",
         {kInvalidParams, "params.item.data.site is missing"}},
        {"{'item': {'data': {'trace': 't2', 'site': 0}}}",
         {kRequestFailed, "the trace t2 is not open; open: t1 (app)"}},
        {"{'item': {'data': {'trace': 't1', 'site': 2}}}",
         {kRequestFailed, "the trace t1 has no submission site 2; it has 2, counted from 0"}},
    };
    for (const auto& row : rows) EXPECT_EQ(client.Refused(method, row.params), row.failure);
  }
}

TEST(References, LeadFromACodeletToWhatSubmitsIt) {
  Client client;
  OpenExample(client);
  const struct {
    uint32_t line, character;
    const char *references, *definitions;
  } rows[] = {
      {3, 30, "app.c:9", "app.c:3 app.c:1"},            // alpha_cl where it is defined
      {1, 13, "app.c:9", "app.c:3 app.c:1"},            // its kernel
      {9, 24, "app.c:9", "app.c:3 app.c:1"},            // where it is submitted
      {9, 2, "app.c:9", "app.c:3 app.c:1"},             // elsewhere on that line
      {4, 30, "app.c:10 app.c:11", "app.c:4 app.c:2"},  // beta_cl, also through a function
      {11, 3, "app.c:6 app.c:11", "app.c:5 app.c:6 app.c:4 app.c:2"},  // that function
      {5, 13, "app.c:6 app.c:11", "app.c:5 app.c:6"},  // of which no call says the codelet
      {0, 0, "", ""},
      {8, 5, "", ""},
      {99, 0, "", ""},
  };
  for (const auto& row : rows) {
    const Json at = client.At("app.c", row.line, row.character);
    EXPECT_EQ(Places(client.Ask("textDocument/references", at)), row.references) << at;
    EXPECT_EQ(Places(client.Ask("textDocument/definition", at)), row.definitions) << at;
  }
  const Json at = "{'textDocument': {'uri': '" + client.Uri("app.c") +
                  "'}, 'position': {'line': 9, 'character': 24}, 'context': "
                  "{'includeDeclaration': true}}";
  EXPECT_EQ(Places(client.Ask("textDocument/references", at)), "app.c:9 app.c:3 app.c:1");
}

TEST(References, AreColumnsOfTheClient) {
  Client client;
  OpenExample(client);
  // Behind é and 𝕏, of which the second takes two units.
  const Json place =
      client.Ask("textDocument/definition", client.At("app.c", 10, 12 + 20))["/0/range"];
  EXPECT_EQ(place, "{'start': {'line': 4, 'character': 29}, 'end': {'line': 4, 'character': 36}}");
  client.OpenDocument("app.c",
                      "/* é𝕏 */ struct starpu_codelet gamma_cl = {.name = \"gamma\"};\n"
                      "void f(void) { starpu_task_insert(&gamma_cl, 0); }\n");
  EXPECT_EQ(client.Ask("textDocument/definition", client.At("app.c", 1, 36))["/0/range"],
            "{'start': {'line': 0, 'character': 32}, 'end': {'line': 0, 'character': 40}}");
}

TEST(WorkspaceSymbol, AreSitesByNameAndTasksByNumber) {
  Client client;
  OpenExample(client);
  const auto named = [&](const std::string& query) {
    std::string names;
    for (const Json& symbol :
         client.Ask("workspace/symbol", "{'query': '" + query + "'}").Each("/name"))
      names += symbol.text() + ";";
    return names;
  };
  const struct {
    const char *query, *names;
  } rows[] = {{"", "beta;alpha;"},
              {"LPH", "alpha;"},
              {"a", "beta;alpha;"},
              {"ab", ""},
              {"#3", "#3 beta;"},
              {"#42", "#4 beta (tag 42);"},
              {"#0x2a", "#4 beta (tag 42);"},
              {"#", ""},
              {"#x", ""},
              {"#99999999999999999999", ""}};
  for (const auto& row : rows) EXPECT_EQ(named(row.query), row.names) << row.query;
  EXPECT_EQ(client.Ask("workspace/symbol", "{'query': 'alpha'}"),
            "[{'name': 'alpha', 'kind': 12, 'containerName': 'app', 'location': {'uri': '" +
                client.Uri("app.c") +
                "', 'range': {'start': {'line': 9, 'character': 2}, 'end': {'line': 9, "
                "'character': 35}}}}]");
  EXPECT_EQ(client.Refused("workspace/symbol", "{'query': 3}"),
            (Failure{kInvalidParams, "params.query must be a string, not 3"}));
}

TEST(WorkspaceSymbol, OfALineThatWasRewrittenIsMarked) {
  for (const bool able : {true, false}) {
    Client client({.capabilities = able ? "{'workspace': {'symbol': {'tagSupport': {'valueSet': "
                                          "[1]}}}}"
                                        : "{}"});
    OpenExample(client);
    client.OpenDocument("app.c", ExampleSource());
    client.Edit("app.c", {9, 2}, {9, 99}, "nothing();");
    const Json symbol = client.Ask("workspace/symbol", "{'query': 'alpha'}")["/0"];
    EXPECT_EQ(symbol["/tags"].exists(), able);
    if (able) {
      EXPECT_EQ(symbol["/tags"], "[1]");
    }
    EXPECT_FALSE(client.Ask("workspace/symbol", "{'query': 'beta'}")["/0/tags"].exists());
  }
}

// A record of job 1, one of a line, and one of a file outside.
constexpr char kRecords[] =
    "Name: alpha\nJobId: 1\nFile: app.c\nLine: 10\n\n"
    "Name: beta\nFile: app.c\nLine: 11\n\n"
    "Name: other\nFile: /etc/passwd\nLine: 1\n";

TEST(DocumentLink, LeadsFromRecordsToTheLinesTheyName) {
  Client client;
  OpenExample(client);
  client.Write("tasks.rec", kRecords);
  const Json links = client.Ask("textDocument/documentLink", client.Document("tasks.rec"));
  ASSERT_EQ(links.size(), 2u) << links;
  EXPECT_EQ(links["/0"],
            "{'range': {'start': {'line': 2, 'character': 6}, 'end': {'line': 2, "
            "'character': 11}}, 'target': '" +
                client.Uri("app.c") + "#L10'}");
  EXPECT_EQ(links["/1/target"], Text(client.Uri("app.c") + "#L11"));
  // Lines that have moved since.
  client.OpenDocument("app.c", "\n\n\n" + ExampleSource());
  EXPECT_EQ(client.Ask("textDocument/documentLink", client.Document("tasks.rec"))["/0/target"],
            Text(client.Uri("app.c") + "#L13"));
  for (const char* name : {"app.c", "none.rec"})
    EXPECT_EQ(client.Ask("textDocument/documentLink", client.Document(name)), "[]") << name;
}

TEST(GeneratedFiles, LeadToTheirSourceFromEachLineOfARecord) {
  Client client({.capabilities = "{'textDocument': {'hover': {'contentFormat': ['markdown']}}}"});
  OpenExample(client);
  client.Write("tasks.rec", kRecords);
  client.Write("dag.dot", "digraph {\n\"t\" [ href=\"app.c#11\" ]\n}\n");
  client.Write("run.events", "0.000001 0/1 task_name: task 4 is called 'beta'\n");
  const struct {
    const char* file;
    uint32_t line;
    int target;  // -1: none
  } rows[] = {{"tasks.rec", 0, 9},   {"tasks.rec", 3, 9},   {"tasks.rec", 6, 10},
              {"tasks.rec", 10, -1}, {"tasks.rec", 4, -1},  {"dag.dot", 1, 10},
              {"dag.dot", 0, -1},    {"run.events", 0, 10}, {"tasks.rec", 1'000'000, -1}};
  for (const auto& row : rows) {
    const Json found = client.Ask("textDocument/definition", client.At(row.file, row.line));
    if (row.target < 0) {
      EXPECT_EQ(found, "null") << row.file << row.line;
    } else {
      EXPECT_EQ(found["/uri"], Text(client.Uri("app.c")));
      EXPECT_EQ(found["/range/start/line"], row.target) << row.file << row.line;
    }
  }
  const std::string hover =
      client.Ask("textDocument/hover", client.At("run.events", 0))["/contents/value"].text();
  EXPECT_TRUE(hover.starts_with("**beta**: job 4 · ran 600 µs\n")) << hover;
  EXPECT_TRUE(Has(hover, "2 tasks · 700 µs total · mean 350 µs · 64 %"));
}

TEST(GeneratedFiles, HaveSymbolsAndFolds) {
  Client client;
  client.Write("tasks.rec", kRecords);
  const Json symbols = client.Ask("textDocument/documentSymbol", client.Document("tasks.rec"));
  std::vector<std::string> names;
  for (const Json& name : symbols.Each("/name")) names.push_back(name.text());
  EXPECT_EQ(names, (std::vector<std::string>{"alpha", "beta", "other"}));
  EXPECT_EQ(client.Ask("textDocument/foldingRange", client.Document("tasks.rec")),
            "[{'startLine': 0, 'endLine': 3}, {'startLine': 5, 'endLine': 7}, {'startLine': 9, "
            "'endLine': 11}]");
  client.Write("app.c", ExampleSource());
  for (const char* name : {"app.c", "none.rec"}) {
    EXPECT_EQ(client.Ask("textDocument/documentSymbol", client.Document(name)), "[]") << name;
    EXPECT_EQ(client.Ask("textDocument/foldingRange", client.Document(name)), "[]") << name;
  }
}

}  // namespace
}  // namespace tasklens::testing
