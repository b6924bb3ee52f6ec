// SPDX-License-Identifier: Apache-2.0
// What configurations of Paraver's ask of a trace: one function or rule a test, on small traces
// whose values can be counted by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "converters/formats.h"
#include "converters/paraver_views/evaluate.h"
#include "converters/paraver_views/functions.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two tasks, of two threads and one, on a node with two CPUs and one with one CPU.
constexpr std::string_view kHeader = "#Paraver (01/01/2026 at 00:00):100_ns:2(2,1):1:2(2:1,1:2)\n";

ParaverRecords Records(const std::string& lines) {
  Diagnostics diags;
  auto records = ReadParaverRecords(*MemorySource("test.prv", std::string(kHeader) + lines), diags);
  EXPECT_TRUE(records.ok()) << records.status().message();
  EXPECT_TRUE(diags.empty());
  return std::move(*records);
}

std::string Window(const std::string& fields, int id = 1) {
  return "< NEW DISPLAYING WINDOW w >\nwindow_id " + std::to_string(id) +
         "\nwindow_units Nanoseconds\n" + fields;
}
std::string Choose(const std::string& level, const std::string& function) {
  return "window_selected_functions { 1, { {" + level + ", " + function + "} } }\n";
}
std::string Compose(const std::string& level, const std::string& function) {
  return "window_compose_functions { 1, { {" + level + ", " + function + "} } }\n";
}

ViewConfiguration Parse(const std::string& text) {
  auto view = ParseViewConfiguration("#ParaverCFG\n" + text, "test.cfg");
  EXPECT_TRUE(view.ok()) << view.status().message();
  return std::move(*view);
}
std::string FaultOf(const std::string& text) {
  const auto view = ParseViewConfiguration(text, "test.cfg");
  EXPECT_FALSE(view.ok());
  return view.ok() ? "" : std::string(view.status().message());
}

// "0:1 10:0": the bursts of a row.
std::string Text(const Steps& steps) {
  std::ostringstream out;
  for (const Step& step : steps.steps())
    out << (&step == &steps.steps()[0] ? "" : " ") << step.begin << ':' << step.value;
  return out.str();
}
// Rows as "1.1.1 0:1 10:0", of the last window.
std::vector<std::string> Rows(const std::string& lines, const std::string& windows) {
  const ParaverRecords records = Records(lines);
  const ViewConfiguration view = Parse(windows);
  const auto rows = EvaluateWindow(records, view, view.windows.back());
  EXPECT_TRUE(rows.ok()) << rows.status().message();
  std::vector<std::string> result;
  if (!rows.ok()) return result;
  for (const ViewRow& row : *rows) result.push_back(row.name + ' ' + Text(row.steps));
  return result;
}
// The bursts of the first thread.
std::string First(const std::string& lines, const std::string& windows) {
  const auto rows = Rows(lines, windows);
  return rows.empty() ? "" : rows[0].substr(rows[0].find(' ') + 1);
}

constexpr char kStates[] = "1:1:1:1:1:0:10:1\n1:1:1:1:1:20:50:7\n";
constexpr char kEvents[] = "2:1:1:1:1:10:5:3\n2:1:1:1:1:30:5:0:6:9\n2:1:1:1:1:50:5:8\n";
const std::string kOnlyType5 =
    "window_selected_functions { 2, { {thread, Last Evt Val}, {evt_type, =} } }\n"
    "window_filter_module evt_type 1 5\n";
std::string OfType5(const std::string& function) {
  return "window_selected_functions { 2, { {thread, " + function +
         "}, {evt_type, =} } }\nwindow_filter_module evt_type 1 5\n";
}

TEST(ParaverView, StatesAreIdleBetweenTwoOfThem) {
  EXPECT_EQ(First(kStates, Window(Choose("thread", "State As Is"))), "0:1 10:0 20:7 50:0");
  EXPECT_EQ(First(kStates, Window(Choose("thread", "Useful"))), "0:1 10:0 20:0 50:0");
  EXPECT_EQ(First(kStates, Window(Choose("thread", "State Sign"))), "0:1 10:0 20:1 50:0");
}

TEST(ParaverView, FunctionsOfStatesTakeTheirParameters) {
  const auto with = [](const std::string& function, const std::string& values) {
    return Window(Choose("thread", function) + "window_semantic_module thread " + function +
                  " { 1, { " + values + " } }\n");
  };
  EXPECT_EQ(First(kStates, with("In State", "1 7.000000000000")), "0:0 10:0 20:1 50:0");
  EXPECT_EQ(First(kStates, with("Not In State", "2 0.0 1.0")), "0:0 10:0 20:1 50:0");
  EXPECT_EQ(First(kStates, with("Given State", "1 7")), "0:0 10:0 20:7 50:0");
  EXPECT_EQ(First(kStates, with("State Record Dur.", "2 1.0 7.0")), "0:10 10:0 20:30 50:0");
}

TEST(ParaverView, LooksOnlyAtEventsThatPassTheFilter) {
  EXPECT_EQ(First(kEvents, Window(kOnlyType5)), "0:0 10:3 30:0 50:8");
  EXPECT_EQ(First(kEvents, Window(OfType5("Last Evt Type"))), "0:0 10:5 30:5 50:5");
  EXPECT_EQ(First(kEvents, Window("window_selected_functions { 3, { {thread, Last Evt Val}, "
                                  "{evt_type, !=}, {evt_value, >} } }\n"
                                  "window_filter_module evt_type 1 5\n"
                                  "window_filter_module evt_value 1 4\n")),
            "0:0 30:9");
}

TEST(ParaverView, KnowsTheNextEvent) {
  EXPECT_EQ(First(kEvents, Window(OfType5("Next Evt Val"))), "0:3 10:0 30:8 50:0");
  // 3 in 10 ns, 0 in 20, 8 in 20.
  EXPECT_EQ(First(kEvents, Window(OfType5("Avg Next Evt Val"))), "0:0.3 10:0 30:0.4 50:0");
  EXPECT_EQ(First(kEvents, Window(OfType5("Int. Between Evt"))), "0:0 10:20 30:20 50:0");
}

TEST(ParaverView, TimesAreInUnitsOfTheWindow) {
  EXPECT_EQ(First(kEvents, Window("window_units Microseconds\n" + OfType5("Int. Between Evt"))),
            "0:0 10:0.02 30:0.02 50:0");
}

TEST(ParaverView, CountsWhatIsUnderWay) {
  // Two messages of thread 1 to thread 3, of which the second is received before it is sent.
  const std::string messages =
      "3:1:1:1:1:10:12:3:1:2:1:20:25:100:7\n3:1:1:1:1:40:40:3:1:2:1:30:30:8:9\n";
  EXPECT_EQ(First(messages, Window(Choose("thread", "Send Bytes in Transit"))), "0:0 10:100 25:0");
  EXPECT_EQ(First(messages, Window("window_logical_filtered false\n" +
                                   Choose("thread", "Send Messages in Transit"))),
            "0:0 12:1 25:0");
  EXPECT_EQ(First(messages, Window(Choose("thread", "Last Tag"))), "0:0 10:7 40:9");
  EXPECT_EQ(First(messages, Window(Choose("thread", "Comm Partner"))), "0:0 10:3 40:3");
  const auto rows = Rows(messages, Window(Choose("thread", "Number Of Receive Bytes")));
  EXPECT_EQ(rows.back(), "1.2.1 0:0 25:100 30:108");
  EXPECT_EQ(Rows(messages, Window(Choose("thread", "Recv Negative Bytes"))).back(),
            "1.2.1 0:0 30:8 40:0");
  EXPECT_EQ(First(messages, Window("window_selected_functions { 2, { {thread, Last Tag}, "
                                   "{size_msg, <} } }\nwindow_filter_module size_msg 1 50\n")),
            "0:0 40:9");
}

TEST(ParaverView, AThreadKnowsWhereItIs) {
  const std::string here = "1:2:1:1:1:10:20:1\n";
  EXPECT_THAT(Rows(here, Window(Choose("thread", "Task ID"))),
              ElementsAre("1.1.1 0:1", "1.1.2 0:1", "1.2.1 0:2"));
  EXPECT_THAT(Rows(here, Window(Choose("thread", "Node ID"))),
              ElementsAre("1.1.1 0:1", "1.1.2 0:1", "1.2.1 0:2"));
  EXPECT_EQ(First(here, Window(Choose("thread", "Cpu ID"))), "0:0 10:2 20:0");
}

// Thread 1 runs from 0 to 10 and from 20 to 30, thread 2 from 5 to 25, thread 3 all the time.
constexpr char kThreeThreads[] =
    "1:1:1:1:1:0:10:1\n1:3:1:2:1:0:100:1\n1:2:1:1:2:5:25:1\n1:1:1:1:1:20:30:1\n";

TEST(ParaverView, RowsOfALevelAreMadeOfThoseBelow) {
  const std::string useful = Choose("thread", "Useful");
  EXPECT_THAT(Rows(kThreeThreads, Window("window_level task\n" + useful)),
              ElementsAre("1.1 0:1 5:2 10:1 20:2 25:1 30:0", "1.2 0:1"));
  EXPECT_THAT(Rows(kThreeThreads, Window("window_level appl\n" + useful)),
              ElementsAre("1 0:2 5:3 10:2 20:3 25:2 30:1"));
  EXPECT_THAT(
      Rows(kThreeThreads, Window("window_level workload\nwindow_selected_functions { 3, { "
                                 "{thread, Useful}, {task, Maximum}, {appl, Minimum} } }\n" +
                                 Compose("compose_workload", "1-Sign"))),
      ElementsAre("workload 0:0 5:0 10:0 20:0 25:0 30:1"));
}

TEST(ParaverView, ACpuShowsTheThreadThatRunsOnIt) {
  EXPECT_THAT(Rows(kThreeThreads, Window("window_level cpu\n")),
              ElementsAre("1.1 0:1 10:0 20:1 30:0", "1.2 0:0 5:2 25:0", "2.1 0:3"));
  EXPECT_THAT(
      Rows(kThreeThreads, Window("window_level system\n" + Choose("cpu", "Active Thd Sign"))),
      ElementsAre("system 0:2 5:3 10:2 20:3 25:2 30:1"));
  EXPECT_THAT(Rows(kThreeThreads,
                   Window("window_level node\nwindow_selected_functions { 2, { {thread, Task ID}, "
                          "{cpu, Active Thd Val} } }\n")),
              ElementsAre("1 0:1 5:2 10:1 20:2 25:1 30:0", "2 0:2"));
}

TEST(ParaverView, ComposesFunctions) {
  const auto composed = [](const std::string& function, const std::string& parameters = "") {
    return First(kEvents,
                 Window(kOnlyType5 + Compose("topcompose1", function) +
                        (parameters.empty() ? ""
                                            : "window_semantic_module topcompose1 " + function +
                                                  " { 1, { " + parameters + " } }\n")));
  };
  EXPECT_EQ(composed("Sign"), "0:0 10:1 30:0 50:1");
  EXPECT_EQ(composed("Mod", "1 5.0"), "0:0 10:3 30:0 50:3");
  EXPECT_EQ(composed("Prod", "1 2.0"), "0:0 10:6 30:0 50:16");
  EXPECT_EQ(composed("Div", "1 2.0"), "0:0 10:1.5 30:0 50:4");
  EXPECT_EQ(composed("Select Range", "1 5.0, 1 1.0"), "0:0 10:3 30:0 50:0");
  EXPECT_EQ(composed("Is In Range", "1 5.0, 1 0.0"), "0:1 10:1 30:1 50:0");
  EXPECT_EQ(composed("Is Equal", "2 8.0 9.0"), "0:0 10:0 30:0 50:8");
  EXPECT_EQ(composed("Translate", "2 8.0 80.0"), "0:0 10:3 30:0 50:80");
  EXPECT_EQ(composed("Stacked Val"), "0:0 10:3 30:0 50:8");
  EXPECT_EQ(composed("Enumerate"), "0:0 10:1 30:1 50:2");
  EXPECT_EQ(composed("Delta"), "0:0 10:3 30:-3 50:8");
  EXPECT_EQ(composed("Burst Time"), "0:10 10:20 30:20 50:50");
  EXPECT_EQ(composed("End Time"), "0:10 10:30 30:50 50:100");
  EXPECT_EQ(First("2:1:1:1:1:10:5:3\n2:1:1:1:1:20:5:3\n",
                  Window(kOnlyType5 + Compose("topcompose2", "Join Bursts"))),
            "0:0 10:3");
}

TEST(ParaverView, KeepsWhatIsBelowOnAStack) {
  EXPECT_EQ(First("2:1:1:1:1:10:5:3\n2:1:1:1:1:20:5:4\n2:1:1:1:1:30:5:0\n2:1:1:1:1:40:5:0\n",
                  Window(kOnlyType5 + Compose("compose_thread", "Stacked Val"))),
            "0:0 10:3 20:4 30:3 40:0");
}

TEST(ParaverView, MakesAWindowOfTwo) {
  const std::string two =
      Window(kOnlyType5) + Window(
                               "window_selected_functions { 2, { {thread, Last Evt Val}, "
                               "{evt_type, =} } }\nwindow_filter_module evt_type 1 6\n",
                               2);
  const auto of = [&](const std::string& operation) {
    return First(kEvents, two + Window("window_type composed\nwindow_factors 1.0 2.0\n"
                                       "window_operation " +
                                           operation + "\nwindow_identifiers 1 2\n",
                                       3));
  };
  EXPECT_EQ(of("add"), "0:0 10:3 30:18 50:26");
  EXPECT_EQ(of("substract"), "0:0 10:3 30:-18 50:-10");
  EXPECT_EQ(of("product"), "0:0 10:0 30:0 50:144");
  EXPECT_EQ(of("divide"), "0:0 10:0 30:0 50:0.444444");
  EXPECT_EQ(of("maximum"), "0:0 10:3 30:18 50:18");
}

TEST(ParaverView, ManyWindowsOfTwoAreEachComputedOnce) {
  // Twice as much from one to the next; computed anew for each use it would never end.
  std::string text = Window(Choose("thread", "Task ID"));
  for (int id = 2; id <= 60; ++id)
    text += Window("window_type composed\nwindow_operation add\nwindow_identifiers " +
                       std::to_string(id - 1) + ' ' + std::to_string(id - 1) + '\n',
                   id);
  EXPECT_EQ(First("", text), "0:5.76461e+17");
}

// --- Histograms ---

std::string Histogram(const std::string& statistic, const std::string& limits = "") {
  return "< NEW ANALYZER2D >\nAnalyzer2D.Name: h\nAnalyzer2D.ControlWindow: 1\n"
         "Analyzer2D.DataWindow: 2\nAnalyzer2D.Statistic: " +
         statistic + '\n' + limits;
}
// The cells of the first thread.
std::vector<double> Cells(const std::string& lines, const std::string& text) {
  const ParaverRecords records = Records(lines);
  const ViewConfiguration view = Parse(text);
  const auto table = EvaluateHistogram(records, view, view.histograms.at(0));
  EXPECT_TRUE(table.ok()) << table.status().message();
  return table.ok() ? table->rows.at(0).cells : std::vector<double>();
}

TEST(ParaverHistogram, SumsUpOneWindowByTheValuesOfAnother) {
  // State 1 from 0 to 10 and from 60 to 100, state 7 from 20 to 50; the event's value is 3 from 10
  // on, 8 from 30 on, 2 from 70 on.
  const std::string lines =
      "1:1:1:1:1:0:10:1\n1:1:1:1:1:20:50:7\n1:1:1:1:1:60:100:1\n"
      "2:1:1:1:1:10:5:3\n2:1:1:1:1:30:5:8\n2:1:1:1:1:70:5:2\n";
  const std::string windows = Window(Choose("thread", "State As Is")) + Window(kOnlyType5, 2);
  const std::string limits =
      "Analyzer2D.Minimum: 1.0\nAnalyzer2D.Maximum: 7.0\nAnalyzer2D.Delta: 6.0\n";
  const auto cells = [&](const std::string& statistic) {
    return Cells(lines, windows + Histogram(statistic, limits));
  };
  EXPECT_THAT(cells("Time"), ElementsAre(50, 30));
  EXPECT_THAT(cells("% Time"), ElementsAre(62.5, 37.5));
  EXPECT_THAT(cells("% Window Time"), ElementsAre(50, 30));
  EXPECT_THAT(cells("# Bursts"), ElementsAre(2, 1));
  EXPECT_THAT(cells("Integral"), ElementsAre(10 * 8 + 30 * 2, 10 * 3 + 20 * 8));
  EXPECT_THAT(cells("Average value"), ElementsAre(140 / 50.0, 190 / 30.0));
  EXPECT_THAT(cells("Maximum"), ElementsAre(8, 8));
  EXPECT_THAT(cells("Minimum"), ElementsAre(0, 3));
  EXPECT_THAT(cells("Sum bursts"), ElementsAre(2, 8));
  EXPECT_THAT(cells("Average Burst Time"), ElementsAre(20, 40));
}

TEST(ParaverHistogram, FindsItsColumnsInTheValues) {
  const std::string windows =
      Window(Choose("thread", "State As Is")) + Window(Choose("thread", "State As Is"), 2);
  const ParaverRecords records = Records(kStates);
  const ViewConfiguration view =
      Parse(windows + Histogram("Time", "Analyzer2D.ComputeYScale: True\n"));
  const auto table = EvaluateHistogram(records, view, view.histograms.at(0));
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_THAT(table->columns, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(table->rows[0].cells, ElementsAre(10, 0, 0, 0, 0, 0, 30));
  EXPECT_EQ(table->rows.size(), 3u);
}

// --- What is refused ---

std::string RefusalOf(const std::string& text) {
  const ParaverRecords records = Records(kStates);
  const ViewConfiguration view = Parse(text);
  const auto rows = EvaluateWindow(records, view, view.windows.back());
  if (!rows.ok()) return std::string(rows.status().message());
  if (view.histograms.empty()) return "";
  const auto table = EvaluateHistogram(records, view, view.histograms[0]);
  return table.ok() ? "" : std::string(table.status().message());
}

TEST(ParaverView, NamesAFunctionThatItDoesNotKnow) {
  EXPECT_THAT(RefusalOf(Window(Choose("thread", "State Of Mind"))),
              HasSubstr("line 5: no function of thread is called 'State Of Mind'; known are "));
  EXPECT_THAT(RefusalOf(Window(Compose("topcompose1", "Sinh"))),
              HasSubstr("no function of topcompose1 is called 'Sinh'"));
  EXPECT_THAT(RefusalOf(Window("window_level task\n" + Choose("task", "Median"))),
              HasSubstr("no function of task is called 'Median'"));
  EXPECT_THAT(RefusalOf(Window("window_level cpu\n" + Choose("cpu", "Idle Thd"))),
              HasSubstr("no function of cpu is called 'Idle Thd'"));
  EXPECT_THAT(RefusalOf(Window("window_level galaxy\n")), HasSubstr("no level is called 'galaxy'"));
  EXPECT_THAT(RefusalOf(Window(Choose("evt_type", "~"))),
              HasSubstr("the filter evt_type has no condition '~'"));
  EXPECT_THAT(
      RefusalOf(Window("") + Window("window_operation modulo\nwindow_identifiers 1 1\n", 2)),
      HasSubstr("is called 'modulo'"));
  EXPECT_THAT(RefusalOf(Window("") + Window("", 2) + Histogram("Kurtosis")),
              HasSubstr("no statistic is called 'Kurtosis'"));
}

TEST(ParaverView, NamesTheLineThatContradicts) {
  EXPECT_THAT(FaultOf("hello\n"), HasSubstr("test.cfg: line 1: not a configuration of Paraver's"));
  EXPECT_THAT(FaultOf("#ParaverCFG\n"), HasSubstr("no window"));
  EXPECT_THAT(FaultOf("#ParaverCFG\n" + Window("window_factors 1.0 many\n")),
              HasSubstr("line 5: 'many' is not a number"));
  EXPECT_THAT(FaultOf("#ParaverCFG\n" + Window("window_operation add\nwindow_identifiers 1 2\n")),
              HasSubstr("no window 1 before this one"));
  EXPECT_THAT(FaultOf("#ParaverCFG\n" + Window("") + Window("")),
              HasSubstr("a second window with the number of another"));
  EXPECT_THAT(FaultOf("#ParaverCFG\n" + Window("window_object appl { 1, { 2 } }\n")),
              HasSubstr("only { All }"));
}

TEST(ParaverRecords, CountsWhatParaverWouldDrop) {
  Diagnostics diags;
  const auto records = ReadParaverRecords(
      *MemorySource("t.prv", std::string(kHeader) + "1:9:1:1:1:0:10:1\n1:1:1:1:1:5:4:1\nnoise\n"
                                                    "2:1:1:3:1:0:5:1\n2:1:1:1:1:7:5:1:6\n"),
      diags);
  ASSERT_TRUE(records.ok());
  EXPECT_EQ(diags.counts().at("prv_bad_record").count, 5u);
  EXPECT_EQ(records->threads[0].events.size(), 1u);
}

TEST(ParaverRecords, RefusesAHeaderThatPromisesMillions) {
  Diagnostics diags;
  const auto records = ReadParaverRecords(
      *MemorySource("t.prv", "#Paraver (01/01/2026 at 00:00):1_ns:0:1:1(2000000000:0)\n"), diags);
  EXPECT_EQ(records.status().code(), ErrorCode::kUnsupported);
}

// --- Our own views of our own trace ---

TEST(ParaverView, ComputesTheViewsThatWeWrite) {
  const TraceModel model = testing::TestTrace()
                               .Worker("CPU0")
                               .State(0, StateKind::kIdle)
                               .Task("potrf", 100, 400, {.submit_ns = 10, .file = "c.c", .line = 3})
                               .State(400, StateKind::kIdle)
                               .Task("gemm", 500, 700)
                               .State(700, StateKind::kIdle)
                               .Event(1000, EventKind::kUserEvent, {uint64_t{1}})
                               .Build();
  MemoryOutputs outputs;
  ASSERT_TRUE(FindWriter("paraver")->write(model, {}, outputs).ok());
  Diagnostics diags;
  const auto records =
      ReadParaverRecords(*MemorySource("trace.prv", outputs.Text("trace.prv")), diags);
  ASSERT_TRUE(records.ok()) << records.status().message();
  EXPECT_TRUE(diags.empty());
  size_t views = 0;
  for (const std::string& name : outputs.Names()) {
    if (!name.ends_with(".cfg")) continue;
    ++views;
    const auto view = ParseViewConfiguration(outputs.Text(name), name);
    ASSERT_TRUE(view.ok()) << view.status().message();
    const auto rows = EvaluateWindow(*records, *view, view->windows.back());
    ASSERT_TRUE(rows.ok()) << name << ": " << rows.status().message();
    // The last is the thread of the worker.
    if (name == "paraver_task_types.cfg") {
      std::set<double> values;
      for (const ViewRow& row : *rows)
        for (const Step& step : row.steps.steps()) values.insert(step.value);
      EXPECT_EQ(values.size(), 3u);  // two types, and none
    }
    if (view->histograms.empty()) continue;
    const auto table = EvaluateHistogram(*records, *view, view->histograms[0]);
    ASSERT_TRUE(table.ok()) << table.status().message();
    double bursts = 0;
    for (const ViewTable::Row& row : table->rows)
      for (const double cell : row.cells) bursts += cell;
    EXPECT_EQ(bursts, 2);
  }
  EXPECT_EQ(views, 6u);
}

}  // namespace
}  // namespace tasklens
