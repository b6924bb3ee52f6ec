// SPDX-License-Identifier: Apache-2.0
#include "runtime/jobs/access_order.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "runtime/jobs/dependencies.h"

namespace tasklens::runtime {
namespace {

// Jobs, and those that each waits for, as AccessOrder asks for it.
class Jobs {
 public:
  explicit Jobs(bool keeps_ended = false) : keeps_ended_(keeps_ended) {}
  ~Jobs() {
    for (Job* job : made_) FreeJob(job);
  }
  Job* Make() {
    made_.push_back(NewJob(/*with_task=*/false));
    EnsureId(made_.back());
    return made_.back();
  }
  // A new one, with an access to a value in the order of those before.
  Job* Enter(AccessOrder& order, AccessKind kind) {
    Job* const job = Make();
    MutexLock guard(order.lock);
    order.Enter(kind, job, Entering{*this, job});
    return job;
  }
  std::map<Job*, std::vector<JobRef>> waits;

 private:
  struct Entering {
    Jobs& jobs;
    Job* job;
    void WaitFor(const JobRef& predecessor) { jobs.waits[job].push_back(predecessor); }
    JobRef Join(const std::vector<JobRef>& group) {
      Job* const join = jobs.Make();
      jobs.waits[join] = group;
      return {join, join->id};
    }
    bool KeepsEnded() const { return jobs.keeps_ended_; }
  };

  const bool keeps_ended_;
  std::vector<Job*> made_;
};

// All jobs that end before `job` starts.
std::set<Job*> Ancestors(Job* job, const std::map<Job*, std::vector<JobRef>>& waits) {
  std::set<Job*> found;
  std::vector<Job*> left{job};
  while (!left.empty()) {
    Job* const next = left.back();
    left.pop_back();
    const auto known = waits.find(next);
    if (known == waits.end()) continue;
    for (const JobRef& ref : known->second) {
      if (found.insert(ref.job).second) left.push_back(ref.job);
    }
  }
  return found;
}

bool MayRunTogether(AccessKind one, AccessKind other) {
  return one == other && one != AccessKind::kWrite;
}

TEST(AccessOrder, OfRandomAccessesSeparatesAllThatConflictAndNoneOfAGroup) {
  std::mt19937 random(2);
  const AccessKind kinds[] = {AccessKind::kRead, AccessKind::kWrite, AccessKind::kCommute,
                              AccessKind::kRedux};
  for (int round = 0; round < 50; ++round) {
    AccessOrder order;
    Jobs jobs;
    struct Entered {
      Job* job;
      AccessKind kind;
      int group;
    };
    std::vector<Entered> entered;
    const int longest = 1 + static_cast<int>(random() % 40);
    for (int i = 0; i < 120;) {
      const AccessKind kind = kinds[random() % 4];
      for (int left = 1 + static_cast<int>(random() % longest); left > 0; --left, ++i) {
        const bool joins = !entered.empty() && MayRunTogether(entered.back().kind, kind);
        const int group = entered.empty() ? 0 : entered.back().group + (joins ? 0 : 1);
        entered.push_back({jobs.Enter(order, kind), kind, group});
      }
    }
    for (size_t later = 0; later < entered.size(); ++later) {
      const std::set<Job*> before = Ancestors(entered[later].job, jobs.waits);
      for (size_t earlier = 0; earlier < entered.size(); ++earlier) {
        ASSERT_EQ(before.count(entered[earlier].job) > 0,
                  entered[earlier].group < entered[later].group)
            << "accesses " << earlier << " and " << later << " of round " << round;
      }
    }
  }
}

TEST(AccessOrder, BetweenTwoLargeGroupsIsOneJobSoThatDependenciesAreASumAndNoProduct) {
  AccessOrder order;
  Jobs jobs;
  for (const AccessKind kind : {AccessKind::kCommute, AccessKind::kRead}) {
    for (int i = 0; i < 500; ++i) jobs.Enter(order, kind);
  }
  size_t dependencies = 0;
  for (const auto& [job, of_job] : jobs.waits) dependencies += of_job.size();
  // The first of the second group waits for all 500 itself, the next brings the joining job.
  EXPECT_EQ(dependencies, 500u + 500u + 499u);
}

TEST(AccessOrder, ForgetsReadersThatHaveEndedUnlessTheCallerWantsThem) {
  for (const bool keeps_ended : {false, true}) {
    AccessOrder order;
    Jobs jobs(keeps_ended);
    for (int i = 0; i < 10'000; ++i) (void)MarkDone(jobs.Enter(order, AccessKind::kRead));
    Job* const writer = jobs.Enter(order, AccessKind::kWrite);
    if (keeps_ended) {
      EXPECT_EQ(jobs.waits[writer].size(), 10'000u);
    } else {
      EXPECT_LE(jobs.waits[writer].size(), 128u);
    }
  }
}

}  // namespace
}  // namespace tasklens::runtime
