// SPDX-License-Identifier: Apache-2.0
#include "runtime/jobs/access_holders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace tasklens::runtime {
namespace {

// Jobs of one access each to one value, and a list of who waits that is as plain as can be.
class Value {
 public:
  ~Value() {
    for (Job* job : made_) FreeJob(job);
  }
  // The job of a new access; whether it has it.
  std::pair<Job*, bool> Take(AccessKind kind) {
    Job* const job = NewJob(/*with_task=*/false);
    made_.push_back(job);
    job->accesses.push_back({nullptr, kind, true, false});
    bool reduces = false;
    const bool has = holders.Take(job, job->accesses[0], reduces);
    reduces_ = reduces_ || reduces;
    if (has) {
      EXPECT_TRUE(waiting_.empty()) << "nobody is overtaken";
    } else {
      waiting_.push_back(job);
    }
    return {job, has};
  }
  // Those that have their access now, in the order in which they came.
  std::vector<Job*> GiveBack(Job* job) { return Granted(holders.GiveBack(job->accesses[0])); }
  // Whether contributions are to be combined now.
  bool reduces() const { return reduces_; }
  std::vector<Job*> Combined() {
    reduces_ = false;
    holders.EndReduction();
    Access held{nullptr, AccessKind::kWrite, true, true};
    return Granted(holders.GiveBack(held));
  }
  size_t waiting() const { return waiting_.size(); }
  void Leaves(Job* granted) {
    ASSERT_EQ(granted, waiting_.front());
    waiting_.pop_front();
  }

  AccessHolders holders;

 private:
  std::vector<Job*> Granted(const AccessHolders::Turn& turn) {
    reduces_ = reduces_ || turn.reduces;
    std::vector<Job*> granted;
    for (Job* job = turn.granted; job; job = job->next) {
      EXPECT_TRUE(job->accesses[0].held);
      EXPECT_EQ(job->next_access, 1u);
      EXPECT_EQ(job, waiting_.front()) << "first come, first served";
      waiting_.pop_front();
      granted.push_back(job);
    }
    return granted;
  }

  std::vector<Job*> made_;
  std::deque<Job*> waiting_;
  bool reduces_ = false;
};

TEST(AccessHolders, OfRandomAccessesAreOneWriterOrReadersOrContributorsAndNobodyWaitsInVain) {
  std::mt19937 random(3);
  const AccessKind kinds[] = {AccessKind::kRead, AccessKind::kWrite, AccessKind::kCommute,
                              AccessKind::kRedux};
  for (int round = 0; round < 300; ++round) {
    Value value;
    std::vector<Job*> holders;
    bool has_contributions = false;
    const auto check = [&] {
      const auto count = [&](AccessKind kind) {
        return std::count_if(holders.begin(), holders.end(),
                             [&](Job* job) { return job->accesses[0].kind == kind; });
      };
      const auto readers = count(AccessKind::kRead), contributors = count(AccessKind::kRedux);
      const auto alone = static_cast<std::ptrdiff_t>(holders.size()) - readers - contributors;
      ASSERT_TRUE(alone <= 1 && (alone == 0) + (readers == 0) + (contributors == 0) >= 2)
          << alone << " exclusive, " << readers << " readers, " << contributors << " contributors";
      if (contributors > 0) has_contributions = true;
      if (readers > 0 || alone > 0) {
        ASSERT_FALSE(has_contributions) << "before they were combined";
      }
      if (value.reduces()) {
        ASSERT_TRUE(holders.empty());
      }
      if (holders.empty() && !value.reduces()) {
        ASSERT_EQ(value.waiting(), 0u) << "waits for nobody";
      }
    };
    const auto add = [&](const std::vector<Job*>& granted) {
      holders.insert(holders.end(), granted.begin(), granted.end());
    };
    for (int step = 0; step < 100 || !holders.empty() || value.reduces(); ++step) {
      const unsigned which = random() % 3;
      if (value.reduces() && which == 0) {
        has_contributions = false;
        add(value.Combined());
      } else if (step < 100 && which == 1) {
        const auto [job, has] = value.Take(kinds[random() % 4]);
        if (has) holders.push_back(job);
      } else if (!holders.empty()) {
        const auto at = holders.begin() + static_cast<std::ptrdiff_t>(random() % holders.size());
        Job* const job = *at;
        holders.erase(at);
        if (job->accesses[0].kind == AccessKind::kWrite && random() % 4 == 0) {
          // It goes on as a reader.
          Access reads{nullptr, AccessKind::kRead, true, false};
          const AccessHolders::Turn turn = value.holders.Downgrade(job->accesses[0], reads);
          ASSERT_TRUE(reads.held);
          ASSERT_FALSE(turn.reduces);
          job->accesses[0] = reads;
          holders.push_back(job);
          // Readers at the head of the queue come beside it.
          for (Job* next = turn.granted; next; next = next->next) {
            ASSERT_EQ(next->accesses[0].kind, AccessKind::kRead);
            value.Leaves(next);
            holders.push_back(next);
          }
        } else {
          add(value.GiveBack(job));
        }
      }
      check();
      if (HasFatalFailure()) return;
    }
    ASSERT_EQ(value.waiting(), 0u);
  }
}

TEST(AccessHolders, GiveNothingToWhoTriesWhileSomebodyWaits) {
  Value value;
  const auto [reader, has] = value.Take(AccessKind::kRead);
  ASSERT_TRUE(has);
  ASSERT_FALSE(value.Take(AccessKind::kWrite).second);
  Access tried{nullptr, AccessKind::kRead, false, false};
  EXPECT_FALSE(value.holders.TryTake(tried)) << "it would overtake the writer";
  EXPECT_FALSE(tried.held);
  const std::vector<Job*> granted = value.GiveBack(reader);
  ASSERT_EQ(granted.size(), 1u);
  EXPECT_TRUE(value.GiveBack(granted[0]).empty());
  EXPECT_TRUE(value.holders.TryTake(tried));
  EXPECT_TRUE(tried.held);
}

TEST(AccessHolders, OfScratchAreNone) {
  Value value;
  const auto [writer, has] = value.Take(AccessKind::kWrite);
  ASSERT_TRUE(has);
  Access scratch{nullptr, AccessKind::kScratch, false, false};
  bool reduces = false;
  EXPECT_TRUE(value.holders.Take(writer, scratch, reduces));
  EXPECT_FALSE(scratch.held);
}

TEST(AccessHolders, OfManyThreadsAreOneWriterAtATime) {
  AccessHolders holders;
  long counted = 0;  // without a lock of its own
  std::vector<std::thread> threads;
  std::vector<long> written(4);
  for (unsigned seed = 0; seed < written.size(); ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 20'000; ++i) {
        Access access{nullptr, random() % 2 ? AccessKind::kRead : AccessKind::kWrite, true, false};
        while (!holders.TryTake(access)) std::this_thread::yield();
        if (access.kind == AccessKind::kWrite) {
          ++counted;
          ++written[seed];
        }
        (void)holders.GiveBack(access);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counted, std::accumulate(written.begin(), written.end(), 0L));
}

}  // namespace
}  // namespace tasklens::runtime
