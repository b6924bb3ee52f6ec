// SPDX-License-Identifier: Apache-2.0
// What a document shows at its lines: lenses, hints, hovers, advice; also when it is edited.
#include <filesystem>

#include "tests/server/in_process/in_process.h"
#include "tests/testing/starpu_traces.h"

namespace tasklens::testing {
namespace {

constexpr char kMarkdown[] = "{'textDocument': {'hover': {'contentFormat': ['markdown']}}}";
constexpr char kAlpha[] = "2 tasks · 400 µs total · mean 200 µs · 36 %";
constexpr char kBeta[] = "2 tasks · 700 µs total · mean 350 µs · 64 %";
constexpr char kUneven[] =
    "the run ends unevenly: workers had nothing left to do for 30 % of the run while the last "
    "tasks finished (the last one took 600 µs); start long tasks earlier by priority, or split "
    "them";

std::string Encoding(const std::string& name) {
  return "{'general': {'positionEncodings': ['" + name + "']}}";
}

std::string Span(uint32_t line, uint32_t from, uint32_t to) {
  const std::string row = "{'line': " + std::to_string(line) + ", 'character': ";
  return "{'start': " + row + std::to_string(from) + "}, 'end': " + row + std::to_string(to) + "}}";
}

// The lenses of sites: line and title.
std::vector<std::pair<uint32_t, std::string>> Lenses(Client& client) {
  std::vector<std::pair<uint32_t, std::string>> found;
  for (const Json& lens : client.Ask("textDocument/codeLens", client.Document("app.c")).Each())
    if (lens["/command/command"] == "'tasklens.showSite'")
      found.emplace_back(lens["/range/start/line"].number(), lens["/command/title"].text());
  return found;
}
using Titles = std::vector<std::pair<uint32_t, std::string>>;

std::string InLines(const Client& client, uint32_t from, uint32_t to) {
  return "{'textDocument': {'uri': '" + client.Uri("app.c") +
         "'}, 'range': " + "{'start': {'line': " + std::to_string(from) +
         ", 'character': 0}, 'end': {'line': " + std::to_string(to) +
         ", 'character': 0}}, 'context': {'diagnostics': []}}";
}

std::string Hover(Client& client, uint32_t line, uint32_t character = 0) {
  return client.Ask("textDocument/hover", client.At("app.c", line, character))["/contents/value"]
      .text();
}

// The advice that the client was told last of the file.
Json Advice(Client& client) {
  Json last;
  for (const Json& told : client.TakeAll("textDocument/publishDiagnostics"))
    if (told["/uri"] == Text(client.Uri("app.c"))) last = told["/diagnostics"];
  return last;
}

std::string Rules(const Json& diagnostics) {
  std::string rules;
  for (const Json& rule : diagnostics.Each("/code")) rules += rule.text() + ";";
  return rules;
}
constexpr char kBoth[] = "uneven_end;too_little_parallelism;";
constexpr char kOther[] = "too_little_parallelism;";

TEST(CodeLens, SaysWhatTheTasksOfALineCost) {
  Client client;
  OpenExample(client);
  const Json lenses = client.Ask("textDocument/codeLens", client.Document("app.c"));
  ASSERT_EQ(lenses.size(), 3u);
  EXPECT_EQ(lenses["/0/command/title"], "'run traced'");
  EXPECT_EQ(lenses["/0/range/start/line"], 8);
  EXPECT_EQ(lenses["/0/command/arguments"],
            "[{'program': './app', 'workingDirectory': '" +
                std::filesystem::canonical(client.folder()).string() + "'}]");
  EXPECT_EQ(lenses["/1"], "{'range': " + Span(9, 2, 35) + ", 'command': {'title': '" + kAlpha +
                              "', 'command': 'tasklens.showSite', 'arguments': [{'trace': 't1', "
                              "'site': 0}]}}");
  EXPECT_EQ(lenses["/2"], "{'range': " + Span(10, 2, 44) + ", 'command': {'title': '" + kBeta +
                              "', 'command': 'tasklens.showSite', 'arguments': [{'trace': 't1', "
                              "'site': 1}]}}");
}

TEST(CodeLens, ThereAreNoneWhereNothingIsKnown) {
  Client client;
  client.Write("other.c", "int main(void) { return 0; }\n");
  OpenExample(client);
  EXPECT_EQ(client.Ask("textDocument/codeLens", client.Document("other.c")), "[]");
  EXPECT_EQ(client.Ask("textDocument/codeLens", client.Document("none.c")), "[]");
  EXPECT_EQ(client.Ask("textDocument/codeLens", "{'textDocument': {'uri': 'untitled:1'}}"), "[]");
  client.Ask("tasklens/closeTrace", "{'trace': 't1'}");
  EXPECT_EQ(Lenses(client), Titles());
}

// A trace whose program waits at line 12 of the example, twice.
TEST(CodeLens, SaysForHowLongALineWaits) {
  Client client;
  OpenExample(client);
  TestTrace waiting = TestTrace().Worker("CPU0");
  for (int i = 0; i < 2; ++i) {
    const int64_t from_ns = i * 1'000'000;
    waiting.Task("alpha", from_ns, from_ns + 100'000,
                 {.submit_ns = from_ns, .file = "app.c", .line = 10, .function = "main"});
    waiting.Event(from_ns + 1000, EventKind::kCallSite, {uint32_t{12}, "app.c", "main"});
    waiting.Event(from_ns + 1000, EventKind::kStatePush, {StateKind::kWaitingAllTasks});
    waiting.Event(from_ns + 401'000, EventKind::kStatePop, {});
  }
  EXPECT_EQ(client.Open(waiting, "waiting_0.tlt"), "t2");
  client.WaitForAnalysis("t2");
  const Titles lenses = Lenses(client);
  ASSERT_EQ(lenses.size(), 2u);
  EXPECT_EQ(lenses[1],
            (std::pair(11u, std::string("waited 2 times · 800 µs total · mean 400 µs"))));
  const Json shown = client.Ask("tasklens/showSite", "{'trace': 't2', 'site': 1}");
  EXPECT_EQ(shown["/title"].text(), lenses[1].second);
  EXPECT_EQ(shown["/tasks"], 0);
  const Json site = client.Ask("tasklens/site", "{'trace': 't2', 'site': 1}");
  EXPECT_EQ(site["/count"], 0);
  EXPECT_EQ(site["/source/waits"], "{'calls': 2, 'totalNs': 800000}");
  // The worker was idle from 100 µs on, and nothing was submitted while the line waited until 401.
  const Json why = client.Ask("tasklens/why", "{'trace': 't2', 'worker': 0, 'atNs': 300000}");
  EXPECT_EQ(why["/pause/waited"], "{'site': 1, 'file': 'app.c', 'line': 12, 'waitedNs': 301000}");
}

// Where a line waits comes with the analysis, after the trace is open.
TEST(CodeLens, IsAskedForAgainWhenTheAnalysisIsDone) {
  Client client({.capabilities = "{'workspace': {'codeLens': {'refreshSupport': true}}}"});
  client.AnswerWith("workspace/codeLens/refresh", "null");
  OpenExample(client);
  EXPECT_EQ(client.Asked("workspace/codeLens/refresh").size(), 2u);  // opened, analysed
}

TEST(CodeLens, SaysWhatChangedSinceTheRunBefore) {
  Client client;
  OpenExample(client);
  // Half as long, and one task more.
  TestTrace faster = TestTrace().Worker("CPU0");
  for (int i = 0; i < 3; ++i)
    faster.Task("alpha", i * 100'000, (i + 1) * 100'000,
                {.submit_ns = 0, .file = "app.c", .line = 10, .function = "main"});
  EXPECT_EQ(client.Open(faster, "after_0.tlt"), "t2");
  EXPECT_EQ(Lenses(client),
            (Titles{{9,
                     "3 tasks · 300 µs total · mean 100 µs · 100 % · mean −50 %, tasks 2 → 3 "
                     "since the run before"}}));
}

// Two tasks of 100 and 300 µs before, of 120 and 320 now: a tenth more, which two tasks that differ
// so much do not tell.
TEST(CodeLens, AMeanWithinTheNoiseIsNoChange) {
  Client client;
  OpenExample(client);
  TestTrace noisy = TestTrace().Worker("CPU0");
  noisy.Task("alpha", 0, 120'000,
             {.submit_ns = 0, .file = "app.c", .line = 10, .function = "main"});
  noisy.Task("alpha", 120'000, 440'000,
             {.submit_ns = 0, .file = "app.c", .line = 10, .function = "main"});
  EXPECT_EQ(client.Open(noisy, "after_0.tlt"), "t2");
  EXPECT_EQ(Lenses(client),
            (Titles{{9, "2 tasks · 440 µs total · mean 220 µs · 100 % · as before"}}));
}

TEST(CodeLens, FollowsTheLinesOfATextThatIsEdited) {
  Client client;
  OpenExample(client);
  client.OpenDocument("app.c", ExampleSource());
  EXPECT_EQ(Lenses(client), (Titles{{9, kAlpha}, {10, kBeta}}));
  client.Edit("app.c", {0, 0}, {0, 0}, "/* new */\n\n");
  EXPECT_EQ(Lenses(client), (Titles{{11, kAlpha}, {12, kBeta}}));
  // A copy above the first: by the texts alone it could be the line itself.
  client.Edit("app.c", {11, 0}, {11, 0}, "  starpu_task_insert(&alpha_cl, 0);\n");
  EXPECT_EQ(Lenses(client), (Titles{{12, kAlpha}, {13, kBeta}}));
  client.Edit("app.c", {13, 2}, {13, 99}, "something_else();");
  EXPECT_EQ(Lenses(client),
            (Titles{{12, kAlpha}, {13, std::string(kBeta) + " · the line was changed since"}}));
  // Closed: the file counts again.
  client.Tell("textDocument/didClose", client.Document("app.c"));
  EXPECT_EQ(Lenses(client), (Titles{{9, kAlpha}, {10, kBeta}}));
}

TEST(CodeLens, AWholeTextMayBeSentInstead) {
  Client client;
  OpenExample(client);
  client.OpenDocument("app.c", ExampleSource());
  client.Tell("textDocument/didChange",
              "{'textDocument': {'uri': '" + client.Uri("app.c") +
                  "', 'version': 9}, 'contentChanges': [{'text': 'int a;\\n  "
                  "starpu_task_insert(&alpha_cl, 0);\\n'}]}");
  const Titles lenses = Lenses(client);
  ASSERT_FALSE(lenses.empty());
  EXPECT_EQ(lenses[0], std::pair(1u, std::string(kAlpha)));
}

TEST(CodeLens, ThereAreNoneWhereTheLineIsGone) {
  Client client;
  OpenExample(client);
  client.OpenDocument("app.c", ExampleSource());
  // All of main but its braces; then another call beside the place.
  client.Edit("app.c", {9, 0}, {11, 0}, "");
  EXPECT_EQ(Lenses(client), Titles());
  client.Edit("app.c", {9, 0}, {9, 0}, "  printf(\"hello\\n\");\n");
  EXPECT_EQ(Lenses(client), Titles());
  // As it was.
  client.Edit("app.c", {9, 0}, {10, 0},
              "  starpu_task_insert(&alpha_cl, 0);\n  starpu_task_insert(&beta_codelet, 0);\n");
  EXPECT_FALSE(Lenses(client).empty());
}

TEST(CodeLens, ThereAreNoneInAnotherText) {
  Client client;
  OpenExample(client);
  client.OpenDocument("app.c", ExampleSource());
  const auto becomes = [&](const std::string& text) {
    client.Tell("textDocument/didChange", "{'textDocument': {'uri': '" + client.Uri("app.c") +
                                              "', 'version': 9}, 'contentChanges': [{'text': '" +
                                              text + "'}]}");
    return Lenses(client);
  };
  EXPECT_EQ(becomes("int a;\\nint b;\\nvoid f(void) { a = b; }\\n"), Titles());
  EXPECT_EQ(becomes(""), Titles());
}

// Of a line that was rewritten behind the editor's back only its words tell.
TEST(CodeLens, ALineThatKeepsItsWordsWasRewritten) {
  Client client;
  OpenExample(client);
  client.OpenDocument("app.c", ExampleSource());
  std::string text = ExampleSource();
  const size_t alpha = text.find("starpu_task_insert(&alpha");
  ASSERT_NE(alpha, std::string::npos);
  text.insert(text.find(')', alpha), ", STARPU_PRIORITY, 1");
  client.OpenDocument("app.c", text);
  const Titles lenses = Lenses(client);
  ASSERT_EQ(lenses.size(), 2u);
  EXPECT_EQ(lenses[0], std::pair(9u, std::string(kAlpha) + " · the line was changed since"));
}

TEST(CodeLens, OfAnEditThatIsNoneTheFileCounts) {
  Client client;
  OpenExample(client);
  for (const char* range : {"{'start': 1}",
                            "{'start': {'line': 1, 'character': 1}, 'end': "
                            "{'line': 0, 'character': 0}}"}) {
    client.OpenDocument("app.c", "int nothing;\nint more;\n");
    client.Tell("textDocument/didChange",
                "{'textDocument': {'uri': '" + client.Uri("app.c") +
                    "', 'version': 9}, 'contentChanges': [{'range': " + range + ", 'text': ''}]}");
    EXPECT_EQ(Lenses(client), (Titles{{9, kAlpha}, {10, kBeta}})) << range;
  }
  EXPECT_TRUE(Has(client.log(), "didChange: params.start must be an object, not 1"));
  client.Tell("textDocument/didClose", client.Document("app.c"));
  client.Edit("app.c", {0, 0}, {1, 0}, "");
  EXPECT_TRUE(
      Has(client.log(), "didChange of a document that is not open: " + client.Uri("app.c")));
}

TEST(InlayHint, StandsBehindItsLineInTheClientsUnits) {
  const struct {
    const char* encoding;
    uint32_t end;  // of the line with é and 𝕏
  } rows[] = {{"utf-8", 47}, {"utf-16", 44}, {"utf-32", 43}};
  for (const auto& row : rows) {
    Client client({.capabilities = Encoding(row.encoding)});
    OpenExample(client);
    const Json hints = client.Ask("textDocument/inlayHint", InLines(client, 0, 99));
    ASSERT_EQ(hints.size(), 2u) << row.encoding;
    EXPECT_EQ(hints["/0"], std::string("{'position': {'line': 9, 'character': 35}, 'label': "
                                       "'2 × 200 µs', 'tooltip': '") +
                               kAlpha + "', 'paddingLeft': true}");
    EXPECT_EQ(hints["/1/label"], "'2 × 350 µs'");
    EXPECT_EQ(hints["/1/position"], "{'line': 10, 'character': " + std::to_string(row.end) + "}");
  }
}

TEST(InlayHint, OnlyInTheLinesAskedForAndWhereItIsCertain) {
  Client client;
  OpenExample(client);
  const auto labels = [&](uint32_t from, uint32_t to) {
    std::string all;
    for (const Json& hint : client.Ask("textDocument/inlayHint", InLines(client, from, to)).Each())
      all += hint["/label"].text() + ";";
    return all;
  };
  EXPECT_EQ(labels(9, 9), "2 × 200 µs;");
  EXPECT_EQ(labels(10, 4'000'000'000), "2 × 350 µs;");
  EXPECT_EQ(labels(11, 20), "");
  EXPECT_EQ(labels(20, 0), "");
  client.OpenDocument("app.c", ExampleSource());
  client.Edit("app.c", {9, 2}, {9, 99}, "something_else();");
  EXPECT_EQ(labels(0, 99), "2 × 350 µs;");
}

TEST(Edits, AreCountedInTheClientsUnits) {
  const struct {
    const char* encoding;
    uint32_t begin, end;  // of 𝕏
  } rows[] = {{"utf-8", 7, 11}, {"utf-16", 6, 8}, {"utf-32", 6, 7}};
  for (const auto& row : rows) {
    Client client({.capabilities = Encoding(row.encoding)});
    OpenExample(client);
    client.OpenDocument("app.c", ExampleSource());
    client.Edit("app.c", {10, row.begin}, {10, row.end}, "");
    const Json lens =
        client.Ask("textDocument/codeLens", client.Document("app.c"))["/2/range/end/character"];
    EXPECT_EQ(lens.number(), std::string(row.encoding) == "utf-8" ? 43 : 42) << row.encoding;
  }
}

TEST(Hover, HasTheTableOfALine) {
  Client client({.capabilities = kMarkdown});
  OpenExample(client);
  const std::string alpha = Hover(client, 9), beta = Hover(client, 10, 44);
  EXPECT_TRUE(alpha.starts_with("**" + std::string(kAlpha) + "**\n")) << alpha;
  for (const char* part :
       {"| codelet | on | tasks | total | mean | min | max |\n",
        "| alpha | CPU | 2 | 400 µs | 200 µs | 100 µs | 300 µs |\n",
        "100 µs to 300 µs · median 200 µs · 95 % below 300 µs\n", "ran on 2 of 2 workers\n"})
    EXPECT_TRUE(Has(alpha, part));
  EXPECT_TRUE(beta.starts_with("**" + std::string(kBeta) + "**\n")) << beta;
  EXPECT_TRUE(Has(beta, "| beta | CPU | 2 | 700 µs | 350 µs | 100 µs | 600 µs |\n"));
  EXPECT_TRUE(Has(beta, "data: 4.0 KiB a task\n"));
  EXPECT_TRUE(Has(beta, "**uneven_end**: "));
  EXPECT_FALSE(Has(alpha, "uneven_end"));
}

TEST(Hover, OfACodeletIsOfAllItsTasks) {
  Client client({.capabilities = kMarkdown});
  OpenExample(client);
  const std::string title = "**beta**: 2 tasks · 700 µs total · mean 350 µs · 64 %\n";
  // Its variable, its kernel, its name; and what submits it.
  EXPECT_TRUE(Hover(client, 4, 30).starts_with(title)) << Hover(client, 4, 30);
  EXPECT_TRUE(Hover(client, 2, 13).starts_with(title)) << Hover(client, 2, 13);
  EXPECT_TRUE(Hover(client, 11, 3).starts_with(title)) << Hover(client, 11, 3);
  EXPECT_TRUE(Has(Hover(client, 3, 30), "**alpha**: 2 tasks · 400 µs total"));
}

TEST(Hover, IsNullWhereThereIsNothingToSay) {
  Client client;
  OpenExample(client);
  for (const auto& [line, character] :
       {std::pair(0u, 0u), {8u, 5u}, {13u, 0u}, {99u, 0u}, {4'000'000'000u, 4'000'000'000u}})
    EXPECT_EQ(client.Ask("textDocument/hover", client.At("app.c", line, character)), "null");
  EXPECT_EQ(client.Ask("textDocument/hover", client.At("none.c", 9)), "null");
  for (const char* position : {"{'line': -1, 'character': 0}", "{'line': 1.5, 'character': 0}",
                               "{'line': 4294967296, 'character': 0}", "{'line': 1}"})
    EXPECT_EQ(
        client
            .Refused("textDocument/hover", "{'textDocument': {'uri': '" + client.Uri("app.c") +
                                               "'}, 'position': " + position + "}")
            .code,
        kInvalidParams)
        << position;
}

TEST(Hover, IsPlainTextForClientsThatAnnounceNothing) {
  Client client;
  OpenExample(client);
  const Json hover = client.Ask("textDocument/hover", client.At("app.c", 9));
  EXPECT_EQ(hover["/contents/kind"], "'plaintext'");
  EXPECT_TRUE(hover["/contents/value"].text().starts_with(std::string(kAlpha) + "\n"));
}

TEST(Hover, HoldsEstimatesAgainstWhatWasMeasured) {
  Client client({.capabilities = kMarkdown});
  client.Write("app.c", "\n\n\n\n  submit();\n");
  client.Open(TestTrace()
                  .Worker("CPU0")
                  .Worker("CPU1")
                  .Task("gemm", 0, 10, {.file = "app.c", .line = 5})
                  .Task("gemm", 0, 30, {.worker = 1, .file = "app.c", .line = 5})
                  .Event(0, EventKind::kTaskEstimate, {1, 0, 8.0, 0.0})
                  .Event(0, EventKind::kTaskEstimate, {2, -1, 60.0, 0.0}));
  // 10 and 30 ns, foretold as 8 and 60.
  EXPECT_TRUE(Has(Hover(client, 4), "measured / estimated: 0.59 · mean error 60 %\n"));
}

TEST(Hover, NamesOfTasksAreNoMarkup) {
  Client client({.capabilities = kMarkdown});
  client.Write("app.c", "submit();\n");
  client.Open(TestTrace().Task("gemm<float>|*", 0, 10, {.file = "app.c", .line = 1}));
  EXPECT_TRUE(Has(Hover(client, 0), "| gemm\\<float\\>\\|\\* | CPU | 1 |"));
}

TEST(Lines, OfATraceThatLostDataSaySo) {
  Client client({.capabilities = kMarkdown});
  client.Write("app.c", ExampleSource());
  WriteTrace(ExampleTrace(), client.Path("whole.tlt"));
  // Its second chunk, that of a worker, is cut short.
  std::filesystem::resize_file(client.Path("whole.tlt"),
                               std::filesystem::file_size(client.Path("whole.tlt")) - 64);
  EXPECT_EQ(client.OpenFiles({client.Path("whole.tlt")}), "t1");
  for (const auto& [line, title] : Lenses(client))
    EXPECT_TRUE(Has(title, " · the trace lost data")) << line;
  EXPECT_EQ(client.Ask("tasklens/showSite", "{'site': 0}")["/dataLoss"], "true");
}

TEST(Diagnostics, AreTheAdviceAtItsLines) {
  Client client;
  OpenExample(client);
  const Json told = client.Take("textDocument/publishDiagnostics");
  EXPECT_EQ(told["/uri"], Text(client.Uri("app.c")));
  ASSERT_EQ(told["/diagnostics"].size(), 2u) << told;
  const Json one = told["/diagnostics/0"];
  EXPECT_EQ(one["/range"], Span(10, 2, 44));
  EXPECT_EQ(one["/code"], "'uneven_end'");
  EXPECT_EQ(one["/source"], "'tasklens'");
  EXPECT_EQ(one["/message"].text(), kUneven);
  // CPU0 had nothing to do from 400 to 1000 µs.
  EXPECT_EQ(one["/data/evidence"],
            "{'worker_time_lost_ns': 600000, 'last_task_job': 4, 'last_task_ns': 600000}");
  EXPECT_FALSE(one["/relatedInformation"].exists());
  EXPECT_FALSE(told["/version"].exists());
  // 1,100 µs of tasks over a critical path of 1,000.
  EXPECT_EQ(told["/diagnostics/1/code"], "'too_little_parallelism'");
  EXPECT_EQ(told["/diagnostics/1/range"], one["/range"]);
  EXPECT_EQ(told["/diagnostics/1/data/evidence"],
            "{'longest_chain_ns': 1000000, 'mean_parallelism': 1.1, 'workers': 2}");
  // The same as the request says it.
  EXPECT_EQ(client.Ask("tasklens/advice")["/findings"].Each("/message"),
            told["/diagnostics"].Each("/message"));
}

TEST(Diagnostics, FollowTheLinesAndGoWithTheTrace) {
  Client client({.capabilities = "{'textDocument': {'publishDiagnostics': {'relatedInformation': "
                                 "true, 'versionSupport': true}}}"});
  OpenExample(client);
  const Json related =
      client.Take("textDocument/publishDiagnostics")["/diagnostics/0"]["/relatedInformation"];
  ASSERT_EQ(related.size(), 1u);
  EXPECT_EQ(related["/0/location/range"], Span(9, 2, 35));
  EXPECT_EQ(related["/0/message"],
            "'2 dependencies of the advised line\\u0027s tasks on those of this line'");
  client.OpenDocument("app.c", "\n\n" + ExampleSource());
  const Json moved = client.Take("textDocument/publishDiagnostics");
  EXPECT_EQ(moved["/version"], 1);
  EXPECT_EQ(moved["/diagnostics/0/range/start/line"], 12);
  // What was rewritten may be mended already.
  client.Edit("app.c", {12, 2}, {12, 99}, "mended();");
  EXPECT_EQ(client.Take("textDocument/publishDiagnostics")["/diagnostics"], "[]");
  client.Tell("textDocument/didClose", client.Document("app.c"));
  EXPECT_EQ(client.Take("textDocument/publishDiagnostics")["/diagnostics"].size(), 2u);
  client.Ask("tasklens/closeTrace", "{'trace': 't1'}");
  EXPECT_EQ(client.Take("textDocument/publishDiagnostics")["/diagnostics"], "[]");
}

constexpr char kEditor[] =
    "{'textDocument': {'codeAction': {'codeActionLiteralSupport': {'codeActionKind': "
    "{'valueSet': ['quickfix']}}}}, 'workspace': {'applyEdit': true}}";

TEST(CodeAction, OffersWhatCanBeDoneAboutAdvice) {
  Client client({.capabilities = kEditor});
  OpenExample(client);
  const Json actions = client.Ask("textDocument/codeAction", InLines(client, 10, 10));
  std::vector<std::string> titles;
  for (const Json& title : actions.Each("/title")) titles.push_back(title.text());
  std::vector<std::string> expected;
  for (const std::string ignore : {"Ignore uneven_end", "Ignore too_little_parallelism"})
    expected.insert(expected.end(), {"Show what this line cost", ignore + " here",
                                     ignore + " in this file", ignore + " in this project"});
  EXPECT_EQ(titles, expected);
  EXPECT_EQ(actions["/0/command/arguments"], "[{'trace': 't1', 'site': 1}]");
  const std::string pointer = "/edit/changes/" + [&] {
    std::string uri = client.Uri("app.c");
    for (size_t at = uri.find('/'); at != uri.npos; at = uri.find('/', at + 2))
      uri.replace(at, 1, "~1");
    return uri;
  }();
  EXPECT_EQ(actions["/1"][pointer], "[{'range': " + Span(10, 0, 0) +
                                        ", 'newText': '  /* tasklens: ignore uneven_end */\\n'}]");
  EXPECT_EQ(
      actions["/2"][pointer],
      "[{'range': " + Span(0, 0, 0) + ", 'newText': '/* tasklens: ignore-file uneven_end */\\n'}]");
  EXPECT_EQ(actions["/3/command"],
            "{'title': 'Ignore uneven_end in this project', 'command': 'tasklens.silence', "
            "'arguments': [{'rule': 'uneven_end'}]}");
  EXPECT_EQ(client.Ask("textDocument/codeAction", InLines(client, 0, 9)), "[]");
  EXPECT_EQ(client.Ask("textDocument/codeAction", InLines(client, 11, 99)), "[]");
}

TEST(CodeAction, CommentsAndTheProjectSilenceIt) {
  Client client({.capabilities = kEditor});
  OpenExample(client);
  ASSERT_EQ(Rules(Advice(client)), kBoth);
  client.OpenDocument("app.c", ExampleSource());
  Advice(client);
  client.Edit("app.c", {10, 0}, {10, 0}, "  /* tasklens: ignore uneven_end */\n");
  EXPECT_EQ(Rules(Advice(client)), kOther);
  client.Edit("app.c", {10, 0}, {11, 0}, "");
  EXPECT_EQ(Rules(Advice(client)), kBoth);
  client.Edit("app.c", {0, 0}, {0, 0}, "/* tasklens: ignore-file uneven_end */\n");
  EXPECT_EQ(Rules(Advice(client)), kOther);
  // Another rule of which this is the beginning.
  client.Edit("app.c", {0, 0}, {1, 0}, "/* tasklens: ignore-file uneven_end_of_all */\n");
  EXPECT_EQ(Rules(Advice(client)), kBoth);

  const Json file = client.Ask("tasklens/silence", "{'rule': 'uneven_end'}")["/uri"];
  EXPECT_EQ(file.text(), "file://" + std::filesystem::canonical(client.folder()).string() +
                             "/.tasklens/silenced-rules");
  EXPECT_TRUE(Has(ReadFile(client.Path(".tasklens/silenced-rules")), "uneven_end\n"));
  EXPECT_EQ(Rules(Advice(client)), kOther);
  for (const char* method : {"tasklens/advice", "tasklens/overview"})
    EXPECT_EQ(client.Ask(method)["/findings"].Each("/rule"),
              std::vector<Json>{"'too_little_parallelism'"});
}

TEST(Silence, InAFileIsAnEditThatTheClientMakes) {
  Client client({.capabilities = kEditor});
  OpenExample(client);
  const std::string here =
      "{'rule': 'uneven_end', 'uri': '" + client.Uri("app.c") + "', 'line': 10}";
  EXPECT_EQ(client.Refused("tasklens/silence", here).code, kRequestFailed);  // it refuses
  client.AnswerWith("workspace/applyEdit", "{'applied': false}");
  EXPECT_EQ(client.Refused("tasklens/silence", here),
            (Failure{kRequestFailed, "the editor did not change the file"}));
  client.AnswerWith("workspace/applyEdit", "{'applied': true}");
  client.Asked("workspace/applyEdit");
  EXPECT_EQ(client.Ask("tasklens/silence", here)["/uri"], Text(client.Uri("app.c")));
  const std::vector<Json> asked = client.Asked("workspace/applyEdit");
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0]["/label"], "'Ignore uneven_end'");
}

TEST(Silence, RefusesWhatItCannotDo) {
  Client client;
  OpenExample(client);
  const std::string outside = "file:///etc/passwd", none = client.Uri("none.c");
  const struct {
    std::string params;
    int code;
    std::string message;
  } rows[] = {
      {"{'rule': 'uneven_end', 'line': 3}", kInvalidParams,
       "params.line needs the uri of its file"},
      {"{'rule': 'uneven_end', 'uri': '" + outside + "'}", kInvalidParams,
       outside + ": not in the workspace, nor in a folder of the setting sourceRoots"},
      {"{'rule': 'uneven_end', 'uri': '" + none + "'}", kRequestFailed, none + ": no such file"},
      {"{'rule': 'uneven_end', 'uri': '" + client.Uri("app.c") + "', 'line': 10}", kRequestFailed,
       "this editor does not take edits from the server; write /* tasklens: ignore uneven_end */ "
       "above the line"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(client.Refused("tasklens/silence", row.params), (Failure{row.code, row.message}));
  const Failure unknown = client.Refused("tasklens/silence", "{'rule': 'x'}");
  EXPECT_EQ(unknown.code, kInvalidParams);
  EXPECT_TRUE(unknown.message.starts_with("no rule of advice is called 'x'; there are: "));

  Client homeless({.has_folder = false});
  EXPECT_EQ(homeless.Refused("tasklens/silence", "{'rule': 'uneven_end'}"),
            (Failure{kRequestFailed,
                     "there is no workspace folder to save this in; add uneven_end to the setting "
                     "silencedRules"}));
}

TEST(TasksAt, AreThoseThatALineSubmitted) {
  Client client;
  OpenExample(client);
  const auto at = [&](const std::string& uri, int64_t line, const std::string& more = "") {
    return client.Ask("tasklens/tasksAt",
                      "{'uri': '" + uri + "', 'line': " + std::to_string(line) + more + "}");
  };
  const Json beta = at(client.Uri("app.c"), 10);
  EXPECT_EQ(beta["/trace"], "'t1'");
  EXPECT_EQ(beta["/count"], 2);
  EXPECT_EQ(beta["/tasks/1"],
            "{'task': 3, 'name': 'beta', 'job': 4, 'rank': 0, 'worker': 'CPU1', 'startNs': 400000, "
            "'endNs': 1000000, 'site': 1, 'ownRgb': null}");
  EXPECT_EQ(at(client.Uri("app.c"), 10, ", 'limit': 1")["/tasks"].size(), 1u);
  EXPECT_EQ(at(client.Uri("app.c"), 10, ", 'limit': 1")["/count"], 2);
  const std::string none = "{'trace': null, 'count': 0, 'tasks': []}";
  for (const int64_t line : {8, 11, 99}) EXPECT_EQ(at(client.Uri("app.c"), line), none) << line;
  EXPECT_EQ(at(client.Uri("none.c"), 10), none);
  client.OpenDocument("app.c", "\n" + ExampleSource());
  EXPECT_EQ(at(client.Uri("app.c"), 9), none);
  EXPECT_EQ(at(client.Uri("app.c"), 11)["/count"], 2);
}

TEST(Reveal, LeadsToTheLineThatSubmitted) {
  Client client({.capabilities = "{'window': {'showDocument': {'support': true}}}"});
  OpenExample(client);
  const std::string location =
      "{'uri': '" + client.Uri("app.c") + "', 'range': " + Span(10, 2, 44) + "}";
  client.AnswerWith("window/showDocument", "{'success': true}");
  EXPECT_EQ(client.Ask("tasklens/reveal", "{'task': 3, 'takeFocus': false}"),
            "{'location': " + location + ", 'shown': true}");
  EXPECT_EQ(client.Asked("window/showDocument"),
            std::vector<Json>{"{'uri': '" + client.Uri("app.c") +
                              "', 'takeFocus': false, 'selection': " + Span(10, 2, 44) + "}"});
  for (const char* answer : {"{'success': false}", "null", "7"}) {
    client.AnswerWith("window/showDocument", answer);
    EXPECT_EQ(client.Ask("tasklens/reveal", "{'site': 1}"),
              "{'location': " + location + ", 'shown': false}");
  }
  EXPECT_EQ(client.Refused("tasklens/reveal", "{}"),
            (Failure{kInvalidParams, "params needs task or site"}));
  EXPECT_EQ(client.Refused("tasklens/reveal", "{'task': 4}"),
            (Failure{kRequestFailed, "the trace t1 has no task 4; it has 4, counted from 0"}));
  EXPECT_EQ(
      client.Refused("tasklens/reveal", "{'site': 2}"),
      (Failure{kRequestFailed, "the trace t1 has no submission site 2; it has 2, counted from 0"}));
}

TEST(Reveal, SaysWhyThereIsNoLine) {
  Client client;
  client.Open(ExampleTrace());
  EXPECT_EQ(client.Refused("tasklens/reveal", "{'task': 0}"),
            (Failure{kRequestFailed,
                     "app.c: no such file in the workspace; name the folder of the sources in the "
                     "setting sourceRoots, or with --source-root"}));
}

TEST(ShowSite, IsBehindEachLens) {
  Client client;
  OpenExample(client);
  const Json shown = client.Ask("tasklens/showSite", "{'trace': 't1', 'site': 1}");
  const std::string text = "beta: " + std::string(kBeta) + " · 100 µs to 600 µs";
  EXPECT_EQ(shown["/text"].text(), text);
  EXPECT_EQ(shown["/dataLoss"], "false");
  EXPECT_EQ(shown["/title"].text(), kBeta);
  // For a client without a plugin.
  EXPECT_EQ(client.Take("window/showMessage")["/message"].text(), text);
  // The row of the costs.
  Json row = client.Ask("tasklens/stats")["/costs/0"];
  for (const char* member : {"/site", "/tasks", "/totalNs", "/meanNs", "/share", "/location"})
    EXPECT_EQ(shown[member], row[member]) << member;
  EXPECT_EQ(
      client.Refused("tasklens/showSite", "{'site': 2}"),
      (Failure{kRequestFailed, "the trace t1 has no submission site 2; it has 2, counted from 0"}));
}

TEST(Settings, MayBringSourcesLater) {
  Client client({.capabilities = "{'experimental': {'tasklens': true}}", .has_folder = false});
  client.Write("src/app.c", ExampleSource());
  client.Open(ExampleTrace());
  client.TakeAll("tasklens/traceUpdated");
  EXPECT_EQ(client.Refused("tasklens/reveal", "{'task': 0}").code, kRequestFailed);
  client.Tell("workspace/didChangeConfiguration",
              "{'settings': {'tasklens': {'sourceRoots': ['" + client.Path("src") + "']}}}");
  EXPECT_EQ(client.Take("tasklens/traceUpdated")["/trace"], "'t1'");
  EXPECT_EQ(client.Ask("tasklens/reveal", "{'task': 0}")["/location/range"], Span(9, 2, 35));
}

}  // namespace
}  // namespace tasklens::testing
