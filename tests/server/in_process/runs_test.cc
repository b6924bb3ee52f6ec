// SPDX-License-Identifier: Apache-2.0
// Runs of a program, a script that leaves the example's trace as a traced program would, and the
// list of those that are kept. What needs a real program is in launch_test.py and runs_test.py.
#include <filesystem>

#include "tests/server/in_process/in_process.h"
#include "tests/testing/starpu_traces.h"

namespace tasklens::testing {
namespace {

namespace fs = std::filesystem;

constexpr char kOurs[] = "{'experimental': {'tasklens': true}}";

void WriteProgram(const Client& client, const std::string& name, const std::string& body) {
  client.Write(name, "#!/bin/sh\n" + body);
  fs::permissions(client.Path(name), fs::perms::owner_all);
}

// The script `app`: it leaves the trace of the example, says something, and fails with 3.
void WriteApp(const Client& client) {
  client.Write("app.c", ExampleSource());
  WriteTrace(ExampleTrace(), client.Path("made.tlt"));
  WriteProgram(client, "app",
               "cp '" + client.Path("made.tlt") +
                   "' \"$STARPU_FXT_PREFIX/trace_0.tlt\"\n"
                   "echo app.c:10: \"$1\"\n"
                   "exit 3\n");
}

TEST(Run, TellsItsOutputAndOpensItsTrace) {
  Client client({.capabilities = kOurs});
  WriteApp(client);
  const Json done = client.Ask("tasklens/run", "{'program': './app', 'arguments': ['said']}");
  EXPECT_EQ(done["/exitStatus"], 3);
  EXPECT_EQ(done["/signal"], "null");
  EXPECT_EQ(done["/leftBehind"], 0);
  EXPECT_EQ(done["/runtime"], "'tasklens'");
  EXPECT_EQ(done["/trace"], "'t1'");
  EXPECT_EQ(done["/contents/tasks"], 4);
  EXPECT_EQ(done["/contents"], client.Ask("tasklens/traces")["/traces/0"]);
  EXPECT_TRUE(Has(done["/message"].text(), "app exited with status 3"));
  EXPECT_TRUE(Has(done["/message"].text(), "its trace has 4 tasks on 2 workers in 1.00 ms"));
  EXPECT_EQ(client.Take("tasklens/runStarted")["/directory"], done["/directory"]);
  const Json output = client.Take("tasklens/runOutput");
  EXPECT_EQ(output["/text"], "'app.c:10: said\\n'");
  EXPECT_EQ(output["/stream"], "'stdout'");
  EXPECT_EQ(output["/links/0/line"], 9);
  EXPECT_EQ(output["/links/0/uri"], Text(client.Uri("app.c")));
  // Its lines have lenses at once, and `main` offers the same run again.
  const Json lenses = client.Ask("textDocument/codeLens", client.Document("app.c"));
  ASSERT_EQ(lenses.size(), 3u);
  EXPECT_EQ(lenses["/0/command/title"], "'run traced: app said'");
}

TEST(Run, RefusesWhatCannotBeRun) {
  Client client;
  client.Write("text", "no program\n");
  WriteProgram(client, "broken", "echo why >&2; exit 1\n");
  WriteProgram(client, "quiet", "exit 0\n");
  const struct {
    std::string params;
    int code;
    std::string part;
  } rows[] = {
      {"{'program': './none'}", kRequestFailed,
       client.Path("none") + ": no such program; is it built?"},
      {"{'program': './text'}", kRequestFailed, client.Path("text") + ": not executable"},
      {"{'program': './quiet', 'workingDirectory': 'none'}", kRequestFailed,
       "none: no such working folder"},
      {"{'program': './quiet', 'build': ['./broken']}", kRequestFailed,
       "the build (./broken) exited with status 1: why; quiet was not run"},
      {"{'program': './quiet', 'cpus': -1}", kInvalidParams, "params.cpus"},
      {"{'configuration': 'none'}", kRequestFailed,
       "no launch configuration is called 'none', and there is none"},
      {"{}", kRequestFailed, "no program is given, and there is no launch configuration"},
  };
  for (const auto& row : rows) {
    const Failure failure = client.Refused("tasklens/run", row.params);
    EXPECT_EQ(failure.code, row.code) << row.params << " " << failure;
    EXPECT_TRUE(Has(failure.message, row.part)) << row.params;
  }
  EXPECT_EQ(client.Ask("tasklens/runs")["/runs"], "[]");
  // No trace is no error: the program did run.
  const Json quiet = client.Ask("tasklens/run", "{'program': './quiet'}");
  EXPECT_EQ(quiet["/exitStatus"], 0);
  EXPECT_EQ(quiet["/trace"], "null");
  EXPECT_TRUE(Has(quiet["/message"].text(), "the program left no trace in "));

  Client cautious({.settings = "{'trusted': false}"});
  WriteApp(cautious);
  EXPECT_TRUE(Has(cautious.Refused("tasklens/run", "{'program': './app'}").message,
                  "the workspace is not trusted, so its programs are not run"));
}

TEST(Stop, EndsARunWhichThenAnswers) {
  Client client({.capabilities = kOurs});
  WriteProgram(client, "endless", "echo started; exec sleep 1000\n");
  const int64_t id = client.Start("tasklens/run", "{'program': './endless'}");
  const Json output = client.Take("tasklens/runOutput");
  EXPECT_EQ(output["/text"], "'started\\n'");
  EXPECT_FALSE(client.IsAnswered(id));
  EXPECT_EQ(client.Ask("tasklens/stop", "{'run': 'r1'}"), "{'stopped': ['r1']}");
  const Json done = client.AnswerTo(id);
  EXPECT_EQ(done["/signal"], 15);
  EXPECT_EQ(done["/exitStatus"], "null");
  EXPECT_EQ(client.Ask("tasklens/stop"), "{'stopped': []}");
  EXPECT_EQ(client.Refused("tasklens/stop", "{'run': 'r1'}").code, kRequestFailed);
  EXPECT_EQ(client.Refused("tasklens/stop", "{'kept': 'none'}").code, kRequestFailed);
  EXPECT_EQ(client.Refused("tasklens/stop", "{'run': 'r1', 'kept': 'k'}"),
            (Failure{kInvalidParams, "params.kept and params.run cannot be used together"}));
}

TEST(Runs, AreKeptNamedAndDeleted) {
  Client client;
  WriteApp(client);
  const Json done = client.Ask("tasklens/run", "{'program': './app'}");
  const std::string kept = done["/kept"].text();
  const Json listed = client.Ask("tasklens/runs");
  ASSERT_EQ(listed["/runs"].size(), 1u);
  const Json run = listed["/runs/0"];
  EXPECT_EQ(run["/kept"], Text(kept));
  EXPECT_EQ(run["/title"], "'app'");
  EXPECT_EQ(run["/name"], "''");
  EXPECT_EQ(run["/running"], "false");
  EXPECT_EQ(run["/exitStatus"], 3);
  EXPECT_EQ(run["/trace"], "'t1'");
  EXPECT_EQ(run["/configuration"], "{'program': './app'}");
  EXPECT_EQ(run["/directory"], done["/directory"]);
  EXPECT_LE(run["/startedNs"].number(), run["/endedNs"].number());

  const std::string which = "'kept': '" + kept + "'";
  const Json renamed = client.Ask("tasklens/renameRun", "{" + which + ", 'name': 'before'}");
  EXPECT_EQ(renamed["/name"], "'before'");
  EXPECT_EQ(renamed, client.Ask("tasklens/runs")["/runs/0"]);
  EXPECT_EQ(client.Ask("tasklens/traces")["/traces/0/title"], "'before'");
  EXPECT_EQ(client.Ask("tasklens/renameRun", "{" + which + ", 'name': ''}")["/title"], "'app'");

  EXPECT_EQ(client.Ask("tasklens/deleteRun", "{" + which + "}"), "null");
  EXPECT_EQ(client.Ask("tasklens/runs")["/runs"], "[]");
  EXPECT_EQ(client.Ask("tasklens/traces")["/traces"], "[]");
  EXPECT_FALSE(fs::exists(done["/directory"].text()));
}

TEST(Runs, OnlyWhatIsListedCanBeNamed) {
  Client client;
  WriteApp(client);
  client.Ask("tasklens/run", "{'program': './app'}");
  for (const char* kept : {"none", "", "..", "../..", "/etc", "."}) {
    const Failure none = {kRequestFailed, std::string("no run is kept as '") + kept + "' in " +
                                              fs::canonical(client.folder()).string() +
                                              "/.tasklens/runs"};
    const std::string which = std::string("'kept': '") + kept + "'";
    EXPECT_EQ(client.Refused("tasklens/deleteRun", "{" + which + "}"), none);
    EXPECT_EQ(client.Refused("tasklens/renameRun", "{" + which + ", 'name': 'x'}"), none);
  }
  EXPECT_EQ(client.Ask("tasklens/runs")["/runs"].size(), 1u);
}

TEST(Programs, AreThoseOfTheWorkspaceThatLoadStarpu) {
  Client client;
  EXPECT_EQ(client.Ask("tasklens/programs"), "{'directory': '" +
                                                 fs::canonical(client.folder()).string() +
                                                 "', 'count': 0, 'programs': [], 'all': true}");
  // It has the runtime within it. One that loads it instead has another name at the same place.
  std::string program = ReadFile("examples/cholesky");
  const std::string from = "libstdc++.so.6", to = "libstarpu.so.1";
  for (size_t at = 0; (at = program.find(from, at)) != std::string::npos; at += to.size())
    program.replace(at, to.size(), to);
  client.Write("build/app", program);
  client.Write("script", "#!/bin/sh\n");
  for (const char* name : {"build/app", "script"})
    fs::permissions(client.Path(name), fs::perms::owner_all);
  // Files of tests are old otherwise.
  fs::last_write_time(client.Path("build/app"), fs::file_time_type::clock::now());
  const Json known = client.Ask("tasklens/programs");
  EXPECT_EQ(known["/count"], 1);
  EXPECT_EQ(known["/programs/0/program"], "'./build/app'");
  EXPECT_GT(known["/programs/0/modifiedNs"].number(), 0);
  EXPECT_EQ(client.Ask("tasklens/programs", "{'limit': 0}")["/programs"], "[]");
  Client alone({.has_folder = false});
  EXPECT_EQ(alone.Ask("tasklens/programs")["/directory"], "null");
}

TEST(Configurations, AreThoseOfSettingsAndProject) {
  Client client({.settings = "{'configurations': [{'name': 'mine', 'program': './app'}]}"});
  client.Write(".tasklens/launch.json",
               R"({"version": 1, "configurations": [
                    {"name": "small", "program": "./app", "arguments": ["8"]},
                    {"name": "bad", "program": 7}]})");
  const std::string file = fs::canonical(client.folder()).string() + "/.tasklens/launch.json";
  const Json known = client.Ask("tasklens/configurations");
  EXPECT_EQ(known["/file"], Text(file));
  EXPECT_EQ(known["/runtimes"], "null");
  ASSERT_EQ(known["/configurations"].size(), 3u) << known;
  EXPECT_EQ(known["/configurations/0"],
            "{'name': 'mine', 'origin': 'settings', 'problem': null, 'configuration': {'name': "
            "'mine', 'program': './app'}}");
  EXPECT_EQ(known["/configurations/1/origin"], Text(file));
  EXPECT_EQ(known["/configurations/1/configuration/arguments"], "['8']");
  EXPECT_TRUE(Has(known["/configurations/2/problem"].text(), "program must be a string, not 7"));
  EXPECT_EQ(known["/problems"].size(), 1u);
  // At `main` of their program, and by name.
  WriteApp(client);
  std::vector<std::string> titles;
  for (const Json& title :
       client.Ask("textDocument/codeLens", client.Document("app.c")).Each("/command/title"))
    titles.push_back(title.text());
  EXPECT_EQ(titles, (std::vector<std::string>{"run traced: mine", "run traced: small"}));
  EXPECT_EQ(client.Ask("tasklens/run", "{'configuration': 'small'}")["/exitStatus"], 3);
  EXPECT_TRUE(
      Has(client.Refused("tasklens/run", "{'configuration': 'none'}").message, "mine, small"));
}

}  // namespace
}  // namespace tasklens::testing
