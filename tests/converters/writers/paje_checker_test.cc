// SPDX-License-Identifier: Apache-2.0
// The Paje checker finds each kind of violation, so that a clean verdict means something.
#include "tests/testing/paje_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tasklens::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kDefinitions = R"(%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 3
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineVariableType 4
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 5
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 6
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 7
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 8
% Time date
% Name string
% Type string
%EndEventDef
%EventDef PajeSetState 10
% Time date
% Container string
% Type string
% Value string
%EndEventDef
%EventDef PajePushState 11
% Time date
% Container string
% Type string
% Value string
%EndEventDef
%EventDef PajePopState 12
% Time date
% Container string
% Type string
%EndEventDef
%EventDef PajeSetVariable 13
% Time date
% Container string
% Type string
% Value double
%EndEventDef
%EventDef PajeAddVariable 14
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeStartLink 18
% Time date
% Type string
% Container string
% Value string
% StartContainer string
% Key string
%EndEventDef
%EventDef PajeEndLink 19
% Time date
% Type string
% Container string
% Value string
% EndContainer string
% Key string
%EndEventDef
1 P 0 "Program"
1 W P "Worker"
3 S W "State"
4 v W "Variable"
5 L P W W "Link"
6 a S "busy" "0 .5 1.0"
6 b S "idle" "0 0 0"
7 0.0 p P 0 "program"
7 0.0 w1 W p "one"
7 0.0 w2 W p "two"
)";

std::vector<std::string> Violations(std::string_view body) {
  return CheckPaje(std::string(kDefinitions) + std::string(body)).violations;
}

TEST(PajeChecker, AcceptsARightFile) {
  const PajeFile file = CheckPaje(std::string(kDefinitions) + R"(10 1.5 w1 S "a"
11 2.000001 w1 S "b"
12 2.5 w1 S
13 2.5 w1 v 1.25
14 2.6 v w1 -1
18 3 L p 64 w1 k1
19 4.0 L p 64 w2 k1
8 5.0 w1 W
)");
  EXPECT_THAT(file.violations, IsEmpty());
  ASSERT_EQ(file.lines.size(), 18u);
  EXPECT_EQ(file.lines[11].name, "PajePushState");
  EXPECT_EQ(file.lines[11].time_ns, 2000001);
  EXPECT_EQ(file.lines[11]["Value"], "b");
}

struct Case {
  std::string_view body, violation;
};

class PajeCheckerFinds : public ::testing::TestWithParam<Case> {};

TEST_P(PajeCheckerFinds, TheViolation) {
  EXPECT_THAT(Violations(GetParam().body), Contains(HasSubstr(std::string(GetParam().violation))));
}

INSTANTIATE_TEST_SUITE_P(
    Each, PajeCheckerFinds,
    ::testing::Values(
        Case{"10 2 w1 S a\n10 1 w1 S b\n", "the time goes back"},
        Case{"10 1e3 w1 S a\n", "not a plain decimal number"},
        Case{"10 -1 w1 S a\n", "negative time"}, Case{"10 1 w1 S\n", "3 fields instead of 4"},
        Case{"10 1 w1 S \"\"\n", "an empty string"},
        Case{"10 1 w1 S Name\n", "the keyword Name is not quoted"},
        Case{"10 1 w1 S \"a\n", "a quote is not closed"},
        Case{"10 1 w1 S \"a\"b\"\n", "text directly behind a quote"},
        Case{"10 1 w1 S #a\n", "begins a comment"},
        Case{"10 1 w1 S \"a\x01\"\n", "a control character"}, Case{"\n", "a line without words"},
        Case{"99 1\n", "no definition of event 99"},
        Case{"% Time date\n", "a definition behind an event"},
        Case{"10 1 w1 S c\n", "no value c of S"}, Case{"10 1 w3 S a\n", "no container w3"},
        Case{"10 1 p S a\n", "of type P, not W"}, Case{"10 1 w1 T a\n", "no type T"},
        Case{"10 1 w1 v a\n", "a type of another kind"}, Case{"12 1 w1 S\n", "nothing to pop"},
        Case{"10 1 w1 S a\n10 1 w1 S a\n", "set twice at the same time"},
        Case{"14 1 v w1 1\n", "changed before it is set"},
        Case{"13 1 w1 v nan\n", "not a plain decimal number"},
        Case{"18 1 L p 0 w1 k\n", "has one end only"},
        Case{"18 1 L p 0 w1 k\n18 1 L p 0 w1 k\n", "is used twice"},
        Case{"18 1 L p 0 w1 k\n19 1 L p 1 w2 k\n", "differ in their value"},
        Case{"18 1 L p 0 p k\n19 1 L p 0 w2 k\n", "of type P, not W"},
        Case{"8 1 w1 W\n10 2 w1 S a\n", "was destroyed before"},
        Case{"8 1 w1 P\n", "of type W, not P"}, Case{"7 1 w1 W p \"again\"\n", "is created twice"},
        Case{"7 1 w3 W w1 \"in a worker\"\n", "of type W, not P"},
        Case{"7 1 w3 W 0 \"at the root\"\n", "does not belong at the root"},
        Case{"7 1 w3 X p \"no type\"\n", "no container type X"},
        Case{"1 W P \"again\"\n", "is defined twice"},
        Case{"3 X Y \"no parent\"\n", "no container type Y"},
        Case{"6 a S \"again\" \"0 0 0\"\n", "is defined twice"},
        Case{"6 c S \"a\" \"0 0 0\"\n", "value a of S is defined twice"},
        Case{"6 c S \"red\" \"255 0 0\"\n", "not from 0 to 1"},
        Case{"6 c S \"red\" \"1 0\"\n", "has not three parts"},
        Case{"10 1 w1 S a", "the last line does not end"}));

TEST(PajeChecker, FindsWhatIsWrongInDefinitions) {
  const auto violations = [](std::string_view text) { return CheckPaje(text).violations; };
  EXPECT_THAT(violations("%EventDef PajeSetState 1\n% Time date\n%EndEventDef\n"),
              Contains(HasSubstr("has no field Container")));
  EXPECT_THAT(violations("%EventDef PajeFoo 1\n%EndEventDef\n"),
              Contains(HasSubstr("unknown event")));
  EXPECT_THAT(violations("%EventDef PajePopState 1\n% Time date\n% Time date\n%EndEventDef\n"),
              Contains(HasSubstr("stands there twice")));
  EXPECT_THAT(violations("%EventDef PajePopState 1\n% Time clock\n%EndEventDef\n"),
              Contains(HasSubstr("unknown field type")));
  EXPECT_THAT(violations("% Time date\n"), Contains(HasSubstr("not a field")));
}

}  // namespace
}  // namespace tasklens::testing
