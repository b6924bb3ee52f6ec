// SPDX-License-Identifier: Apache-2.0
// The lines of calls that wait, or that order tasks, in the trace: from C++ here, from C in
// sites_in_c.c.
#include "analysis/call_sites.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "analysis/advice.h"
#include "analysis/sites.h"
#include "tests/runtime/recorded.h"

namespace tasklens {
namespace {

starpu_codelet* Nothing() {
  static starpu_codelet codelet = {
      .cpu_funcs = {[](void**, void*) {}}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "nothing"};
  return &codelet;
}

// How often the program waited at each line of this file, 0: at a line that is not known.
std::multiset<uint32_t> LinesOfWaits(const TraceModel& model) {
  const CallSites calls(model);
  std::multiset<uint32_t> lines;
  const StateTable& states = model.states;
  for (uint32_t track = 0; track < model.tracks.size(); ++track) {
    int64_t since_ns = 0;
    for (uint32_t s = states.first_of_track[track]; s < states.first_of_track[track + 1]; ++s) {
      const StateKind kind = states.kind[s];
      if (kind != StateKind::kWaitingTask && kind != StateKind::kWaitingAllTasks &&
          kind != StateKind::kUnpartitioning) {
        continue;
      }
      const uint32_t site = calls.Of(track, since_ns, states.start_ns[s]);
      since_ns = states.end_ns[s];
      if (site == kNone)
        lines.insert(0);
      else if (model.str(model.sites.file[site]).ends_with("call_sites_test.cc"))
        lines.insert(model.sites.line[site]);
    }
  }
  return lines;
}

TEST(CallSites, OfEveryWaitAreInTheTrace) {
  std::multiset<uint32_t> expected;
  const TraceModel model = Recorded({.name = "call_sites"}, [&] {
    static int values[4];
    starpu_data_handle_t handle, whole;
    starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values),
                                  sizeof(int));
    starpu_vector_data_register(&whole, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values), 4,
                                sizeof(int));
    const auto here = [&](int line) { expected.insert(static_cast<uint32_t>(line)); };
    EXPECT_EQ(0, starpu_task_insert(Nothing(), STARPU_RW, handle, 0));
    here(__LINE__ + 1);
    EXPECT_EQ(0, starpu_data_acquire(handle, STARPU_R));
    starpu_data_release(handle);
    here(__LINE__ + 1);
    EXPECT_EQ(0, ::starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, STARPU_RW));
    starpu_data_release(handle);
    here(__LINE__ + 1);
    starpu_task_wait_for_all();
    here(__LINE__ + 1);
    starpu_task_wait_for_n_submitted(0);
    starpu_task* task = starpu_task_build(Nothing(), 0);
    task->detach = 0;
    EXPECT_EQ(0, starpu_task_submit(task));
    here(__LINE__ + 1);
    EXPECT_EQ(0, starpu_task_wait(task));
    EXPECT_EQ(0, starpu_task_insert(Nothing(), STARPU_TAG, starpu_tag_t{7}, 0));
    here(__LINE__ + 1);
    starpu_tag_wait(7);
    starpu_data_filter filter = {.filter_func = starpu_vector_filter_block, .nchildren = 2};
    here(__LINE__ + 1);  // for who uses it
    starpu_data_partition(whole, &filter);
    here(__LINE__ + 2);  // the call, and within it the wait for each part
    const size_t before = expected.size();
    starpu_data_unpartition(whole, STARPU_MAIN_RAM);
    EXPECT_EQ(before, expected.size());
    here(__LINE__ + 1);
    starpu_data_unregister(whole);
    here(__LINE__ + 1);
    starpu_data_unregister(handle);
    // Through a pointer no line is told, and none that is an earlier call's.
    int (*const wait)() = starpu_task_wait_for_all;
    expected.insert(0);
    EXPECT_EQ(0, wait());
    here(__LINE__ + 1);
    EXPECT_EQ(0, starpu_task_wait_for_all());
  });
  const std::multiset<uint32_t> lines = LinesOfWaits(model);
  // The wait for each part of what is put together is the call's, so that it may be there twice.
  for (const uint32_t line : std::set<uint32_t>(expected.begin(), expected.end()))
    EXPECT_GE(lines.count(line), expected.count(line)) << "line " << line;
  for (const uint32_t line : std::set<uint32_t>(lines.begin(), lines.end()))
    EXPECT_GT(expected.count(line), 0u) << "line " << line;
}

TEST(CallSites, OfTagsAndOfWhatIsDoneForTheProgramAreInTheTrace) {
  uint32_t declared = 0, copied = 0;
  const TraceModel model = Recorded({.name = "sites_of_tags"}, [&] {
    static int values[2];
    starpu_data_handle_t from, to;
    for (auto [handle, value] : {std::pair(&from, &values[0]), std::pair(&to, &values[1])})
      starpu_variable_data_register(handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(value),
                                    sizeof(int));
    declared = __LINE__ + 1;
    starpu_tag_declare_deps(2, 1, starpu_tag_t{1});
    EXPECT_EQ(0, starpu_task_insert(Nothing(), STARPU_TAG, starpu_tag_t{2}, 0));
    EXPECT_EQ(0, starpu_task_insert(Nothing(), STARPU_TAG, starpu_tag_t{1}, 0));
    copied = __LINE__ + 1;
    EXPECT_EQ(0, starpu_data_cpy(to, from, 1, nullptr, nullptr));
    starpu_data_unregister(from);
    starpu_data_unregister(to);
  });
  uint32_t found = 0;
  for (uint32_t tag = 0; tag < model.tags.size(); ++tag) {
    if (model.tags.tag[tag] != 2) continue;
    ASSERT_NE(kNone, model.tags.site[tag]);
    EXPECT_EQ(declared, model.sites.line[model.tags.site[tag]]);
    ++found;
  }
  EXPECT_EQ(1u, found);
  const auto costs = CostBySite(model);
  EXPECT_TRUE(std::any_of(costs.begin(), costs.end(), [&](const SiteCost& cost) {
    return model.sites.line[cost.site] == copied && cost.tasks == 1;
  })) << "the task that copies has the line of the call";
  for (const SiteCost& cost : costs)
    EXPECT_GT(cost.ran, 0u) << "a line that waits has no tasks, line "
                            << model.sites.line[cost.site];
}

TEST(CallSites, TellWhatTheirCallsWaitedTogether) {
  uint32_t line = 0;
  const TraceModel model = Recorded({.name = "waits_of_sites"}, [&] {
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(0, starpu_task_insert(Nothing(), 0));
      line = __LINE__ + 1;
      starpu_task_wait_for_all();
    }
  });
  int64_t waited_ns = 0;
  const StateTable& states = model.states;
  for (uint32_t s = 0; s < states.size(); ++s)
    if (states.kind[s] == StateKind::kWaitingAllTasks)
      waited_ns += states.end_ns[s] - states.start_ns[s];
  int64_t told_ns = 0;
  uint64_t calls = 0;
  for (const WaitCost& cost : WaitsBySite(model)) {
    told_ns += cost.total_ns;
    if (model.sites.line[cost.site] == line) calls = cost.calls;
  }
  EXPECT_EQ(5u, calls);
  EXPECT_EQ(waited_ns, told_ns);
  // Of the whole run it is the costliest; of what lies before it, or in another rank, there is
  // none.
  const WaitCost whole = LongestWaitWithin(model, 0, {0, model.duration_ns + 1});
  EXPECT_EQ(WaitsBySite(model).front().site, whole.site);
  EXPECT_EQ(WaitsBySite(model).front().total_ns, whole.total_ns);
  EXPECT_EQ(kNone, LongestWaitWithin(model, 0, {INT64_MIN, 0}).site);
  EXPECT_EQ(kNone, LongestWaitWithin(model, 1, {0, model.duration_ns + 1}).site) << "no such rank";
}

}  // namespace
}  // namespace tasklens
