// SPDX-License-Identifier: Apache-2.0
// The tables of events and states are what events.h promises.
#include "trace/events/events.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tasklens {
namespace {

TEST(Events, StandInTheOrderOfTheirKinds) {
  ASSERT_EQ(AllEvents().size(), kEventKinds);
  for (size_t i = 0; i < kEventKinds; ++i) {
    EXPECT_EQ(static_cast<size_t>(AllEvents()[i].kind), i);
    EXPECT_EQ(&Decl(static_cast<EventKind>(i)), &AllEvents()[i]);
  }
}

TEST(Events, HaveUniqueNamesByWhichTheyAreFound) {
  std::set<std::string_view> names;
  for (const EventDecl& decl : AllEvents()) {
    EXPECT_TRUE(names.insert(decl.name).second) << decl.name;
    EXPECT_EQ(FindEvent(decl.name), &decl);
    for (char c : decl.name) EXPECT_TRUE((c >= 'a' && c <= 'z') || c == '_') << decl.name;
  }
  EXPECT_EQ(FindEvent("no_such_event"), nullptr);
}

TEST(Events, HaveNumbersThatNeverChange) {
  // A few of those that stand in recorded files: if one fails, a row was inserted or removed.
  EXPECT_EQ(FindEvent("memory_node_new")->kind, static_cast<EventKind>(0));
  EXPECT_EQ(FindEvent("worker_new")->kind, static_cast<EventKind>(1));
  EXPECT_EQ(FindEvent("task_submit")->kind, static_cast<EventKind>(15));
  EXPECT_EQ(FindEvent("task_start")->kind, static_cast<EventKind>(29));
  EXPECT_EQ(FindEvent("steal")->kind, static_cast<EventKind>(55));
}

TEST(Events, SayTheirArgumentsWithTypesAndNames) {
  const EventDecl& site = Decl(EventKind::kTaskSite);
  ASSERT_EQ(site.arg_count, 4);
  EXPECT_EQ(site.arg_names[0], "job");
  EXPECT_EQ(site.arg_types[0], ArgType::kU64);
  EXPECT_EQ(site.arg_types[1], ArgType::kU32);
  EXPECT_EQ(site.arg_types[2], ArgType::kStr);
  EXPECT_EQ(site.arg_names[3], "function");
  EXPECT_FALSE(site.repeats_last);
  EXPECT_EQ(Decl(EventKind::kTaskTag).arg_types[0], ArgType::kHex);
  EXPECT_EQ(Decl(EventKind::kTaskEstimate).arg_types[2], ArgType::kF64);
  EXPECT_EQ(Decl(EventKind::kWorkerStop).arg_count, 0);
  EXPECT_TRUE(Decl(EventKind::kDataCoordinates).repeats_last);
}

TEST(Events, UseInTheirTextOnlyArgumentsThatTheyHave) {
  for (const EventDecl& decl : AllEvents()) {
    std::set<std::string_view> names(decl.arg_names.begin(),
                                     decl.arg_names.begin() + decl.arg_count);
    EXPECT_EQ(names.size(), decl.arg_count) << decl.name << ": two arguments of one name";
    EXPECT_FALSE(decl.text.empty()) << decl.name;
    for (size_t at = 0; (at = decl.text.find("%{", at)) != std::string_view::npos; ++at) {
      const size_t end = decl.text.find('}', at);
      ASSERT_NE(end, std::string_view::npos) << decl.name;
      const std::string_view name = decl.text.substr(at + 2, end - at - 2);
      EXPECT_TRUE(names.contains(name)) << decl.name << ": no argument " << name;
    }
  }
}

TEST(Events, HaveACategoryWithAName) {
  for (const EventDecl& decl : AllEvents()) {
    ASSERT_LT(decl.category, Category::kCount) << decl.name;
    EXPECT_FALSE(CategoryName(decl.category).empty()) << decl.name;
  }
  EXPECT_EQ(CategoryName(Category::kTaskVerbose), "TASK_VERBOSE");
}

TEST(States, StandInTheOrderOfTheirKindsWithUniqueNames) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < AllStates().size(); ++i) {
    const StateDecl& decl = AllStates()[i];
    EXPECT_EQ(static_cast<size_t>(decl.kind), i);
    EXPECT_TRUE(names.insert(decl.name).second) << decl.name;
    EXPECT_LE(decl.rgb, 0xffffffu);
  }
  EXPECT_EQ(AllStates().size(), static_cast<size_t>(StateKind::kCount));
  EXPECT_EQ(Decl(StateKind::kIdle).name, "Idle");
  EXPECT_EQ(Decl(StateKind::kIdle).rgb, 0xe61a00u);
}

TEST(Arguments, CarryDoublesUnchanged) {
  for (double value : {0.0, -1.5, 1e300}) EXPECT_EQ(AsDouble(FromDouble(value)), value);
}

TEST(WorkerArch, HasTheNamesThatUsersKnow) {
  EXPECT_EQ(WorkerArchName(WorkerArch::kCpu), "CPU");
  EXPECT_EQ(WorkerArchName(WorkerArch::kCuda), "CUDA");
  EXPECT_EQ(WorkerArchName(static_cast<WorkerArch>(77)), "UNK");
}

}  // namespace
}  // namespace tasklens
