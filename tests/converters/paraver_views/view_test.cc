// SPDX-License-Identifier: Apache-2.0
// What configurations of Paraver's ask of a trace: one function or rule a test, on small traces
// whose values can be counted by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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

// "0:1 10:0": the bursts of a row that take time, or are the last.
std::string Text(const Steps& steps) {
  std::string text;
  for (size_t i = 0; i < steps.steps().size(); ++i) {
    const Step& step = steps.steps()[i];
    if (steps.EndOf(i, step.begin + 1) == step.begin) continue;
    std::ostringstream out;
    out << (text.empty() ? "" : " ") << step.begin << ':' << step.value;
    text += out.str();
  }
  return text;
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

TEST(ParaverView, SaysWhichEventsTheTraceHasNot) {
  const ViewConfiguration view =
      Parse(Window(kOnlyType5) + Window("window_selected_functions { 1, { {evt_type, =} } }\n"
                                        "window_filter_module evt_type 3 6 77 5\n",
                                        2));
  EXPECT_THAT(MissingEventTypes(Records(kEvents), view), ElementsAre(77));
  EXPECT_THAT(MissingEventTypes(Records(kStates), view), ElementsAre(5, 6, 77));
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
  // All numbers here are those of Paraver's kernel; a burst begins at each record that it sees.
  const auto sender = [&](const std::string& function, const std::string& fields = "") {
    return First(messages, Window(fields + Choose("thread", function)));
  };
  const auto receiver = [&](const std::string& function, const std::string& fields = "") {
    return Rows(messages, Window(fields + Choose("thread", function))).back();
  };
  const std::string physical = "window_logical_filtered false\nwindow_physical_filtered true\n";
  const std::string both = "window_physical_filtered true\n";
  EXPECT_EQ(sender("Send Bytes in Transit"), "0:0 10:100 20:100 25:0 30:0 40:0");
  EXPECT_EQ(sender("Send Messages in Transit", physical), "0:0 12:1 25:0 30:0 40:0");
  EXPECT_EQ(sender("Send Messages in Transit", both), "0:0 10:1 12:1 20:1 25:0 30:0 40:0");
  EXPECT_EQ(sender("Number Of Sends", both), "0:0 10:1 12:2 40:4");
  EXPECT_EQ(sender("Comm Partner"), "0:0 10:3 40:3");
  EXPECT_EQ(sender("Last Send Dur."), "0:0 10:15 40:-10");
  EXPECT_EQ(sender("Last Send Size", physical), "0:0");
  EXPECT_EQ(receiver("Number Of Receive Bytes"), "1.2.1 0:0 20:0 25:100 30:108");
  EXPECT_EQ(receiver("Recv Negative Bytes"), "1.2.1 0:0 10:0 20:0 25:0 30:8 40:0");
  EXPECT_EQ(receiver("Last Tag"), "1.2.1 0:0 25:7 30:9");
  EXPECT_EQ(receiver("Comm Size"), "1.2.1 0:0 20:100 25:100 30:8");
  EXPECT_EQ(receiver("Comm Recv. Partner"), "1.2.1 0:0 20:1 25:1 30:0");
  EXPECT_EQ(receiver("Next Recv Dur."), "1.2.1 0:0 20:-10 30:0");
  EXPECT_EQ(Rows(messages, Window("window_selected_functions { 2, { {thread, Last Tag}, "
                                  "{size_msg, <} } }\nwindow_filter_module size_msg 1 50\n"))
                .back(),
            "1.2.1 0:0 30:9");
}

// Signs and differences see what is left of a sum, and what happens at one time.
TEST(ParaverView, NothingIsUnderWayOnceAllHasArrived) {
  std::string messages;
  for (const int tag : {1, 2, 3})
    messages += "3:1:1:1:1:1" + std::to_string(tag) + ":12:3:1:2:1:20:2" + std::to_string(2 * tag) +
                ":100:7\n";
  const std::string sign = First(
      messages, Window(Choose("thread", "Send BandWidth") + Compose("compose_thread", "Sign")));
  EXPECT_TRUE(sign.ends_with(" 26:0")) << sign;
}

TEST(ParaverView, EveryEventOfOneTimeCountsForStacksAndDifferences) {
  const std::string events =
      "2:1:1:1:1:10:5:3\n2:1:1:1:1:10:5:4\n2:1:1:1:1:30:5:0\n2:1:1:1:1:50:5:0\n";
  const auto composed = [&](const std::string& function) {
    return First(events, Window(kOnlyType5 + Compose("compose_thread", function)));
  };
  EXPECT_EQ(composed("Stacked Val"), "0:0 10:4 30:3 50:0");
  EXPECT_EQ(composed("Nesting level"), "0:0 10:2 30:1 50:0");
  EXPECT_EQ(composed("Delta"), "0:0 10:1 30:-4 50:0");
  EXPECT_EQ(composed("Enumerate"), "0:0 10:2 30:2 50:2");
  EXPECT_EQ(composed("Accumulate"), "0:0 10:7 30:7 50:7");
}

// Paraver's own, which files leave out that do not differ from it.
TEST(ParaverView, ParametersThatAreNotThereAreParavers) {
  EXPECT_EQ(First(kStates, Window(Choose("thread", "In State"))), "0:1 10:0 20:0 50:0");
  EXPECT_EQ(First(kStates, Window(Choose("thread", "State Record Dur."))), "0:10 10:0 20:0 50:0");
  EXPECT_EQ(First(kEvents, Window(kOnlyType5 + Compose("topcompose1", "Prod"))),
            "0:0 10:0 30:0 50:0");
  EXPECT_EQ(First(kStates, Window("window_level task\n"
                                  "window_selected_functions { 2, { {thread, State As Is}, "
                                  "{task, Thread i} } }\n")),
            "0:1 10:0 20:7 50:0");
}

TEST(ParaverView, ThreadsOfATaskAreCountedFrom1) {
  const auto of = [](const std::string& number) {
    return First(kStates, Window("window_level task\n"
                                 "window_selected_functions { 2, { {thread, State As Is}, "
                                 "{task, Thread i} } }\n"
                                 "window_semantic_module task Thread i { 1, { 1 " +
                                 number + " } }\n"));
  };
  EXPECT_EQ(of("1.0"), "0:1 10:0 20:7 50:0");
  EXPECT_EQ(of("2.0"), "0:0 10:0 20:0 50:0");
  EXPECT_EQ(of("0.0"), "0:0 10:0 20:0 50:0");
}

TEST(ParaverView, ABeginBehindTheEndIsThatOfAnotherTrace) {
  const ViewConfiguration view =
      Parse(Window("window_begin_time 88365691280.68\nwindow_stop_time 116770514907.2\n"));
  const ViewSpan span = SpanOf(Records(kStates), view.windows[0]);
  EXPECT_EQ(span.begin, 0);
  EXPECT_EQ(span.end, 100);
}

TEST(ParaverView, AThreadKnowsWhichItIsOfAll) {
  for (const char* name : {"TaskID", "Task ID"})
    EXPECT_THAT(Rows("", Window(Choose("thread", name))),
                ElementsAre("1.1.1 0:1", "1.1.2 0:1", "1.2.1 0:2"));
  EXPECT_THAT(Rows("", Window(Choose("thread", "Thread ID"))),
              ElementsAre("1.1.1 0:1", "1.1.2 0:2", "1.2.1 0:3"));
  EXPECT_THAT(Rows("", Window(Choose("thread", "In Thread ID") +
                              "window_semantic_module thread In Thread ID { 1, { 2 2 3 } }\n")),
              ElementsAre("1.1.1 0:0", "1.1.2 0:2", "1.2.1 0:3"));
}

TEST(ParaverView, AThreadKnowsWhereItIs) {
  const std::string here = "1:2:1:1:1:10:20:1\n1:3:1:2:1:0:5:1\n";
  EXPECT_THAT(Rows(here, Window(Choose("thread", "Node ID"))),
              ElementsAre("1.1.1 0:0 10:1 20:0", "1.1.2 0:0", "1.2.1 0:2 5:0"));
  EXPECT_EQ(First(here, Window(Choose("thread", "Cpu ID"))), "0:0 10:2 20:0");
  EXPECT_EQ(First(here, Window(Choose("thread", "In Cpu ID") +
                               "window_semantic_module thread In Cpu ID { 1, { 1 2 } }\n")),
            "0:0 10:2 20:0");
  // Without a state an event says where the thread is.
  EXPECT_EQ(First("2:1:1:1:1:10:5:3\n2:0:1:1:1:30:5:4\n", Window(Choose("thread", "Cpu ID"))),
            "0:0 10:1 30:0");
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
  EXPECT_THAT(Rows(kThreeThreads, Window("window_level cpu\n" + Choose("thread", "Thread ID"))),
              ElementsAre("1.1 0:1 10:0 20:1 30:0", "1.2 0:0 5:2 25:0", "2.1 0:3"));
  EXPECT_THAT(Rows("1:1:1:1:1:0:10:7\n1:1:1:1:2:10:20:9\n", Window("window_level cpu\n")),
              ElementsAre("1.1 0:7 10:9 20:0", "1.2 0:0", "2.1 0:0"));
  EXPECT_THAT(
      Rows(kThreeThreads, Window("window_level system\n" + Choose("cpu", "Active Thd Sign"))),
      ElementsAre("system 0:2 5:3 10:2 20:3 25:2 30:1"));
  EXPECT_THAT(Rows(kThreeThreads,
                   Window("window_level node\nwindow_selected_functions { 2, { {thread, TaskID}, "
                          "{cpu, Active Thd Val} } }\n"
                          "window_semantic_module cpu Active Thd Val { 1, { 1 1 } }\n")),
              ElementsAre("1 0:1 5:2 10:1 20:2 25:1 30:0", "2 0:0"));
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
  EXPECT_EQ(composed("Accumulate"), "0:0 10:3 30:3 50:11");
  EXPECT_EQ(composed("sqrt (abs)"), "0:0 10:1.73205 30:0 50:2.82843");
  EXPECT_EQ(composed("log N", "1 2.0"), "0:0 10:1.58496 30:0 50:3");
  EXPECT_EQ(composed("Div", "1 0.0"), "0:0 10:0 30:0 50:0");
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

// A window made of two: the last values of events of type 5, and of type 6.
std::string OfTypes5And6(const std::string& factors, const std::string& operation) {
  return Window(kOnlyType5) +
         Window(
             "window_selected_functions { 2, { {thread, Last Evt Val}, {evt_type, =} } }\n"
             "window_filter_module evt_type 1 6\n",
             2) +
         Window("window_type composed\nwindow_factors " + factors + "\nwindow_operation " +
                    operation + "\nwindow_identifiers 1 2\n",
                3);
}

TEST(ParaverView, MakesAWindowOfTwo) {
  const auto of = [&](const std::string& operation) {
    return First(kEvents, OfTypes5And6("1.0 2.0", operation));
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

TEST(ParaverView, TheSecondCompositionIsTheInnerOne) {
  const std::string composed =
      "window_compose_functions { 2, { {topcompose1, Sign}, {topcompose2, Add} } }\n"
      "window_semantic_module topcompose2 Add { 1, { 1 -3.0 } }\n";
  EXPECT_EQ(First(kEvents, Window(kOnlyType5 + composed)), "0:1 10:0 30:1 50:1");
}

TEST(ParaverView, AControlledWindowHasTheBurstsOfTheOther) {
  // The data are 3 from 10 on, 0 from 30 on, 8 from 50 on; the control is 9 from 30 on, 1 from 60.
  const std::string lines = std::string(kEvents) + "2:1:1:1:1:60:6:1\n";
  const auto of = [&](const std::string& operation) {
    return First(lines, OfTypes5And6("2.0 1.0", "controlled: " + operation));
  };
  EXPECT_EQ(of("add"), "0:6 30:16 60:16");
  EXPECT_EQ(of("maximum"), "0:6 30:16 60:16");
  // The control falls at 60, and no burst of the data follows.
  EXPECT_EQ(of("clear by"), "0:0 10:6 30:0 50:16 60:0");
  // The one that begins at 30 is of 0.
  EXPECT_EQ(of("enumerate"), "0:1 10:2 30:2 50:3 60:0");
  // 0 for 10 and 6 for 20; 0 for 20 and 16 for 50, most of them outside; 16.
  EXPECT_EQ(of("average"), "0:4 30:11.4286 60:16");
}

TEST(ParaverView, TheCoarserOfTwoWindowsIsTheSameForAllBelow) {
  const std::string two = Window(Choose("thread", "Thread ID")) +
                          Window("window_level task\n" + Choose("thread", "Thread ID"), 2);
  const auto of = [&](const std::string& identifiers) {
    return Rows("", two + Window("window_type composed\nwindow_operation substract\n"
                                 "window_identifiers " +
                                     identifiers + '\n',
                                 3));
  };
  EXPECT_THAT(of("2 1"), ElementsAre("1.1.1 0:2", "1.1.2 0:1", "1.2.1 0:0"));
  EXPECT_THAT(of("1 2"), ElementsAre("1.1.1 0:-2", "1.1.2 0:-1", "1.2.1 0:0"));
}

TEST(ParaverView, LooksOnlyAtMessagesOfItsPartners) {
  // From thread 1 to thread 3 and to thread 2; rows are counted from 0.
  const std::string messages =
      "3:1:1:1:1:10:12:3:1:2:1:20:25:100:7\n3:1:1:1:1:40:40:1:1:1:2:50:50:8:9\n";
  const auto with = [&](const std::string& fields, const std::string& functions) {
    return First(
        messages,
        Window(fields + "window_selected_functions { 3, { {thread, Last Send Size}, " + functions +
               " } }\nwindow_filter_module to_obj 1 2\n" + "window_filter_module from_obj 1 1\n" +
               "window_filter_module bw_msg 1 1\n"));
  };
  EXPECT_EQ(with("", "{to_obj, =}"), "0:0 10:100");
  EXPECT_EQ(with("", "{to_obj, !=}"), "0:0 40:8");
  EXPECT_EQ(with("", "{from_obj, =}"), "0:0");
  EXPECT_EQ(with("", "{to_obj, =}, {from_obj, =}"), "0:0");
  EXPECT_EQ(with("window_comm_fromto false\n", "{to_obj, =}, {from_obj, =}"), "0:0 10:100");
  EXPECT_EQ(with("window_level task\n", "{to_obj, <}"), "0:0 10:100 40:8");
  EXPECT_EQ(with("window_level node\n", "{to_obj, =}"), "0:0");
  // 100 bytes in 15 ns, 8 bytes in 10 ns.
  EXPECT_EQ(with("", "{bw_msg, >}"), "0:0 10:100");
  EXPECT_EQ(
      with("window_logical_filtered false\nwindow_physical_filtered false\n", "{evt_type, All}"),
      "0:0");
}

// As in Paraver: what comes behind the first of a pair is not asked.
TEST(ParaverView, OneConditionOfAPairIsEnoughWhereTheFileSaysSo) {
  const auto with = [](const std::string& fields) {
    return First(kEvents, Window("window_comm_typeval false\nwindow_selected_functions { 3, { "
                                 "{thread, Last Evt Val}, {evt_type, =}, {evt_value, =} } }\n"
                                 "window_filter_module evt_type 1 6\n" +
                                 fields));
  };
  EXPECT_EQ(with(""), "0:0 30:9");
  EXPECT_EQ(with("window_filter_module evt_value 1 3\n"), "0:0 10:3 30:9");
}

TEST(ParaverView, BandwidthIsInBytesAUnitOfTheWindow) {
  const std::string message = "3:1:1:1:1:10:12:3:1:2:1:20:22:100:7\n";
  EXPECT_EQ(First(message, Window(Choose("thread", "Send BandWidth"))),
            "0:0 10:8.33333 20:8.33333 22:0");
  EXPECT_EQ(First(message,
                  Window("window_physical_filtered false\n" + Choose("thread", "Send BandWidth") +
                         "window_semantic_module thread Send BandWidth { 1, { 1 4 } }\n")),
            "0:0 10:2.08333 20:2.08333 22:0");
}

TEST(ParaverView, CountsTheBytesBetweenEvents) {
  const std::string lines =
      std::string(kEvents) +
      "3:1:1:1:1:10:10:3:1:2:1:20:25:100:7\n3:3:1:2:1:5:5:1:1:1:1:50:50:8:9\n";
  EXPECT_EQ(First(lines, Window(OfType5("Event Sent Bytes"))), "0:0 10:100 30:0 50:0");
  EXPECT_EQ(First(lines, Window(OfType5("Event Bytes"))), "0:0 10:100 30:8 50:0");
}

TEST(ParaverView, ShowsTheObjectsThatAreChosen) {
  const auto rows = [](const std::string& level, const std::string& objects) {
    std::vector<std::string> names;
    for (const std::string& row : Rows("", Window("window_level " + level + '\n' + objects)))
      names.push_back(row.substr(0, row.find(' ')));
    return names;
  };
  EXPECT_THAT(rows("thread",
                   "window_object appl { 1, { 1 } }\n"
                   "window_object thread { 0, 0, 2, { 0, 1 } }\n"),
              ElementsAre("1.1.2", "1.2.1"));
  EXPECT_THAT(rows("thread", "window_object task { 0, 2, { None, All } }\n"), ElementsAre("1.2.1"));
  EXPECT_THAT(rows("task",
                   "window_object task { 0, 2, { 0, 1 } }\n"
                   "window_object thread { 0, 1, 1, { 0 } }\n"),
              ElementsAre("1.2"));
  EXPECT_THAT(rows("cpu",
                   "window_object node { 2, { All, None } }\n"
                   "window_object cpu { 0, 2, { 1, 0 } }\n"),
              ElementsAre("1.1"));
  EXPECT_THAT(rows("appl", "window_object appl { 1, { 0 } }\n"), IsEmpty());
  // Of a trace with more objects than this one has.
  EXPECT_THAT(rows("thread",
                   "window_object thread { 0, 0, 4, { 0, 0, 0, 0 } }\n"
                   "window_object thread { 0, 9, 1, { 0 } }\n"),
              ElementsAre("1.1.1", "1.1.2", "1.2.1"));
}

TEST(ParaverView, ReadsTheNamesOfOldFiles) {
  EXPECT_THAT(
      Rows(kThreeThreads, Window("window_level ptask\nwindow_selected_functions { 3, { {compose1, "
                                 "Add}, {thread, Useful}, {ptask, Maximum} } }\n"
                                 "window_semantic_module compose1 Add { 1, { 1 1.0 } }\n")),
      ElementsAre("1 0:2 5:3 10:2 20:3 25:2 30:2"));
}

// --- Histograms ---

std::string Histogram(const std::string& statistic, const std::string& limits = "") {
  return "< NEW ANALYZER2D >\nAnalyzer2D.Name: h\nAnalyzer2D.ControlWindow: 1\n"
         "Analyzer2D.DataWindow: 2\nAnalyzer2D.Statistic: " +
         statistic + '\n' + (limits.empty() ? "" : "Analyzer2D.ComputeYScale: False\n") + limits;
}
// The cells of the first thread.
std::vector<double> Cells(const std::string& lines, const std::string& text) {
  const ParaverRecords records = Records(lines);
  const ViewConfiguration view = Parse(text);
  const auto table = EvaluateHistogram(records, view, view.histograms.at(0));
  EXPECT_TRUE(table.ok()) << table.status().message();
  return table.ok() ? table->planes.at(0).rows.at(0) : std::vector<double>();
}

// State 1 from 0 to 10 and from 60 to 100, state 7 from 20 to 50; the event's value is 3 from 10
// on, 8 from 30 on, 2 from 70 on.
const std::string kStatesAndEvents =
    "1:1:1:1:1:0:10:1\n1:1:1:1:1:20:50:7\n1:1:1:1:1:60:100:1\n"
    "2:1:1:1:1:10:5:3\n2:1:1:1:1:30:5:8\n2:1:1:1:1:70:5:2\n";
const std::string kStatesThenEvents =
    Window(Choose("thread", "State As Is")) + Window(kOnlyType5, 2);

TEST(ParaverHistogram, SumsUpOneWindowByTheValuesOfAnother) {
  const auto cells = [&](const std::string& statistic) {
    return Cells(kStatesAndEvents,
                 kStatesThenEvents + Histogram(statistic,
                                               "Analyzer2D.Minimum: 1.0\nAnalyzer2D.Maximum: 7.0\n"
                                               "Analyzer2D.Delta: 3.0\n"));
  };
  // State 1: 0 for 10, 8 for 10, 2 for 30. State 7, the largest value, is in the last column: 3 for
  // 10, 8 for 20.
  EXPECT_THAT(cells("Time"), ElementsAre(50, 30));
  EXPECT_THAT(cells("% Time"), ElementsAre(62.5, 37.5));
  EXPECT_THAT(cells("% Time Not Zero"), ElementsAre(62.5, 37.5));
  EXPECT_THAT(cells("% Window Time"), ElementsAre(50, 30));
  EXPECT_THAT(cells("# Bursts"), ElementsAre(3, 2));
  EXPECT_THAT(cells("% # Bursts"), ElementsAre(60, 40));
  EXPECT_THAT(cells("# Bursts != 0"), ElementsAre(2, 2));
  EXPECT_THAT(cells("Integral"), ElementsAre(10 * 8 + 30 * 2, 10 * 3 + 20 * 8));
  EXPECT_THAT(cells("Average value"), ElementsAre(140 / 50.0, 190 / 30.0));
  EXPECT_THAT(cells("Average value != 0"), ElementsAre(140 / 40.0, 190 / 30.0));
  EXPECT_THAT(cells("Maximum"), ElementsAre(8, 8));
  EXPECT_THAT(cells("Minimum"), ElementsAre(0, 3));
  EXPECT_THAT(cells("Sum bursts"), ElementsAre(10, 11));
  EXPECT_THAT(cells("Average per Burst"), ElementsAre(10 / 3.0, 5.5));
  EXPECT_THAT(cells("Average per Burst != 0"), ElementsAre(5, 5.5));
  EXPECT_THAT(cells("Average Burst Time"), ElementsAre(50 / 3.0, 15));
  EXPECT_THAT(cells("Stdev Burst Time"),
              ElementsAre(::testing::DoubleEq(std::sqrt(1100 / 3.0 - 2500 / 9.0)), 5));
}

TEST(ParaverHistogram, OneColumnHoldsAllFromMinimumToMaximum) {
  const auto times = [&](const std::string& limits) {
    return Cells(kStatesAndEvents, kStatesThenEvents + Histogram("Time", limits));
  };
  EXPECT_THAT(times("Analyzer2D.Minimum: 1\nAnalyzer2D.Maximum: 7\nAnalyzer2D.Delta: 6\n"),
              ElementsAre(80));
  EXPECT_THAT(times("Analyzer2D.Minimum: 0\nAnalyzer2D.Maximum: 6.5\nAnalyzer2D.Delta: 10\n"),
              ElementsAre(70));
  EXPECT_THAT(times("Analyzer2D.Minimum: 0\nAnalyzer2D.Maximum: 2\nAnalyzer2D.Delta: 1\n"),
              ElementsAre(20, 50, 0));
}

// The columns' smallest values.
std::vector<double> Columns(const ViewTable& table) {
  std::vector<double> begins;
  for (const ViewTable::Column& column : table.columns) begins.push_back(column.begin);
  return begins;
}
ViewTable Table(const std::string& lines, const std::string& text) {
  const ParaverRecords records = Records(lines);
  const ViewConfiguration view = Parse(text);
  auto table = EvaluateHistogram(records, view, view.histograms.at(0));
  EXPECT_TRUE(table.ok()) << table.status().message();
  return table.ok() ? std::move(*table) : ViewTable();
}

TEST(ParaverHistogram, FindsItsColumnsInTheValues) {
  const std::string windows =
      Window(Choose("thread", "State As Is")) + Window(Choose("thread", "State As Is"), 2);
  const ViewTable codes = Table(kStates, windows + Histogram("Time",
                                                             "Analyzer2D.Minimum: 3\n"
                                                             "Analyzer2D.Maximum: 4\n"
                                                             "Analyzer2D.ComputeYScale: True\n"));
  EXPECT_THAT(Columns(codes), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(codes.planes[0].rows[0], ElementsAre(10, 0, 0, 0, 0, 0, 30));
  EXPECT_EQ(codes.planes[0].rows.size(), 3u);
  // What is no code has 200 columns up to 5 % above the largest value, whatever the file says.
  const std::string gradient = "window_color_mode window_in_null_gradient_mode\n";
  const ViewTable ranges = Table(kStates, Window(gradient + Choose("thread", "State As Is")) +
                                              Window(Choose("thread", "State As Is"), 2) +
                                              Histogram("Time",
                                                        "Analyzer2D.NumColumns: 3\n"
                                                        "Analyzer2D.ComputeYScale: True\n"));
  ASSERT_EQ(ranges.columns.size(), 200u);
  EXPECT_DOUBLE_EQ(ranges.columns[199].end, 7.3);
  EXPECT_EQ(ranges.planes[0].rows[0][0], 10);
  // But where it is the file that says from where to where.
  const ViewTable given = Table(kStates, Window(gradient + Choose("thread", "State As Is")) +
                                             Window(Choose("thread", "State As Is"), 2) +
                                             Histogram("Time",
                                                       "Analyzer2D.Minimum: 1\n"
                                                       "Analyzer2D.Maximum: 7\n"
                                                       "Analyzer2D.Delta: 0.1\n"
                                                       "Analyzer2D.NumColumns: 3\n"));
  EXPECT_THAT(given.planes[0].rows[0], ElementsAre(10, 0, 30));
  const ViewTable from_zero = Table(kStates, windows + Histogram("Time",
                                                                 "Analyzer2D.ComputeYScale: True\n"
                                                                 "Analyzer2D.ComputeYScaleZero: "
                                                                 "True\n"));
  EXPECT_THAT(Columns(from_zero), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(ParaverHistogram, LeavesOutEmptyColumnsWhereThatIsAsked) {
  const ViewTable table =
      Table(kStatesAndEvents, kStatesThenEvents + Histogram("Time",
                                                            "Analyzer2D.ComputeYScale: True\n"
                                                            "Analyzer2D.HideCols: True\n"));
  EXPECT_THAT(Columns(table), ElementsAre(1, 7));
  EXPECT_THAT(table.planes[0].rows[0], ElementsAre(50, 30));
}

TEST(ParaverHistogram, LooksOnlyAtTheWindowsTimeWhereThatIsAsked) {
  const std::string window =
      Window("window_begin_time_relative 0.05\nwindow_end_time_relative 0.7\n" +
             Choose("thread", "State As Is"));
  EXPECT_THAT(Cells(kStatesAndEvents, window + Window(kOnlyType5, 2) +
                                          Histogram("Time",
                                                    "Analyzer2D.AnalysisLimits: Allwindow\n"
                                                    "Analyzer2D.ComputeYScale: True\n"
                                                    "Analyzer2D.HideCols: True\n")),
              ElementsAre(15, 30));
}

TEST(ParaverHistogram, AThirdWindowMakesPlanes) {
  // Below 5 and from 5 on, of the event's values; columns by state, data are the states.
  const ViewTable table =
      Table(kStatesAndEvents,
            kStatesThenEvents +
                "< NEW ANALYZER2D >\nAnalyzer2D.Name: h\nAnalyzer2D.ControlWindow: 1\n"
                "Analyzer2D.DataWindow: 1\nAnalyzer2D.Statistic: Time\n"
                "Analyzer2D.ComputeYScale: False\nAnalyzer3D.ComputeYScale: False\n"
                "Analyzer2D.Minimum: 1\n"
                "Analyzer2D.Maximum: 7\nAnalyzer2D.Delta: 3\nAnalyzer2D.3D_ControlWindow: 2\n"
                "Analyzer2D.3D_Minimum: 0\nAnalyzer2D.3D_Maximum: 10\nAnalyzer2D.3D_Delta: 5\n");
  ASSERT_EQ(table.planes.size(), 2u);
  EXPECT_EQ(table.planes[1].begin, 5);
  EXPECT_EQ(table.planes[1].end, 10);
  EXPECT_THAT(table.planes[0].rows[0], ElementsAre(10 + 30, 10));
  EXPECT_THAT(table.planes[1].rows[0], ElementsAre(10, 20));
}

TEST(ParaverHistogram, DataOfAnotherLevelAreThoseBelowOrAbove) {
  // The task runs when one of its threads does.
  const std::string lines = "1:0:1:1:1:0:10:1\n1:0:1:1:2:5:30:1\n";
  const std::string limits = "Analyzer2D.Minimum: 1\nAnalyzer2D.Maximum: 2\nAnalyzer2D.Delta: 1\n";
  const std::string thread = Choose("thread", "Useful");
  const std::string task = "window_level task\n" + thread;
  // One thread runs for 5 and for 20, both for 5: twice the data.
  EXPECT_THAT(Cells(lines, Window(task) + Window(thread, 2) + Histogram("Integral", limits)),
              ElementsAre(25, 10));
  EXPECT_THAT(Cells(lines, Window(thread) + Window(task, 2) + Histogram("Integral", limits)),
              ElementsAre(5 + 10, 0));
}

TEST(ParaverHistogram, CountsMessagesByPartner) {
  const std::string messages =
      "3:1:1:1:1:10:12:3:1:2:1:20:25:100:7\n3:1:1:1:1:40:40:3:1:2:1:50:50:8:9\n"
      "3:1:1:1:1:60:60:1:1:1:2:70:70:50:9\n";
  const auto of = [&](const std::string& statistic, const std::string& fields = "") {
    return Table(messages, Window(fields) + Window("", 2) + Histogram(statistic)).planes[0].rows;
  };
  EXPECT_THAT(of("#Sends")[0], ElementsAre(0, 1, 2));
  EXPECT_THAT(of("Bytes sent")[0], ElementsAre(0, 50, 108));
  EXPECT_THAT(of("Average bytes sent")[0], ElementsAre(0, 50, 54));
  EXPECT_THAT(of("Minimum bytes sent")[0], ElementsAre(0, 50, 8));
  EXPECT_THAT(of("Maximum bytes sent")[0], ElementsAre(0, 50, 100));
  const ViewTable partners = Table(
      messages, Window("") + Window("", 2) + Histogram("#Sends", "Analyzer2D.HideCols: True\n"));
  ASSERT_EQ(partners.columns.size(), 2u);
  EXPECT_EQ(partners.columns[0].name, "1.1.2");
  EXPECT_EQ(partners.columns[1].name, "1.2.1");
  EXPECT_THAT(of("#Receives")[2], ElementsAre(2, 0, 0));
  EXPECT_THAT(of("Bytes received")[1], ElementsAre(50, 0, 0));
  EXPECT_THAT(of("Average bytes received")[2], ElementsAre(54, 0, 0));
  EXPECT_THAT(of("Bytes sent", "window_level task\n")[0], ElementsAre(50, 108));
  EXPECT_THAT(of("Bytes sent", "window_level node\n")[0], ElementsAre(50, 108));
  EXPECT_THAT(of("Bytes sent",
                 "window_selected_functions { 1, { {tag_msg, =} } }\n"
                 "window_filter_module tag_msg 1 9\n")[0],
              ElementsAre(0, 50, 8));
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
  EXPECT_THAT(FaultOf("hello\n"), HasSubstr("test.cfg: line 1: not a Paraver configuration"));
  EXPECT_THAT(FaultOf("#ParaverCFG\n"), HasSubstr("no window"));
  EXPECT_THAT(FaultOf("#ParaverCFG\n" + Window("window_factors 1.0 many\n")),
              HasSubstr("line 5: 'many' is not a number"));
  EXPECT_THAT(FaultOf("#ParaverCFG\n" + Window("window_operation add\nwindow_identifiers 1 2\n")),
              HasSubstr("no window 1 before this one"));
  EXPECT_THAT(FaultOf("#ParaverCFG\n" + Window("") + Window("")),
              HasSubstr("two windows have the same number"));
  EXPECT_THAT(FaultOf("#ParaverCFG\n" + Window("window_object appl All\n")),
              HasSubstr("line 5: expected LEVEL"));
  EXPECT_THAT(FaultOf("#ParaverCFG\n" + Window("window_object thread { 0, 2, { 1, 0 } }\n")),
              HasSubstr("objects of level thread have 2 parents"));
  EXPECT_THAT(FaultOf("#ParaverCFG\n" + Window("window_shifts 0 -3\n")),
              HasSubstr("line 5: window_shifts: only whole numbers of bursts, 0 or more"));
}

TEST(ParaverRecords, CountsWhatParaverWouldDrop) {
  Diagnostics diags;
  const auto records = ReadParaverRecords(
      *MemorySource("t.prv", std::string(kHeader) + "1:9:1:1:1:0:10:1\n1:1:1:1:1:5:4:1\nnoise\n"
                                                    "2:1:1:3:1:0:5:1\n2:1:1:1:1:7:5:1:6\n"
                                                    "1:3:1:1:1:0:10:1\n"),
      diags);
  ASSERT_TRUE(records.ok());
  // The last is on a CPU of another node than its task.
  EXPECT_EQ(diags.counts().at("prv_bad_record").count, 6u);
  EXPECT_TRUE(records->threads[0].states.empty());
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
    for (const std::vector<double>& row : table->planes[0].rows)
      for (const double cell : row) bursts += cell;
    EXPECT_EQ(bursts, 2);
  }
  EXPECT_EQ(views, 6u);
}

}  // namespace
}  // namespace tasklens
