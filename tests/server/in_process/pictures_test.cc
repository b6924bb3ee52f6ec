// SPDX-License-Identifier: Apache-2.0
// The graph and the timeline of the example, whose every number is known.
#include <map>
#include <random>
#include <set>

#include "tests/server/in_process/in_process.h"

namespace tasklens::testing {
namespace {

std::vector<int64_t> Numbers(const Json& column) {
  std::vector<int64_t> numbers;
  for (const Json& number : column.Each()) numbers.push_back(static_cast<int64_t>(number.number()));
  return numbers;
}
using Column = std::vector<int64_t>;

// The texts that a column points to.
std::vector<std::string> Named(const Json& column, const Json& texts) {
  std::vector<std::string> names;
  for (const int64_t index : Numbers(column))
    names.push_back(texts["/" + std::to_string(index)].text());
  return names;
}

std::vector<std::string> TextsOf(const Json& array) {
  std::vector<std::string> texts;
  for (const Json& text : array.Each()) texts.push_back(text.text());
  return texts;
}
using Names = std::vector<std::string>;

// Edges as pairs of what `ends` says of their nodes.
std::multiset<std::pair<int64_t, int64_t>> Edges(const Json& graph, const Column& ends) {
  std::multiset<std::pair<int64_t, int64_t>> edges;
  const Column from = Numbers(graph["/edges/from"]), to = Numbers(graph["/edges/to"]);
  for (size_t i = 0; i < from.size(); ++i)
    edges.emplace(ends.at(static_cast<size_t>(from.at(i))), ends.at(static_cast<size_t>(to.at(i))));
  return edges;
}

TEST(Plot, DrawsOrSaysWhatIsMissing) {
  Client client;
  OpenExample(client);
  const Json drawn = client.Ask("tasklens/plot", "{'kind': 'durations', 'theme': 'dark'}");
  EXPECT_NE(drawn["/svg"].text().find("<svg"), std::string::npos);
  EXPECT_EQ(drawn["/missing"], "null");
  for (const std::string& kind : {std::string("message-use"), std::string("messages")}) {
    const Json none = client.Ask("tasklens/plot", "{'kind': '" + kind + "'}");
    EXPECT_EQ(none["/svg"], "null");
    EXPECT_NE(none["/missing"].text().find("no messages"), std::string::npos);
  }
  // Each kind that is listed can be asked for, with the choices that it names.
  for (const Json& kind : drawn["/kinds"].Each()) {
    const std::string ask = "{'kind': '" + kind["/name"].text() + "'";
    client.Ask("tasklens/plot", ask + "}");
    for (const Json& by : kind["/by"].Each())
      client.Ask("tasklens/plot", ask + ", 'by': '" + by.text() + "'}");
    if (kind["/codelets"] == "true")
      client.Ask("tasklens/plot", ask + ", 'codelets': ['alpha']}");
    else
      EXPECT_EQ(client.Refused("tasklens/plot", ask + ", 'codelets': ['alpha']}"),
                (Failure{kInvalidParams, "params: the plot " + kind["/name"].text() +
                                             " is of the whole run, not of a codelet"}));
  }
}

// A picture for a page has no colour of its own for what every plot has.
TEST(Plot, OfAPageHasThePagesColours) {
  Client client;
  OpenExample(client);
  const std::string svg =
      client.Ask("tasklens/plot", "{'kind': 'durations', 'theme': 'page'}")["/svg"].text();
  for (const char* colour : {"ground", "ink", "muted", "grid"})
    EXPECT_NE(svg.find("var(--plot-" + std::string(colour) + ")"), svg.npos) << colour;
  for (const char* colour : {"#ffffff", "#1b1f24"}) EXPECT_EQ(svg.find(colour), svg.npos) << colour;
}

TEST(Plot, RefusesWhatItCannotDraw) {
  Client client;
  OpenExample(client);
  const struct {
    const char *params, *message;
  } rows[] = {
      {"{'kind': 'pie'}",
       "params.kind is durations, sizes, over-time, activity, messages, message-use, speed or "
       "summary, not 'pie'"},
      {"{'kind': 'durations', 'by': 'colour'}",
       "params: the plot durations is by codelet or size or worker, not by 'colour'"},
      {"{'kind': 'sizes', 'by': 'size'}",
       "params: the plot sizes is by codelet or worker, not by 'size'"},
      {"{'kind': 'activity', 'by': 'worker'}",
       "params: the plot activity has no groups, so there is no choice of 'by'"},
      {"{'theme': 'blue'}", "params.theme is light, dark or page, not 'blue'"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(client.Refused("tasklens/plot", row.params), (Failure{kInvalidParams, row.message}));
  const Failure unknown =
      client.Refused("tasklens/plot", "{'kind': 'sizes', 'codelets': ['gamma']}");
  EXPECT_TRUE(Has(unknown.message, "no task has the codelet 'gamma'; there are ")) << unknown;
}

TEST(Graph, OfFewTasksShowsEach) {
  Client client;
  OpenExample(client);
  std::vector<Json> known;
  for (int task = 0; task < 4; ++task)
    known.push_back(client.Ask("tasklens/task", "{'task': " + std::to_string(task) + "}"));
  for (const std::string layout : {"auto", "graphviz", "levels", "time"}) {
    SCOPED_TRACE(layout);
    const Json graph = client.Ask("tasklens/graph", "{'layout': '" + layout + "', 'svg': true}");
    const bool is_graphviz = layout == "auto" || layout == "graphviz";
    EXPECT_EQ(graph["/caption"], "'4 of 4 tasks'");
    EXPECT_EQ(graph["/tasksShown"], 4);
    const Column tasks = Numbers(graph["/nodes/task"]);
    EXPECT_EQ(std::multiset<int64_t>(tasks.begin(), tasks.end()),
              (std::multiset<int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(Edges(graph, tasks),
              (std::multiset<std::pair<int64_t, int64_t>>{{0, 2}, {1, 2}, {2, 3}}));
    const Column start = Numbers(graph["/nodes/startNs"]), end = Numbers(graph["/nodes/endNs"]),
                 level = Numbers(graph["/nodes/firstLevel"]), site = Numbers(graph["/nodes/site"]);
    const Names labels = Named(graph["/nodes/label"], graph["/texts/labels"]);
    const Names kinds = Named(graph["/nodes/kind"], graph["/texts/kinds"]);
    for (size_t i = 0; i < tasks.size(); ++i) {
      EXPECT_EQ(kinds.at(i), "task");
      const Json& task = known.at(static_cast<size_t>(tasks.at(i)));
      EXPECT_EQ(task["/startNs"], start.at(i));
      EXPECT_EQ(task["/endNs"], end.at(i));
      EXPECT_EQ(task["/site"], site.at(i));
      EXPECT_EQ(task["/name"], Text(labels.at(i)));
      EXPECT_EQ(level.at(i), std::max<int64_t>(tasks.at(i) - 1, 0));
    }
    EXPECT_EQ(graph["/texts/sites/1/location/range/start/line"], 10);
    const std::string svg = graph["/svg"].text();
    for (const std::string& id : TextsOf(graph["/texts/ids"]))
      EXPECT_TRUE(Has(svg, "id=\"" + id + "\"")) << id;
    EXPECT_TRUE(Has(svg, "data-from=\"task_3\" data-to=\"task_4\""));
    // Graphviz draws the tag as well, which the last task releases.
    EXPECT_EQ(Has(svg, "data-from=\"task_4\" data-to=\"tag_2a\""), is_graphviz);
  }
}

TEST(Graph, GroupsHaveTheSumsOfTheirTasks) {
  Client client;
  OpenExample(client);
  const Json closed = client.Ask("tasklens/graph", "{'group': ['codelet']}");
  EXPECT_EQ(closed["/caption"], "'4 of 4 tasks in 2 groups'");
  EXPECT_EQ(closed["/svg"], "null");
  const Column tasks = Numbers(closed["/nodes/tasks"]), totals = Numbers(closed["/nodes/totalNs"]);
  EXPECT_EQ(tasks, (Column{2, 2}));
  EXPECT_EQ(totals, (Column{400'000, 700'000}));
  EXPECT_EQ(Edges(closed, totals),
            (std::multiset<std::pair<int64_t, int64_t>>{{400'000, 700'000}}));
  EXPECT_EQ(Numbers(closed["/edges/count"]), Column{2});
  EXPECT_EQ(closed["/dependenciesInside"], 1);

  const Names ids = TextsOf(closed["/texts/ids"]);
  ASSERT_EQ(ids.size(), 2u);
  const Json opened =
      client.Ask("tasklens/graph", "{'group': ['codelet'], 'open': ['" + ids[1] + "', '/none']}");
  EXPECT_EQ(opened["/notFound"], "['/none']");
  EXPECT_EQ(TextsOf(opened["/texts/frames"]), Names{ids[1]});
  EXPECT_EQ(Numbers(opened["/frames/totalNs"]), Column{700'000});
  EXPECT_EQ(Numbers(opened["/nodes/totalNs"]), (Column{400'000, 100'000, 600'000}));
  EXPECT_EQ(Numbers(opened["/nodes/frame"]), (Column{-1, 0, 0}));

  // The same by the other request.
  const Json group =
      client.Ask("tasklens/group", "{'group': ['codelet'], 'id': '" + ids[1] + "', 'marks': true}");
  EXPECT_EQ(group, "{'trace': 't1', 'groups': ['" + ids[1] +
                       "'], 'count': 2, 'site': 1, 'tasks': [2, 3], 'marks': {'i8': 'DA=='}}");
  EXPECT_EQ(client.Ask("tasklens/group", "{'group': ['codelet'], 'task': 3}")["/groups"],
            "['" + ids[1] + "']");
  EXPECT_EQ(client.Ask("tasklens/group",
                       "{'group': ['codelet'], 'id': '" + ids[0] + "', 'limit': 1}")["/tasks"],
            "[0]");
}

TEST(Graph, ShowsAPartOfTheTasks) {
  Client client;
  OpenExample(client);
  const struct {
    const char* params;
    std::set<int64_t> tasks;
  } rows[] = {
      {"{'task': 0, 'depth': 1}", {0, 2}},
      {"{'task': 0}", {0, 2, 3}},
      {"{'task': 2, 'depth': 0}", {2}},
      {"{'task': 3, 'depth': 2}", {0, 1, 2, 3}},
      {"{'task': 1, 'to': 3}", {1, 2, 3}},
      {"{'task': 3, 'to': 1}", {1, 2, 3}},
      {"{'site': 0}", {0, 1}},
      {"{'handle': 0}", {2, 3}},
      {"{'tag': 42}", {3}},
      {"{'tag': '0x2a'}", {3}},
  };
  for (const auto& row : rows) {
    const Column tasks = Numbers(client.Ask("tasklens/graph", row.params)["/nodes/task"]);
    EXPECT_EQ(std::set<int64_t>(tasks.begin(), tasks.end()), row.tasks) << row.params;
  }
}

TEST(Graph, ColoursBySixThings) {
  Client client;
  OpenExample(client);
  for (const char* by : {"codelet", "worker", "duration", "waiting", "slack", "iteration"}) {
    const Json graph = client.Ask("tasklens/graph", std::string("{'colour': '") + by + "'}");
    EXPECT_EQ(graph["/legend/by"], Text(by));
    const Column tasks = Numbers(graph["/nodes/task"]), colours = Numbers(graph["/nodes/colour"]);
    for (size_t i = 0; i < tasks.size(); ++i) {
      const Json entry = graph["/legend/entries/" + std::to_string(colours.at(i))];
      const Json task =
          client.Ask("tasklens/task", "{'task': " + std::to_string(tasks.at(i)) + "}");
      if (by == std::string("codelet")) {
        EXPECT_EQ(entry["/label"], task["/name"]);
      } else if (by == std::string("worker")) {
        EXPECT_EQ(entry["/label"], task["/worker"]);
      } else if (by == std::string("duration")) {
        EXPECT_LE(entry["/low"].number(), task["/durationNs"].number());
        EXPECT_GE(entry["/high"].number(), task["/durationNs"].number());
      } else if (by == std::string("slack")) {
        EXPECT_LE(entry["/low"].number(), task["/slackNs"].number());
        EXPECT_GE(entry["/high"].number(), task["/slackNs"].number());
      }
    }
  }
}

TEST(Graph, RefusesWhatItCannotDraw) {
  Client client;
  OpenExample(client);
  const std::string groups =
      "params.group takes iteration, codelet, site, levels, data and worker, "
      "not 'x'";
  const std::string only = " cannot be used together with site, handle or tag";
  const struct {
    const char *method, *params;
    Failure failure;
  } rows[] = {
      {"tasklens/graph", "{'group': ['x']}", {kInvalidParams, groups}},
      {"tasklens/group", "{'group': ['x'], 'task': 0}", {kInvalidParams, groups}},
      {"tasklens/graph",
       "{'layout': 'x'}",
       {kInvalidParams, "params.layout is auto, graphviz, levels or time, not 'x'"}},
      {"tasklens/graph",
       "{'colour': 'x'}",
       {kInvalidParams,
        "params.colour is codelet, worker, duration, waiting, slack or iteration, not 'x'"}},
      {"tasklens/graph", "{'maxNodes': 1}", {kInvalidParams, "params.maxNodes must be 2 to 2000"}},
      {"tasklens/graph",
       "{'maxNodes': 2001}",
       {kInvalidParams, "params.maxNodes must be 2 to 2000"}},
      {"tasklens/graph",
       "{'maxEdges': 4001}",
       {kInvalidParams, "params.maxEdges must be at most 4000"}},
      {"tasklens/graph", "{'task': 0, 'site': 0}", {kInvalidParams, "params.task" + only}},
      {"tasklens/graph", "{'to': 0}", {kInvalidParams, "params.to needs task"}},
      {"tasklens/graph", "{'depth': 0}", {kInvalidParams, "params.depth needs task"}},
      {"tasklens/graph",
       "{'task': 0, 'to': 1, 'depth': 1}",
       {kInvalidParams, "params.depth cannot be used together with to"}},
      {"tasklens/graph",
       "{'tag': 'x'}",
       {kInvalidParams, "params.tag must be an integer, 0 or more, or a string such as \"0x2a\""}},
      {"tasklens/graph", "{'tag': 5}", {kRequestFailed, "the trace t1 has no task with the tag 5"}},
      {"tasklens/graph",
       "{'task': 4}",
       {kRequestFailed, "the trace t1 has no task 4; it has 4, counted from 0"}},
      {"tasklens/graph",
       "{'site': 2}",
       {kRequestFailed, "the trace t1 has no submission site 2; it has 2, counted from 0"}},
      {"tasklens/graph",
       "{'handle': 1}",
       {kRequestFailed, "the trace t1 has no data 1; it has 1, counted from 0"}},
      {"tasklens/group", "{}", {kInvalidParams, "params needs either task or id"}},
      {"tasklens/group",
       "{'task': 0, 'id': '/x'}",
       {kInvalidParams, "params needs either task or id"}},
      {"tasklens/group",
       "{'task': 4}",
       {kRequestFailed, "the trace t1 has no task 4; it has 4, counted from 0"}},
      {"tasklens/group",
       "{'id': '/x'}",
       {kRequestFailed, "the graph of the trace t1 has no group '/x' with this grouping"}},
  };
  for (const auto& row : rows)
    EXPECT_EQ(client.Refused(row.method, row.params), row.failure) << row.params;
}

// The row of the answer that is called so.
Json RowNamed(const Json& timeline, const std::string& name) {
  const std::vector<Json> names = timeline["/texts/rows"].Each("/name");
  for (size_t row = 0; row < names.size(); ++row)
    if (names[row].text() == name) return timeline["/rows/" + std::to_string(row)];
  return Json();
}

TEST(Timeline, ShowsEachTaskOnItsWorker) {
  Client client;
  OpenExample(client);
  const Json timeline = client.Ask("tasklens/timeline", "{'pixels': 1000}");
  EXPECT_EQ(timeline["/beginNs"], 0);
  EXPECT_EQ(timeline["/endNs"], 1'000'000);
  EXPECT_EQ(timeline["/rowsTotal"].number(), timeline["/rows"].size());
  std::set<int64_t> seen;
  for (const char* worker : {"CPU0", "CPU1"}) {
    const Json layer = RowNamed(timeline, worker)["/layers/0"];
    const Column start = Numbers(layer["/start"]), end = Numbers(layer["/end"]),
                 tasks = Numbers(layer["/task"]);
    ASSERT_FALSE(start.empty()) << worker;
    for (size_t i = 0; i < tasks.size(); ++i) {
      if (i > 0) {
        EXPECT_EQ(end.at(i - 1), start.at(i)) << "the first layer tiles the row";
      }
      if (tasks.at(i) < 0) continue;
      seen.insert(tasks.at(i));
      const Json task =
          client.Ask("tasklens/task", "{'task': " + std::to_string(tasks.at(i)) + "}");
      EXPECT_EQ(task["/worker"], Text(worker));
      EXPECT_EQ(task["/startNs"], start.at(i));
      EXPECT_EQ(task["/endNs"], end.at(i));
      EXPECT_EQ(task["/name"].text(),
                timeline["/texts/names/" + std::to_string(Numbers(layer["/name"]).at(i))].text());
    }
  }
  EXPECT_EQ(seen, (std::set<int64_t>{0, 1, 2, 3}));
  for (const char* part : {"/counters", "/flags", "/arrows", "/path"})
    EXPECT_EQ(timeline[part], "null") << part;
}

TEST(Timeline, OfAStretchCountsFromItsBeginning) {
  Client client;
  OpenExample(client);
  const Json all = client.Ask("tasklens/timeline");
  const Json cpu = RowNamed(all, "CPU0");
  const std::string ask = "{'fromNs': 350000, 'toNs': 400000, 'rows': [" +
                          std::to_string(static_cast<int>(cpu["/row"].number())) + "]";
  const Json part = client.Ask("tasklens/timeline", ask + ", 'texts': false}");
  ASSERT_EQ(part["/rows"].size(), 1u);
  EXPECT_EQ(part["/rows/0/row"], cpu["/row"]);
  const Json layer = part["/rows/0/layers/0"];
  EXPECT_EQ(Numbers(layer["/start"]), Column{0});
  EXPECT_EQ(Numbers(layer["/end"]), Column{50'000});
  EXPECT_EQ(Numbers(layer["/task"]), Column{2});
  EXPECT_EQ(part["/texts/rows"], "null");
  // Packed: 0 in a byte, 50,000 in four, little end first.
  const Json packed = client.Ask("tasklens/timeline", ask + ", 'packed': true}");
  EXPECT_EQ(packed["/rows/0/layers/0/start"], "{'i8': 'AA=='}");
  EXPECT_EQ(packed["/rows/0/layers/0/end"], "{'i32': 'UMMAAA=='}");
}

// A client that shows how long something took must not show how much of it is in sight.
TEST(Timeline, AStateThatIsCutOffSaysHowLongItIsInAll) {
  Client client;
  OpenExample(client);
  const auto whole_states = [](const Json& layer) {
    const Column start = Numbers(layer["/start"]), end = Numbers(layer["/end"]),
                 count = Numbers(layer["/count"]);
    Column before = Numbers(layer["/before"]), after = Numbers(layer["/after"]);
    before.resize(start.size());  // absent where nothing is cut off
    after.resize(start.size());
    std::set<std::pair<int64_t, int64_t>> whole;
    for (size_t i = 0; i < start.size(); ++i)
      if (count.at(i) == 1) whole.emplace(start.at(i) - before.at(i), end.at(i) + after.at(i));
    return whole;
  };
  const auto states = whole_states(
      RowNamed(client.Ask("tasklens/timeline", "{'pixels': 10000}"), "CPU1")["/layers/0"]);
  ASSERT_GE(states.size(), 3u);
  std::mt19937 random(1);
  size_t seen = 0;
  for (int round = 0; round < 50; ++round) {
    const int64_t from = random() % 990'000, to = from + 1 + random() % (1'000'000 - from);
    const Json part =
        client.Ask("tasklens/timeline",
                   "{'fromNs': " + std::to_string(from) + ", 'toNs': " + std::to_string(to) +
                       ", 'pixels': " + std::to_string(1 + random() % 50) + "}");
    for (const auto& [start, end] : whole_states(RowNamed(part, "CPU1")["/layers/0"])) {
      EXPECT_TRUE(states.contains({from + start, from + end})) << from << " to " << to;
      ++seen;
    }
  }
  EXPECT_GT(seen, 50u);
}

TEST(Timeline, APixelShowsTheLongestAndCountsTheRest) {
  Client client;
  OpenExample(client);
  const Json layer =
      RowNamed(client.Ask("tasklens/timeline", "{'pixels': 1}"), "CPU1")["/layers/0"];
  const Column tasks = Numbers(layer["/task"]), counts = Numbers(layer["/count"]);
  EXPECT_LE(tasks.size(), 2u);
  EXPECT_TRUE(std::count(tasks.begin(), tasks.end(), 3)) << layer;
}

TEST(Timeline, HasDependenciesPathCountersAndFlags) {
  Client client;
  client.Write("app.c", ExampleSource());
  client.Open(ExampleTrace().Event(500'000, EventKind::kUserEvent, {uint64_t{7}}));
  const Json view = client.Ask("tasklens/timeline",
                               "{'arrows': ['dependency'], 'path': true, 'counters': true, "
                               "'flags': true}");
  const Column from = Numbers(view["/arrows/fromTask"]), to = Numbers(view["/arrows/toTask"]);
  std::set<std::pair<int64_t, int64_t>> arrows;
  for (size_t i = 0; i < from.size(); ++i) arrows.emplace(from.at(i), to.at(i));
  EXPECT_EQ(arrows, (std::set<std::pair<int64_t, int64_t>>{{0, 2}, {1, 2}, {2, 3}}));
  EXPECT_EQ(view["/arrows/leftOut"], 0);
  // The path is what the other request says.
  const Json path = client.Ask("tasklens/criticalPath");
  const Column starts = Numbers(view["/path/start"]), ends = Numbers(view["/path/end"]);
  ASSERT_EQ(starts.size(), path["/steps"].size());
  for (size_t i = 0; i < starts.size(); ++i) {
    EXPECT_EQ(path["/steps/" + std::to_string(i) + "/task/startNs"], starts.at(i));
    EXPECT_EQ(path["/steps/" + std::to_string(i) + "/task/endNs"], ends.at(i));
  }
  std::map<std::string, double> most;
  for (const Json& curve : view["/counters"].Each())
    most[curve["/kind"].text()] = curve["/max"].number();
  EXPECT_EQ(most["submitted_tasks"], 4);
  EXPECT_EQ(Numbers(view["/flags/at"]), Column{500'000});
  // Those of one task alone.
  const Json of_task = client.Ask("tasklens/timeline", "{'task': 3}");
  EXPECT_EQ(Numbers(of_task["/arrows/fromTask"]), Column{2});
  EXPECT_EQ(Numbers(of_task["/arrows/toTask"]), Column{3});
}

TEST(Timeline, RefusesWhatItCannotDraw) {
  Client client;
  OpenExample(client);
  const struct {
    const char* params;
    int code;
    const char* begin;
  } rows[] = {
      {"{'fromNs': 5, 'toNs': 5}", kInvalidParams,
       "params.fromNs must be at least 0 and before toNs, which is 5"},
      {"{'fromNs': -1}", kInvalidParams, "params.fromNs must be at least 0 and before toNs"},
      {"{'fromNs': 1000000}", kInvalidParams,
       "params.fromNs must be at least 0 and before toNs, which is 1000000"},
      {"{'pixels': 0}", kInvalidParams, "params.pixels must be at least 1"},
      {"{'rows': [0], 'pixels': 4000001}", kInvalidParams,
       "rows times pixels must be at most 4,000,000, not 4,000,001; ask for fewer rows"},
      {"{'rows': [99]}", kRequestFailed, "the trace t1 has no row 99; it has "},
      {"{'rows': [-1]}", kInvalidParams, "params.rows[0] must be an integer from 0 to 4294967295"},
      {"{'task': 4}", kRequestFailed, "the trace t1 has no task 4; it has 4, counted from 0"},
      {"{'arrows': ['up']}", kInvalidParams,
       "params.arrows takes dependency, transfer, message and steal, not 'up'"},
      {"{'colour': 'x'}", kInvalidParams, "params.colour is codelet, worker, "},
  };
  for (const auto& row : rows) {
    const Failure failure = client.Refused("tasklens/timeline", row.params);
    EXPECT_EQ(failure.code, row.code) << row.params;
    EXPECT_TRUE(failure.message.starts_with(row.begin)) << failure;
  }
}

}  // namespace
}  // namespace tasklens::testing
