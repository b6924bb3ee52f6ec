// SPDX-License-Identifier: Apache-2.0
// The checker of Paraver's files: it accepts the document's examples, and reports each breach of
// each rule.
#include "tests/converters/writers/paraver_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tasklens::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr bool kToday = false, k2001 = true;

// --- The document's examples ---

TEST(PrvChecker, AcceptsTheDocumentsExampleOfAThreadThatMovesBetweenCpus) {
  const PrvFile file = CheckPrv(
      "#Paraver(23/02/01 at 18:57):500:1(2):1:1(1:1)\n"
      "1:2:1:1:1:0:200:1\n"
      "1:0:1:1:1:200:300:1\n"
      "1:1:1:1:1:300:500:1\n",
      k2001);
  EXPECT_THAT(file.violations, IsEmpty());
  EXPECT_EQ(file.duration, 500);
  EXPECT_THAT(file.cpus, ElementsAre(2));
  EXPECT_EQ(file.states.size(), 3u);
}

TEST(PrvChecker, RefusesTheDocumentsErroneousExampleOfThreadsOnOneCpu) {
  const PrvFile file = CheckPrv(
      "#Paraver(23/02/01 at 18:57):200:1(1):1:1(2:1)\n"
      "1:1:1:1:1:0:75:1\n"
      "1:0:1:1:2:0:60:5\n"
      "1:1:1:1:2:60:170:1\n"
      "1:0:1:1:1:75:150:5\n"
      "1:1:1:1:1:150:200:1\n"
      "1:0:1:1:2:170:200:5\n",
      k2001);
  EXPECT_THAT(file.violations, ElementsAre("line 4: a state begins within another on its CPU",
                                           "line 6: a state begins within another on its CPU"));
}

TEST(PrvChecker, AcceptsTheDocumentsCorrectExampleOfThreadsOnOneCpu) {
  const PrvFile file = CheckPrv(
      "#Paraver(23/02/01 at 18:57):200:1(1):1:1(2:1)\n"
      "1:1:1:1:1:0:75:1\n"
      "1:0:1:1:2:0:75:5\n"
      "1:0:1:1:1:75:150:5\n"
      "1:1:1:1:2:75:150:1\n"
      "1:1:1:1:1:150:200:1\n"
      "1:0:1:1:2:150:200:5\n",
      k2001);
  EXPECT_THAT(file.violations, IsEmpty());
}

TEST(PrvChecker, AcceptsTheDocumentsExampleOfEvents) {
  const PrvFile file = CheckPrv(
      "#Paraver(23/02/01 at 18:57):500:1(2):1:1(1:1)\n"
      "1:2:1:1:1:0:100:1\n"
      "2:2:1:1:1:100:5000:1\n"
      "1:2:1:1:1:100:200:1\n"
      "1:0:1:1:1:200:300:1\n"
      "1:1:1:1:1:300:400:1\n"
      "2:0:1:1:1:400:5000:0\n"
      "1:1:1:1:1:400:500:1\n",
      k2001);
  EXPECT_THAT(file.violations, IsEmpty());
  ASSERT_EQ(file.events.size(), 2u);
  EXPECT_EQ(file.events[0].cpu, 2u);
  EXPECT_THAT(file.events[1].pairs, ElementsAre(std::pair(5000u, 0)));
}

TEST(PrvChecker, AcceptsTheDocumentsTraceWithoutResources) {
  const PrvFile file = CheckPrv(
      "#Paraver (10/04/01 at 18:21):620244:0:1:1(4:0)\n"
      "2:0:1:1:1:0:4000001:1\n"
      "1:0:1:1:1:0:5124:1\n"
      "1:0:1:1:2:0:14981:0\n"
      "1:0:1:1:3:0:5568:0\n"
      "1:0:1:1:4:0:6209:0\n"
      "2:0:1:1:1:5124:60000019:2\n"
      "1:0:1:1:1:5124:5139:1\n"
      "2:0:1:1:1:5139:60000001:1\n"
      "1:0:1:1:1:5139:5400:7\n"
      "2:0:1:1:1:5400:60000018:1\n"
      "1:0:1:1:1:5400:162283:1\n",
      k2001);
  EXPECT_THAT(file.violations, IsEmpty());
  EXPECT_THAT(file.cpus, IsEmpty());
}

TEST(PrvChecker, AcceptsTheDocumentsTraceWithResources) {
  const PrvFile file = CheckPrv(
      "#Paraver(31/10/00 at 17:44):20156361:2(8,8):1:2(10:1,10:2)\n"
      "1:0:1:1:1:0:5539:5\n"
      "1:0:1:1:2:0:7039:5\n"
      "1:3:1:1:1:5539:10097:1\n"
      "1:1:1:1:2:7039:7844:1\n"
      "1:1:1:1:2:7844:30031:1\n"
      "1:0:1:1:1:10097:10366:5\n"
      "1:3:1:1:1:10366:10389:1\n"
      "1:0:1:1:1:10389:10415:5\n"
      "1:3:1:1:1:10415:1186112:1\n"
      "1:13:1:2:1:29522:34145:1\n"
      "1:0:1:1:2:30031:408501:5\n"
      "1:16:1:2:2:31717:32188:1\n"
      "1:16:1:2:2:32188:32715:1\n"
      "1:0:1:2:2:32715:432738:5\n"
      "1:0:1:2:1:34145:34380:5\n"
      "1:13:1:2:1:34380:34402:1\n",
      k2001);
  EXPECT_THAT(file.violations, IsEmpty());
}

TEST(PrvChecker, ReadsTheDocumentsHeaderOfTwoApplications) {
  const PrvFile file = CheckPrv(
      "#Paraver (10/04/01 at 18:21):620244:2(4,4):2:2(4:2,4:1):1(4:2)\n1:0:2:1:4:0:1:1\n", k2001);
  EXPECT_THAT(file.violations, IsEmpty());
  ASSERT_EQ(file.applications.size(), 2u);
  EXPECT_EQ(file.applications[0][0].node, 2u);
  EXPECT_EQ(file.applications[0][1].node, 1u);
  EXPECT_EQ(file.applications[1][0].threads, 4u);
}

// --- One rule of the .prv each ---

constexpr std::string_view kHeader = "#Paraver (21/11/2026 at 21:37):1000_ns:2(2,1):1:2(2:1,1:2)\n";

std::vector<std::string> Breaches(std::string_view body) {
  return CheckPrv(std::string(kHeader) + std::string(body), kToday).violations;
}
std::vector<std::string> HeaderBreaches(const std::string& header, bool in_2001 = kToday) {
  return CheckPrv(header + "\n1:0:1:1:1:0:1:1\n", in_2001).violations;
}
auto Reports(const char* what) { return Contains(HasSubstr(what)); }

TEST(PrvChecker, AcceptsWhatParaverWritesToday) {
  EXPECT_THAT(Breaches("3:1:1:1:1:0:5:3:1:2:1:7:9:4096:0\n"
                       "2:1:1:1:1:0:1:-5:2:9223372036854775807\n"
                       "1:1:1:1:1:0:500:1\n"
                       "#a comment\n"
                       "1:3:1:2:1:0:500:4294967295\n"
                       "1:1:1:1:1:500:1000:0\n"),
              IsEmpty());
  EXPECT_THAT(HeaderBreaches("#Paraver (21/11/2026 at 21:37):00001000_ns:0:1:1(1:0),0"), IsEmpty());
}

TEST(PrvChecker, WantsTheHeadersGrammar) {
  EXPECT_THAT(CheckPrv("", kToday).violations, Reports("no header"));
  EXPECT_THAT(HeaderBreaches("#Parver (21/11/2026 at 21:37):1_ns:0:1:1(1:0)"),
              Reports("does not begin"));
  EXPECT_THAT(HeaderBreaches("#Paraver 21/11/2026:1_ns:0"), Reports("no date"));
  EXPECT_THAT(HeaderBreaches("#Paraver (21/11/26 at 21:37):1_ns:0:1:1(1:0)"), Reports("bad date"));
  EXPECT_THAT(HeaderBreaches("#Paraver (21/13/2026 at 21:37):1_ns:0:1:1(1:0)"),
              Reports("bad date"));
  EXPECT_THAT(HeaderBreaches("#Paraver (21/11/2026 at 21:37)1_ns:0:1:1(1:0)"), Reports("no ':'"));
  EXPECT_THAT(HeaderBreaches("#Paraver (21/11/2026 at 21:37):x_ns:0:1:1(1:0)"),
              Reports("bad duration"));
  EXPECT_THAT(HeaderBreaches("#Paraver (21/11/2026 at 21:37):1_ns:0:1:1(1:0)x"),
              Reports("something after the header"));
}

TEST(PrvChecker, WantsTheUnitOfItsTime) {
  EXPECT_THAT(HeaderBreaches("#Paraver (21/11/2026 at 21:37):1:0:1:1(1:0)"), Reports("wrong unit"));
  EXPECT_THAT(HeaderBreaches("#Paraver (21/11/26 at 21:37):1_ns:0:1:1(1:0)", k2001),
              Reports("wrong unit"));
  EXPECT_THAT(HeaderBreaches("#Paraver (21/11/2026 at 21:37):1:0:1:1(1:0)", k2001),
              Reports("bad date"));
}

TEST(PrvChecker, WantsEveryCountToBeAtLeastOneAndToBeTrue) {
  const std::string begin = "#Paraver (21/11/2026 at 21:37):1_ns:";
  EXPECT_THAT(HeaderBreaches(begin + "1(0):1:1(1:1)"), Reports("node without CPUs"));
  EXPECT_THAT(HeaderBreaches(begin + "2(1):1:1(1:1)"), Reports("nodes has another length"));
  EXPECT_THAT(HeaderBreaches(begin + "1(1):0:1(1:1)"), Reports("number of applications"));
  EXPECT_THAT(HeaderBreaches(begin + "1(1):1:0(1:1)"), Reports("application without tasks"));
  EXPECT_THAT(HeaderBreaches(begin + "1(1):1:2(1:1)"), Reports("tasks has another length"));
  EXPECT_THAT(HeaderBreaches(begin + "1(1):1:1(0:1)"), Reports("task without threads"));
  EXPECT_THAT(HeaderBreaches(begin + "1(1):1:1(1:2)"), Reports("node that does not exist"));
  EXPECT_THAT(HeaderBreaches(begin + "1(1):1:1(1:0)"), Reports("node that does not exist"));
}

TEST(PrvChecker, WantsTheCommunicatorsThatTheHeaderAnnounced) {
  const std::string header = "#Paraver (21/11/2026 at 21:37):9_ns:0:1:1(1:0),1\n";
  EXPECT_THAT(CheckPrv(header + "c:1:1:1:1\n1:0:1:1:1:0:1:1\n", kToday).violations, IsEmpty());
  EXPECT_THAT(CheckPrv(header + "1:0:1:1:1:0:1:1\n", kToday).violations,
              Reports("not a communicator"));
}

TEST(PrvChecker, WantsLinesThatEndInLfAlone) {
  EXPECT_THAT(Breaches("1:0:1:1:1:0:1:1\r\n"), Reports("a CR"));
  EXPECT_THAT(Breaches("1:0:1:1:1:0:1:1"), Reports("does not end"));
}

TEST(PrvChecker, WantsABody) {
  EXPECT_THAT(Breaches(""), Reports("body is empty"));
  EXPECT_THAT(Breaches("# nothing but a comment\n"), Reports("body is empty"));
}

TEST(PrvChecker, WantsRecordsOfKnownTypesWithAllTheirFields) {
  EXPECT_THAT(Breaches("5:0:1:1:1:0:1:1\n"), Reports("unknown type"));
  EXPECT_THAT(Breaches("1:0:1:1:1:0:1\n"), Reports("a state has 8"));
  EXPECT_THAT(Breaches("1:0:1:1:1:0:1:1:1\n"), Reports("a state has 8"));
  EXPECT_THAT(Breaches("2:0:1:1:1:0:1\n"), Reports("lacks a field"));
  EXPECT_THAT(Breaches("2:0:1:1:1:0:1:1:1\n"), Reports("lacks a field"));
  EXPECT_THAT(Breaches("3:0:1:1:1:0:0:0:1:2:1:0:0:1\n"), Reports("15 fields"));
  EXPECT_THAT(Breaches("1:0:1:1:1:0:1: 1\n"), Reports("not a number"));
  EXPECT_THAT(Breaches("1:0:1:1:1:0:1:\n"), Reports("not a number"));
  EXPECT_THAT(Breaches("\n"), Reports("not a number"));
}

TEST(PrvChecker, WantsObjectsThatExist) {
  EXPECT_THAT(Breaches("1:0:2:1:1:0:1:1\n"), Reports("application that does not exist"));
  EXPECT_THAT(Breaches("1:0:1:3:1:0:1:1\n"), Reports("task that does not exist"));
  EXPECT_THAT(Breaches("1:0:1:1:3:0:1:1\n"), Reports("thread that does not exist"));
  EXPECT_THAT(Breaches("1:0:1:1:0:0:1:1\n"), Reports("thread that does not exist"));
  EXPECT_THAT(Breaches("1:4:1:1:1:0:1:1\n"), Reports("CPU that does not exist"));
  EXPECT_THAT(Breaches("3:0:1:1:1:0:0:0:1:9:1:0:0:1:1\n"), Reports("task that does not exist"));
}

TEST(PrvChecker, WantsTheCpuOnTheNodeOfTheTask) {
  EXPECT_THAT(Breaches("1:3:1:1:1:0:1:1\n"), Reports("another node"));
  EXPECT_THAT(Breaches("1:2:1:2:1:0:1:1\n"), Reports("another node"));
  EXPECT_THAT(Breaches("1:3:1:2:1:0:1:1\n"), IsEmpty());
}

TEST(PrvChecker, WantsTimesWithinTheTrace) {
  EXPECT_THAT(Breaches("1:0:1:1:1:-1:1:1\n"), Reports("before the trace"));
  EXPECT_THAT(Breaches("1:0:1:1:1:0:1001:1\n"), Reports("after the trace"));
  EXPECT_THAT(Breaches("2:0:1:1:1:1001:1:1\n"), Reports("after the trace"));
  EXPECT_THAT(Breaches("3:0:1:1:1:0:0:0:1:2:1:0:1001:1:1\n"), Reports("after the trace"));
}

TEST(PrvChecker, WantsTypesAndStatesOf32Bits) {
  EXPECT_THAT(Breaches("1:0:1:1:1:0:1:4294967296\n"), Reports("bad state"));
  EXPECT_THAT(Breaches("1:0:1:1:1:0:1:-1\n"), Reports("bad state"));
  EXPECT_THAT(Breaches("2:0:1:1:1:0:4294967296:1\n"), Reports("bad type"));
}

TEST(PrvChecker, WantsStatesThatLastAndDoNotOverlap) {
  EXPECT_THAT(Breaches("1:0:1:1:1:5:5:1\n"), Reports("does not last"));
  EXPECT_THAT(Breaches("1:0:1:1:1:0:5:1\n1:0:1:1:1:4:6:1\n"), Reports("another of its thread"));
  EXPECT_THAT(Breaches("1:1:1:1:1:0:5:1\n1:1:1:1:2:4:6:1\n"), Reports("another on its CPU"));
  EXPECT_THAT(Breaches("1:0:1:1:1:0:5:1\n1:0:1:1:2:4:6:1\n"), IsEmpty());
}

TEST(PrvChecker, WantsCommunicationsInTheOrderOfCauses) {
  EXPECT_THAT(Breaches("3:0:1:1:1:5:4:0:1:2:1:5:6:1:1\n"), Reports("sent before"));
  EXPECT_THAT(Breaches("3:0:1:1:1:5:5:0:1:2:1:7:6:1:1\n"), Reports("received before"));
  EXPECT_THAT(Breaches("3:0:1:1:1:5:5:0:1:2:1:5:6:-1:1\n"), Reports("negative size"));
}

TEST(PrvChecker, WantsTheOrderOfTheDocument) {
  EXPECT_THAT(Breaches("2:0:1:1:1:5:1:1\n2:0:1:1:1:4:1:1\n"), Reports("before that of the record"));
  const char* comm = "3:0:1:1:1:5:5:0:1:2:1:5:6:1:1\n";
  const char* event = "2:0:1:1:1:5:1:1\n";
  const char* state = "1:0:1:1:1:5:6:1\n";
  const std::string good = std::string(comm) + event + state;
  EXPECT_THAT(Breaches(good), IsEmpty());
  EXPECT_THAT(Breaches(std::string(event) + comm), Reports("wrong order of types"));
  EXPECT_THAT(Breaches(std::string(state) + event), Reports("wrong order of types"));
}

TEST(PrvChecker, WantsOneValueARecordAndSizesAndTagsAboveZeroOf2001) {
  const std::string header = "#Paraver (21/11/26 at 21:37):9:0:1:1(1:0)\n";
  const auto breaches = [&](const char* line) { return CheckPrv(header + line, k2001).violations; };
  EXPECT_THAT(breaches("2:0:1:1:1:0:1:1:2:2\n"), Reports("an event has 8"));
  EXPECT_THAT(breaches("3:0:1:1:1:0:0:0:1:1:1:0:0:0:1\n"), Reports("size of 0"));
  EXPECT_THAT(breaches("3:0:1:1:1:0:0:0:1:1:1:0:0:1:0\n"), Reports("tag that is not"));
  EXPECT_THAT(breaches("# a comment\n"), Reports("not a number"));
}

// --- The .pcf ---

std::vector<std::string> LabelBreaches(std::string_view text, bool in_2001 = kToday) {
  return CheckPcf("DEFAULT_OPTIONS\n\nNUM_OF_STATE_COLORS 200\nNUM_OF_STATES_COLORS 200\n\n" +
                      std::string(text),
                  in_2001)
      .violations;
}

TEST(PcfChecker, ReadsLabelsColoursAndTypes) {
  const PcfFile file = CheckPcf(
      "DEFAULT_OPTIONS\n\nUNITS   NANOSEC\n\nSTATES\n0    Idle time\n\nSTATES_COLOR\n"
      "0    {1,2,3}\n\nEVENT_TYPE\n9    100    One\n9    101    Other\nVALUES\n-1    less\n1  "
      "more\n",
      kToday);
  EXPECT_THAT(file.violations, IsEmpty());
  EXPECT_EQ(file.options.at("UNITS"), "NANOSEC");
  EXPECT_EQ(file.states.at(0), "Idle time");
  EXPECT_EQ(file.colours.at(0), 0x010203u);
  EXPECT_EQ(file.types.at(100).label, "One");
  EXPECT_EQ(file.types.at(101).values.at(-1), "less");
}

TEST(PcfChecker, WantsKnownSectionsAndTheOptionsFirst) {
  EXPECT_THAT(CheckPcf("STATES\n", kToday).violations, Reports("not first"));
  EXPECT_THAT(CheckPcf("DEFAULT_FILTER\n", kToday).violations, Reports("outside"));
}

TEST(PcfChecker, WantsNoLineOfBlanks) { EXPECT_THAT(LabelBreaches("  \n"), Reports("blanks")); }

TEST(PcfChecker, WantsNumbersWithLabelsThatParaverCanHold) {
  EXPECT_THAT(LabelBreaches("STATES\nx label\n"), Reports("no number and label"));
  EXPECT_THAT(LabelBreaches("STATES\n1\n"), Reports("no number and label"));
  EXPECT_THAT(LabelBreaches("EVENT_TYPE\n0 1 a\nVALUES\n2147483648 b\n"), Reports("cannot label"));
  EXPECT_THAT(LabelBreaches("EVENT_TYPE\n15 1 a\n"), Reports("colours 0 to 14"));
}

TEST(PcfChecker, WantsEverythingOnce) {
  EXPECT_THAT(LabelBreaches("STATES\n1 a\n1 b\nSTATES_COLOR\n1 {0,0,0}\n"), Reports("twice"));
  EXPECT_THAT(LabelBreaches("STATES_COLOR\n1 {0,0,0}\n1 {0,0,0}\n"), Reports("twice"));
  EXPECT_THAT(LabelBreaches("EVENT_TYPE\n0 1 a\nEVENT_TYPE\n0 1 a\n"), Reports("a type twice"));
  EXPECT_THAT(LabelBreaches("EVENT_TYPE\n0 1 a\nVALUES\n1 a\n1 b\n"), Reports("a value twice"));
  EXPECT_THAT(LabelBreaches("EVENT_TYPE\nVALUES\n1 a\n"), Reports("VALUES without"));
}

TEST(PcfChecker, WantsColoursForStatesFrom0To255) {
  EXPECT_THAT(LabelBreaches("STATES_COLOR\n1 {0,0,256}\n"), Reports("not a colour"));
  EXPECT_THAT(LabelBreaches("STATES_COLOR\n1 {0,0}\n"), Reports("not a colour"));
  EXPECT_THAT(LabelBreaches("STATES_COLOR\n1 0,0,0\n"), Reports("not a colour"));
  EXPECT_THAT(LabelBreaches("STATES\n1 a\n"), Reports("no colour for state 1"));
  EXPECT_THAT(LabelBreaches("STATES_COLOR\n200 {0,0,0}\n"), Reports("than were announced"));
}

TEST(PcfChecker, WantsNoCommentSignAndFifteenGradientColoursIn2001) {
  EXPECT_THAT(LabelBreaches("STATES\n1 a#b\nSTATES_COLOR\n1 {0,0,0}\n"), IsEmpty());
  EXPECT_THAT(LabelBreaches("STATES\n1 a#b\nSTATES_COLOR\n1 {0,0,0}\n", k2001), Reports("'#'"));
  EXPECT_THAT(LabelBreaches("GRADIENT_COLOR\n15 {0,0,0}\n", k2001), Reports("0 to 14"));
}

// --- The .row ---

std::vector<std::string> NameBreaches(std::string_view text, bool in_2001 = kToday) {
  const PrvFile prv =
      CheckPrv("#Paraver (21/11/2026 at 21:37):9_ns:1(2):1:1(2:1)\n1:0:1:1:1:0:1:1\n", kToday);
  return CheckRow(text, prv, in_2001).violations;
}

TEST(RowChecker, WantsLevelsAsTheTraceHasThem) {
  EXPECT_THAT(NameBreaches("LEVEL CPU SIZE 2\na\nb # c\n\nLEVEL THREAD SIZE 2\nc\nd\n"), IsEmpty());
  EXPECT_THAT(NameBreaches("LEVEL CPU SIZE 1\na\n"), Reports("another size"));
  EXPECT_THAT(NameBreaches("LEVEL CORE SIZE 1\na\n"), Reports("unknown level"));
  EXPECT_THAT(NameBreaches("LEVEL CPU  SIZE 2\na\nb\n"), Reports("not a level"));
  EXPECT_THAT(NameBreaches("LEVEL CPU SIZE 2\na\nb\nc\n"), Reports("not a level"));
  EXPECT_THAT(NameBreaches("LEVEL CPU SIZE 2\na\n"), Reports("fewer names"));
  EXPECT_THAT(NameBreaches("LEVEL CPU SIZE 2\na\n \n"), Reports("empty name"));
  EXPECT_THAT(NameBreaches("LEVEL CPU SIZE 2\na\nb\nLEVEL CPU SIZE 2\na\nb\n"), Reports("twice"));
}

TEST(RowChecker, WantsAllLevelsInTheirOrderAndNoCommentSignIn2001) {
  const std::string head = "LEVEL SYSTEM SIZE 1\ns\nLEVEL NODE SIZE 1\nn\nLEVEL CPU SIZE 2\na\nb\n";
  const std::string tail = "LEVEL TASK SIZE 1\nt\nLEVEL THREAD SIZE 2\nc\nd\n";
  EXPECT_THAT(NameBreaches(head + "LEVEL WORKLOAD SIZE 1\nw\nLEVEL APPL SIZE 1\np\n" + tail, k2001),
              IsEmpty());
  EXPECT_THAT(NameBreaches(head + "LEVEL APPL SIZE 1\np\nLEVEL WORKLOAD SIZE 1\nw\n" + tail, k2001),
              Reports("not all levels"));
  EXPECT_THAT(NameBreaches(head + tail, k2001), Reports("not all levels"));
  EXPECT_THAT(NameBreaches("LEVEL CPU SIZE 2\na\nb # c\n", k2001), Reports("'#'"));
}

}  // namespace
}  // namespace tasklens::testing
