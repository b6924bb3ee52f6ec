// SPDX-License-Identifier: Apache-2.0
// Any sequence of events gives a model that keeps its promises, or an error. Run it also with
// --config=asan and --config=ubsan.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/testing/model_check.h"
#include "trace/model/model_builder.h"
#include "trace/model/saved_model.h"

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

constexpr uint64_t kNames = 20;
std::string Name(uint64_t i) { return "name " + std::to_string(i); }

class RandomEvents {
 public:
  RandomEvents(const Mood& mood, uint32_t seed) : mood_(mood), random_(seed) {}

  // The next event, for `sink`, which is told of its strings. Valid until the next one.
  Event Next(EventSink& sink) {
    const auto kind = static_cast<EventKind>(random_() % kEventKinds);
    const EventDecl& decl = Decl(kind);
    args_.clear();
    for (size_t i = 0; i < decl.arg_count; ++i) args_.push_back(Arg(sink, decl, i));
    if (decl.repeats_last)
      while (args_.size() < kMaxArgs && random_() % 2) args_.push_back(random_() % 10);
    time_ns_ += static_cast<int64_t>(random_() % static_cast<uint64_t>(mood_.step_ns + 1));
    int64_t time_ns = time_ns_;
    if (Happens(mood_.inverted)) time_ns -= static_cast<int64_t>(random_() % 1000);
    if (Happens(mood_.wild / 10)) time_ns = static_cast<int64_t>(random_());
    const uint32_t rank = static_cast<uint32_t>(random_() % mood_.ranks);
    return {time_ns, kind, rank, random_() % mood_.threads, args_};
  }

 private:
  bool Happens(double share) { return std::uniform_real_distribution<>()(random_) < share; }

  uint64_t Arg(EventSink& sink, const EventDecl& decl, size_t i) {
    if (Happens(mood_.wild)) return random_();
    if (decl.arg_types[i] == ArgType::kStr) return sink.Intern(Name(random_() % kNames));
    return random_() % mood_.ids;
  }

  const Mood& mood_;
  std::mt19937_64 random_;
  std::vector<uint64_t> args_;
  int64_t time_ns_ = 0;
};

TEST(RandomEvents, AlwaysGiveAModelThatKeepsItsPromises) {
  constexpr int kEvents = 100'000, kSeeds = 2;
  for (const Mood& mood : kMoods) {
    for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
      Diagnostics diags;
      ModelBuilder builder(diags);
      RandomEvents events(mood, seed);
      for (int i = 0; i < kEvents; ++i) builder.OnEvent(events.Next(builder));
      const auto model = std::move(builder).Finish();
      ASSERT_TRUE(model.ok()) << mood.name << ", seed " << seed;
      EXPECT_EQ(testing::BrokenPromise(*model), "") << mood.name << ", seed " << seed;
    }
  }
}

enum class Strings { kForwards, kBackwards };

// Events of one rank after the other, and every string before them, in either order. What devices
// tell later is for both halves at once.
void SendRankByRank(const Mood& mood, uint32_t seed, Strings strings, EventSink& sink) {
  for (uint64_t i = 0; i < kNames; ++i)
    sink.Intern(Name(strings == Strings::kForwards ? i : kNames - 1 - i));
  for (uint32_t rank = 0; rank < mood.ranks; ++rank) {
    RandomEvents events(mood, seed + rank);
    for (int i = 0; i < 20'000; ++i) {
      Event event = events.Next(sink);
      event.rank = rank;
      if (event.kind != EventKind::kTaskOnDevice && event.kind != EventKind::kCopyOnDevice)
        sink.OnEvent(event);
    }
  }
}

std::string Bytes(const TraceModel& model, const Diagnostics& diags) {
  std::string bytes;
  SaveModel(model, diags, [&](std::string_view text) { bytes += text; });
  return bytes;
}

TEST(RandomEvents, GiveTheModelInHalvesThatTheyGiveAtOnce) {
  for (const Mood& mood : kMoods) {
    for (const uint32_t parts : {uint32_t{kAllParts}, uint32_t{0}, uint32_t{kAnalysisParts}}) {
      Diagnostics of_whole, of_halves;
      ModelBuilder whole(of_whole, parts), halves(of_halves, parts);
      SendRankByRank(mood, parts, Strings::kForwards, whole);
      SendRankByRank(mood, parts, Strings::kForwards, halves.work_half());
      SendRankByRank(mood, parts, Strings::kBackwards, halves.timeline_half());
      const auto at_once = std::move(whole).Finish(), joined = std::move(halves).Finish();
      ASSERT_TRUE(at_once.ok() && joined.ok()) << mood.name;
      EXPECT_EQ(testing::BrokenPromise(*joined), "") << mood.name;
      EXPECT_EQ(joined->event_count, at_once->event_count) << mood.name;
      EXPECT_EQ(of_halves.Count("model_bad_event"), of_whole.Count("model_bad_event")) << mood.name;
      // Numbers that no string has are none of a pool's, and become those of "".
      if (mood.wild == 0) {
        EXPECT_TRUE(Bytes(*joined, of_halves) == Bytes(*at_once, of_whole))
            << mood.name << ", parts " << parts << "\n"
            << of_halves.Summary() << "\n"
            << of_whole.Summary();
      }
    }
  }
}

TEST(RandomEvents, OfFewEventsDoToo) {
  for (const Mood& mood : kMoods) {
    for (uint32_t seed = 1; seed <= 500; ++seed) {
      Diagnostics diags;
      ModelBuilder builder(diags);
      RandomEvents events(mood, seed);
      for (uint32_t i = 0; i < 1 + seed % 60; ++i) builder.OnEvent(events.Next(builder));
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
    for (int i = 0; i < 5000; ++i) builder.OnEvent(events.Next(builder));
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
    for (int i = 0; i < 5000; ++i) builder.OnEvent(events.Next(builder));
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
