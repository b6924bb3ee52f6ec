// SPDX-License-Identifier: Apache-2.0
// Critical path, slack and last dependencies across tasks that did not run and across messages, by
// hand and against brute force.
#include "analysis/waits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/critical_path.h"
#include "analysis/last_dependencies.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

// The name of a task, with its rank.
std::string NameOf(const TraceModel& model, uint32_t task) {
  return std::to_string(model.ranks.rank[model.tasks.rank_index[task]]) + ":" +
         std::string(model.TaskNameOf(task));
}

uint32_t Row(const TraceModel& model, const std::string& name) {
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    if (NameOf(model, task) == name) return task;
  return kNone;
}

std::vector<std::string> Names(const TraceModel& model, const std::vector<uint32_t>& tasks) {
  std::vector<std::string> names;
  for (const uint32_t task : tasks) names.push_back(NameOf(model, task));
  return names;
}

using Strings = std::vector<std::string>;

// As StarPU-MPI runs it: what "produce" wrote is acquired by job 2 of rank 0 and sent on its
// behalf; on rank 1 the message is received for job 2, for which "consume" waits.
//
//   rank 0  |-produce-| (2) sent 12
//           |         |-other-|
//   rank 1  |-----local-----|     received 20 (2) |-consume-|
//   ns      0        10    14 16                 22        30
TraceModel TwoRanks(int64_t received_ns) {
  TestTrace trace;
  for (uint32_t rank = 0; rank < 2; ++rank)
    trace.Rank(rank).Worker("CPU0").Event(0, EventKind::kMpiBarrier, {rank, 2, 42, 0});
  trace.Rank(0)
      .Task("produce", 0, 10)
      .Task("other", 10, 14, {.job = 4})
      .Dep(1, 2)
      .Event(12, EventKind::kMpiSend, {1, 5, 64, 0, 2, 0, 0});
  trace.Rank(1)
      .Task("local", 0, 16)
      .Task("consume", 22, 30, {.job = 3})
      .Dep(2, 3)
      .Event(received_ns, EventKind::kMpiReceived, {0, 5, 2, 0});
  return trace.Build();
}

TEST(ObservedCriticalPath, GoesOnFromAReceiveToTheSender) {
  const TraceModel model = TwoRanks(20);
  const CriticalPath path = ObservedCriticalPath(model);
  ASSERT_EQ(path.steps.size(), 2u);
  EXPECT_EQ(NameOf(model, path.steps[0].task), "0:produce");
  EXPECT_EQ(path.steps[0].hold, Hold::kStart);
  EXPECT_EQ(NameOf(model, path.steps[1].task), "1:consume");
  EXPECT_EQ(path.steps[1].hold, Hold::kMessage);
  EXPECT_EQ(path.steps[1].message, 0u);
  EXPECT_EQ(path.steps[1].wait_ns, 12);
  EXPECT_EQ(path.work_ns, 18);
  EXPECT_EQ(path.wait_ns, 12);
}

TEST(ObservedCriticalPath, DoesNotFollowAMessageThatCameBeforeItsSenderEnded) {
  const TraceModel model = TwoRanks(8);
  const CriticalPath path = ObservedCriticalPath(model);
  ASSERT_EQ(path.steps.size(), 2u);
  EXPECT_EQ(NameOf(model, path.steps[0].task), "1:local");
  EXPECT_EQ(path.steps[1].hold, Hold::kWorker);
}

TEST(ObservedCriticalPath, FollowsAMessageOnlyWhereItCameLast) {
  const TraceModel model = TwoRanks(15);
  EXPECT_EQ(ObservedCriticalPath(model).steps[1].hold, Hold::kWorker);
}

TEST(Slack, OfASenderIsWhatNeitherItsMessageNorItsReceiverNeeds) {
  const TraceModel model = TwoRanks(20);
  const std::vector<int64_t> slack_ns = SlackNs(model);
  // The message is under way for 8 ns: sent 2 ns after it could be, and received 2 ns too early.
  EXPECT_EQ(slack_ns[Row(model, "0:produce")], 4);
  EXPECT_EQ(slack_ns[Row(model, "0:other")], 16);
  EXPECT_EQ(slack_ns[Row(model, "1:local")], 6);
  EXPECT_EQ(slack_ns[Row(model, "1:consume")], 0);
  EXPECT_EQ(slack_ns[model.FindTask(0, 2)], kNever);
}

TEST(LongestDependencyChain, LeadsThroughMessages) {
  const TraceModel model = TwoRanks(20);
  const LongestChain chain = LongestDependencyChain(model);
  EXPECT_EQ(Names(model, chain.tasks), (Strings{"0:produce", "1:consume"}));
  EXPECT_EQ(chain.length_ns, 18);
}

TEST(LastDependencies, LeadsThroughMessages) {
  const TraceModel model = TwoRanks(20);
  const uint32_t consume = Row(model, "1:consume");
  const LastDependencies last(model);
  EXPECT_EQ(last.Of(consume), Row(model, "0:produce"));
  EXPECT_EQ(Names(model, last.ChainOf(consume)), (Strings{"1:consume", "0:produce"}));
}

// a; the program acquires what it wrote (job 3), and gives it back (job 4) for b on another worker.
TEST(ObservedCriticalPath, LeadsThroughAcquisitionsOfData) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Worker("CPU1")
                               .Task("a", 0, 10)
                               .Task("b", 15, 30, {.worker = 1})
                               .Dep(4, 2)
                               .Dep(3, 4)
                               .Dep(1, 3)
                               .Build();
  const CriticalPath path = ObservedCriticalPath(model);
  ASSERT_EQ(path.steps.size(), 2u);
  EXPECT_EQ(NameOf(model, path.steps[0].task), "0:a");
  EXPECT_EQ(path.steps[1].hold, Hold::kDependency);
  EXPECT_EQ(path.steps[1].wait_ns, 5);
  EXPECT_EQ(LongestDependencyChain(model).length_ns, 25);
  EXPECT_EQ(SlackNs(model)[Row(model, "0:a")], 5);
}

TEST(Waits, CirclesOfTasksThatDidNotRunEnd) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("a", 0, 10)
                               .Task("b", 20, 30)
                               .Dep(1, 3)
                               .Dep(3, 4)
                               .Dep(4, 5)
                               .Dep(5, 3)
                               .Dep(5, 2)
                               .Build();
  const int64_t longest_ns = LongestDependencyChain(model).length_ns;
  EXPECT_TRUE(longest_ns == 10 || longest_ns == 20);  // which edge of the circle goes is open
  EXPECT_EQ(ObservedCriticalPath(model).steps.size(), 2u);
  EXPECT_EQ(LastDependencies(model).Of(Row(model, "0:b")), Row(model, "0:a"));
}

// Tasks and acquisitions of several ranks, with messages between acquisitions.
struct RandomRun {
  struct Message {
    uint32_t sender;  // a node
    int64_t sent_ns, received_ns;
  };
  struct Node {
    uint32_t rank, worker;
    uint64_t job;
    bool runs;
    int64_t start_ns = 0, over_ns = 0;
    bool has_source = true;  // something ran behind it
    std::vector<uint32_t> waits_for;
    std::vector<Message> messages;
    int previous = -1;
  };
  std::vector<Node> nodes;
  std::vector<uint32_t> ranks;

  explicit RandomRun(uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
    const uint32_t rank_count = 2 + below(2), count = 2 + below(14);
    std::map<std::pair<uint32_t, uint32_t>, int> last;
    std::vector<uint64_t> next_job(rank_count, 1);
    ranks.resize(rank_count);
    for (uint32_t i = 0; i < count; ++i) {
      Node node;
      node.rank = below(rank_count);
      node.worker = below(2);
      node.job = next_job[node.rank]++;
      node.runs = below(5) < 2;
      int64_t ready_ns = 0;
      bool any_source = false;
      const auto wait_for = [&](const Node& before, int64_t arrival_ns) {
        ready_ns = std::max(ready_ns, arrival_ns);
        any_source |= before.has_source;
      };
      for (uint32_t j = 0; j < i; ++j) {
        const Node& before = nodes[j];
        if (before.rank == node.rank && below(3) == 0) {
          node.waits_for.push_back(j);
          wait_for(before, before.over_ns);
        } else if (before.rank != node.rank && !before.runs && !node.runs && below(2) == 0) {
          const int64_t sent_ns = before.over_ns + below(4);
          node.messages.push_back({j, sent_ns, sent_ns + below(6)});
          wait_for(before, node.messages.back().received_ns);
        }
      }
      node.start_ns = node.over_ns = ready_ns;
      node.has_source = node.runs || any_source;
      if (node.runs) {
        int& previous = last.try_emplace({node.rank, node.worker}, -1).first->second;
        node.previous = previous;
        if (previous >= 0) node.start_ns = std::max(node.start_ns, nodes[previous].over_ns);
        node.start_ns += below(4);
        node.over_ns = node.start_ns + 1 + below(9);
        previous = static_cast<int>(i);
      }
      nodes.push_back(std::move(node));
    }
  }

  TraceModel Model() const {
    TestTrace trace;
    const auto ranks_n = static_cast<uint32_t>(ranks.size());
    for (uint32_t rank = 0; rank < ranks_n; ++rank)
      trace.Rank(rank).Worker("CPU0").Worker("CPU1").Event(0, EventKind::kMpiBarrier,
                                                           {rank, ranks_n, 42, 0});
    int tag = 0;
    for (const Node& node : nodes) {
      trace.Rank(node.rank);
      if (!node.runs)
        trace.Event(0, EventKind::kTaskSubmit, {node.job, node.job, 0, 0, 0, kTaskDataAcquire});
      else
        trace.Task("t", node.start_ns, node.over_ns, {.job = node.job, .worker = node.worker});
      for (const uint32_t j : node.waits_for) trace.Dep(nodes[j].job, node.job);
      for (const Message& message : node.messages) {
        const Node& sender = nodes[message.sender];
        trace.Rank(sender.rank)
            .Event(message.sent_ns, EventKind::kMpiSend, {node.rank, ++tag, 8, 0, sender.job, 0, 0})
            .Rank(node.rank)
            .Event(message.received_ns, EventKind::kMpiReceived, {sender.rank, tag, node.job, 0});
      }
    }
    return trace.Build();
  }

  // Calls visit(node that ran, when it held `of` up no more) for each way back from `of`.
  template <class Visit>
  void ForEachWay(uint32_t of, int64_t arrival_ns, const Visit& visit) const {
    for (const uint32_t j : nodes[of].waits_for) Go(j, arrival_ns, visit);
    for (const Message& message : nodes[of].messages)
      Go(message.sender, std::max(arrival_ns, message.received_ns), visit);
  }
  template <class Visit>
  void Go(uint32_t to, int64_t arrival_ns, const Visit& visit) const {
    if (nodes[to].runs)
      visit(to, std::max(arrival_ns, nodes[to].over_ns));
    else
      ForEachWay(to, arrival_ns, visit);
  }

  int64_t LongestNs(uint32_t node) const {
    int64_t before_ns = 0;
    ForEachWay(node, 0, [&](uint32_t before, int64_t) {
      before_ns = std::max(before_ns, LongestNs(before));
    });
    return before_ns + nodes[node].over_ns - nodes[node].start_ns;
  }

  // The end of the run if `late` ends so much later and nobody starts earlier than it did.
  int64_t EndWithDelayNs(uint32_t late, int64_t delay_ns) const {
    std::vector<int64_t> over_ns(nodes.size());
    int64_t last_ns = 0;
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      const Node& node = nodes[i];
      int64_t ready_ns = 0;
      for (const uint32_t j : node.waits_for) ready_ns = std::max(ready_ns, over_ns[j]);
      for (const Message& message : node.messages)
        ready_ns = std::max(ready_ns, std::max(message.sent_ns, over_ns[message.sender]) +
                                          message.received_ns - message.sent_ns);
      over_ns[i] = ready_ns;
      if (!node.runs) continue;
      ready_ns = std::max(ready_ns, node.start_ns);
      if (node.previous >= 0) ready_ns = std::max(ready_ns, over_ns[node.previous]);
      over_ns[i] = ready_ns + node.over_ns - node.start_ns + (i == late ? delay_ns : 0);
      last_ns = std::max(last_ns, over_ns[i]);
    }
    return last_ns;
  }
};

TEST(Waits, AgreeWithBruteForceOnRandomRunsOfSeveralRanks) {
  uint32_t by_message = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    const RandomRun run(seed);
    const TraceModel model = run.Model();
    std::map<uint32_t, uint32_t> node_of_row;
    int64_t begin_ns = std::numeric_limits<int64_t>::max(), end_ns = 0, longest_ns = 0;
    for (uint32_t i = 0; i < run.nodes.size(); ++i) {
      const RandomRun::Node& node = run.nodes[i];
      if (!node.runs) continue;
      const auto rank = std::find(model.ranks.rank.begin(), model.ranks.rank.end(), node.rank);
      const uint32_t row =
          model.FindTask(static_cast<uint32_t>(rank - model.ranks.rank.begin()), node.job);
      ASSERT_NE(row, kNone);
      ASSERT_EQ(model.tasks.start_ns[row], node.start_ns);
      node_of_row[row] = i;
      begin_ns = std::min(begin_ns, node.start_ns);
      end_ns = std::max(end_ns, node.over_ns);
      longest_ns = std::max(longest_ns, run.LongestNs(i));
    }
    const CriticalPath path = ObservedCriticalPath(model);
    ASSERT_EQ(path.steps.empty(), node_of_row.empty());
    EXPECT_EQ(LongestDependencyChain(model).length_ns, longest_ns);
    if (path.steps.empty()) continue;

    EXPECT_EQ(path.work_ns + path.wait_ns, end_ns - begin_ns);
    EXPECT_LE(longest_ns, end_ns - begin_ns);
    for (size_t step = 0; step < path.steps.size(); ++step) {
      const uint32_t i = node_of_row.at(path.steps[step].task);
      const RandomRun::Node& node = run.nodes[i];
      int64_t last_ns = node.previous >= 0 ? run.nodes[node.previous].over_ns : -1;
      std::set<std::pair<int64_t, uint32_t>> ways;
      run.ForEachWay(i, 0, [&](uint32_t before, int64_t arrival_ns) {
        ways.insert({arrival_ns, before});
        last_ns = std::max(last_ns, arrival_ns);
      });
      if (step == 0) {
        EXPECT_EQ(last_ns, -1);
        continue;
      }
      const uint32_t before = node_of_row.at(path.steps[step - 1].task);
      if (path.steps[step].hold == Hold::kWorker) {
        EXPECT_EQ(static_cast<int>(before), node.previous);
        EXPECT_EQ(run.nodes[before].over_ns, last_ns);
      } else {
        EXPECT_TRUE(ways.contains({last_ns, before}));
      }
      const bool crosses = run.nodes[before].rank != node.rank;
      if (crosses) {
        EXPECT_EQ(path.steps[step].hold, Hold::kMessage);
      }
      by_message += crosses;
    }
    const std::vector<int64_t> slack_ns = SlackNs(model);
    const LastDependencies last_dependencies(model);
    for (const auto& [row, i] : node_of_row) {
      EXPECT_EQ(run.EndWithDelayNs(i, slack_ns[row]), end_ns);
      EXPECT_GT(run.EndWithDelayNs(i, slack_ns[row] + 1), end_ns);
      int64_t last_ns = -1;
      std::set<std::pair<int64_t, uint32_t>> ways;
      run.ForEachWay(i, 0, [&](uint32_t before, int64_t arrival_ns) {
        ways.insert({arrival_ns, before});
        last_ns = std::max(last_ns, arrival_ns);
      });
      const uint32_t last = last_dependencies.Of(row);
      ASSERT_EQ(last == kNone, ways.empty());
      if (last != kNone) {
        EXPECT_TRUE(ways.contains({last_ns, node_of_row.at(last)}));
      }
      const std::vector<uint32_t> chain = last_dependencies.ChainOf(row);
      ASSERT_EQ(chain.size() > 1, last != kNone);
      if (last != kNone) {
        EXPECT_TRUE(ways.contains({last_ns, node_of_row.at(chain[1])}));
      }
    }
  }
  EXPECT_GT(by_message, 100u);
}

}  // namespace
}  // namespace tasklens
