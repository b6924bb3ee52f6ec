// SPDX-License-Identifier: Apache-2.0
// Any sequence of events gives a model that keeps its promises, or an error. Run it also with
// --config=asan and --config=ubsan.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "tests/testing/model_check.h"
#include "trace/model/model_builder.h"

namespace tasklens {
namespace {

// How wild the events are.
struct Mood {
  const char* name;
  uint64_t ids;     // jobs, workers, handles, ... below this
  double wild;      // share of arguments that are any 64 bits
  int64_t step_ns;  // events are up to so far apart
  double inverted;  // share of events that go back in time
  uint32_t ranks, threads;
};

constexpr Mood kMoods[] = {
    {"orderly", 50, 0, 100, 0, 1, 4},          {"ranks", 20, 0, 100, 0.01, 3, 3},
    {"crowded", 5, 0, 1, 0.1, 1, 2},           {"at one moment", 4, 0, 0, 0, 1, 2},
    {"wild ids", 1000, 0.3, 1000, 0.05, 2, 5}, {"all wild", 10, 1, 1000, 0.5, 4, 1000},
};

class RandomEvents {
 public:
  RandomEvents(const Mood& mood, uint32_t seed) : mood_(mood), random_(seed) {}

  // Adds one event to `sink`.
  void Send(EventSink& sink) {
    const auto kind = static_cast<EventKind>(random_() % kEventKinds);
    const EventDecl& decl = Decl(kind);
    std::vector<uint64_t> args;
    for (size_t i = 0; i < decl.arg_count; ++i) args.push_back(Arg(sink, decl, i));
    if (decl.repeats_last)
      while (args.size() < kMaxArgs && random_() % 2) args.push_back(random_() % 10);
    time_ns_ += static_cast<int64_t>(random_() % static_cast<uint64_t>(mood_.step_ns + 1));
    int64_t time_ns = time_ns_;
    if (Happens(mood_.inverted)) time_ns -= static_cast<int64_t>(random_() % 1000);
    if (Happens(mood_.wild / 10)) time_ns = static_cast<int64_t>(random_());
    const uint32_t rank = static_cast<uint32_t>(random_() % mood_.ranks);
    sink.OnEvent({time_ns, kind, rank, random_() % mood_.threads, args});
  }

 private:
  bool Happens(double share) { return std::uniform_real_distribution<>()(random_) < share; }

  uint64_t Arg(EventSink& sink, const EventDecl& decl, size_t i) {
    if (Happens(mood_.wild)) return random_();
    if (decl.arg_types[i] == ArgType::kStr)
      return sink.Intern("name " + std::to_string(random_() % 20));
    return random_() % mood_.ids;
  }

  const Mood& mood_;
  std::mt19937_64 random_;
  int64_t time_ns_ = 0;
};

TEST(RandomEvents, AlwaysGiveAModelThatKeepsItsPromises) {
  constexpr int kEvents = 100'000, kSeeds = 2;
  for (const Mood& mood : kMoods) {
    for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
      Diagnostics diags;
      ModelBuilder builder(diags);
      RandomEvents events(mood, seed);
      for (int i = 0; i < kEvents; ++i) events.Send(builder);
      const auto model = std::move(builder).Finish();
      ASSERT_TRUE(model.ok()) << mood.name << ", seed " << seed;
      EXPECT_EQ(testing::BrokenPromise(*model), "") << mood.name << ", seed " << seed;
    }
  }
}

TEST(RandomEvents, OfFewEventsDoToo) {
  for (const Mood& mood : kMoods) {
    for (uint32_t seed = 1; seed <= 500; ++seed) {
      Diagnostics diags;
      ModelBuilder builder(diags);
      RandomEvents events(mood, seed);
      for (uint32_t i = 0; i < 1 + seed % 60; ++i) events.Send(builder);
      const auto model = std::move(builder).Finish();
      if (!model.ok()) continue;
      ASSERT_EQ(testing::BrokenPromise(*model), "") << mood.name << ", seed " << seed;
    }
  }
}

TEST(RandomEvents, WithPartsLeftOutDoToo) {
  for (uint32_t part = 0; part <= 10; ++part) {
    Diagnostics diags;
    ModelBuilder builder(diags, part == 10 ? 0 : ~(1u << part));
    RandomEvents events(kMoods[1], part);
    for (int i = 0; i < 5000; ++i) events.Send(builder);
    const auto model = std::move(builder).Finish();
    ASSERT_TRUE(model.ok());
    EXPECT_EQ(testing::BrokenPromise(*model), "") << "without part " << part;
  }
}

TEST(RandomEvents, WithoutSuccessorsHaveTheSamePredecessors) {
  const auto build = [](uint32_t parts) {
    Diagnostics diags;
    ModelBuilder builder(diags, parts);
    RandomEvents events(kMoods[1], 5);
    for (int i = 0; i < 5000; ++i) events.Send(builder);
    return std::move(builder).Finish();
  };
  const auto whole = build(kAllParts), part = build(kAllParts & ~kPartSuccessors);
  ASSERT_TRUE(whole.ok() && part.ok());
  ASSERT_GT(whole->predecessors.items.size(), 10u);
  EXPECT_TRUE(std::ranges::equal(whole->predecessors.items, part->predecessors.items));
  EXPECT_GT(whole->successors.size(), 0u);
  EXPECT_EQ(part->successors.size(), 0u);
}

}  // namespace
}  // namespace tasklens
