// SPDX-License-Identifier: Apache-2.0
// What is saved beside a trace: the same as what is made anew, and safe to use whatever it is.
#include "server/traces/first_views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "converters/formats.h"

namespace tasklens {
namespace {

TraceModel Loaded(const std::string& name) {
  const std::string path = "tests/data/starpu/" + name;
  Diagnostics diags;
  Result<TraceModel> model = LoadPaths({&path, 1}, diags);
  EXPECT_TRUE(model.ok()) << name;
  return std::move(*model);
}

// Aligned, as a mapped file is.
std::vector<uint64_t> Words(const std::string& bytes) {
  std::vector<uint64_t> words(bytes.size() / sizeof(uint64_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint64_t));
  return words;
}

std::string Saved(const TraceModel& model) {
  FirstViews views = SummarizeForViews(model);
  views.timeline = std::make_shared<const TimelineIndex>(model);
  std::string bytes;
  SaveViews(views, [&](std::string_view text) { bytes += text; });
  EXPECT_EQ(bytes.size() % 8, 0u);
  return bytes;
}

// Asks for everything at some levels of detail; the states, which must exist.
std::vector<uint32_t> StatesShown(const TraceModel& model, const TimelineIndex& timeline) {
  std::vector<uint32_t> shown;
  const int64_t end_ns = std::max<int64_t>(model.duration_ns, 8);
  for (uint32_t track = 0; track < model.tracks.size(); ++track)
    for (uint32_t depth = 0; depth < timeline.Depths(track); ++depth) {
      for (const int64_t part : {1, 3, 8})
        for (const uint32_t pixels : {1u, 7u, 300u})
          for (const TimelineSlice& slice : timeline.Slices(
                   track, depth, end_ns / 2 - end_ns / part / 2, end_ns / 2 + 1, pixels)) {
            EXPECT_LT(slice.state, model.states.size());
            shown.insert(shown.end(), {slice.state, slice.count});
          }
      const auto states = timeline.StatesIn(track, depth, end_ns / 3, end_ns / 2);
      shown.insert(shown.end(), states.begin(), states.end());
      for (const uint32_t state : states) EXPECT_LT(state, model.states.size());
    }
  return shown;
}

TEST(FirstViews, AreTheSameWhenTheyAreLoaded) {
  for (const char* name : {"cholesky_dmdas", "stencil_2k", "mpi2", "parallel_small", "two_ctx"}) {
    SCOPED_TRACE(name);
    const TraceModel model = Loaded(name);
    const std::vector<uint64_t> saved = Words(Saved(model));
    const Result<FirstViews> loaded = LoadViews(model, std::as_bytes(std::span(saved)));
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();

    const RunSummary summary = Summarize(model);
    EXPECT_GT(summary.tasks, 0u);
    EXPECT_EQ(std::memcmp(&loaded->summary, &summary, sizeof summary), 0);
    const std::vector<SiteCost> costs = CostBySite(model);
    ASSERT_EQ(loaded->costs.size(), costs.size());
    for (size_t i = 0; i < costs.size(); ++i) {
      EXPECT_EQ(loaded->costs[i].site, costs[i].site);
      EXPECT_EQ(loaded->costs[i].tasks, costs[i].tasks);
      EXPECT_EQ(loaded->costs[i].ran, costs[i].ran);
      EXPECT_EQ(loaded->costs[i].total_ns, costs[i].total_ns);
      EXPECT_EQ(loaded->costs[i].min_ns, costs[i].min_ns);
      EXPECT_EQ(loaded->costs[i].max_ns, costs[i].max_ns);
      EXPECT_EQ(loaded->costs[i].names, costs[i].names);
    }
    const std::vector<uint32_t> shown = StatesShown(model, TimelineIndex(model));
    EXPECT_FALSE(shown.empty());
    EXPECT_EQ(StatesShown(model, *loaded->timeline), shown);
  }
}

TEST(FirstViews, AreNotThoseOfAnotherTrace) {
  const std::vector<uint64_t> saved = Words(Saved(Loaded("stencil_2k")));
  const TraceModel other = Loaded("cholesky_dmdas");
  EXPECT_EQ(LoadViews(other, std::as_bytes(std::span(saved))).status().code(), ErrorCode::kCorrupt);
}

TEST(FirstViews, OfAnyBytesCanBeAskedOrAreAnError) {
  const TraceModel model = Loaded("stencil_2k");
  const std::string bytes = Saved(model);
  std::mt19937_64 random(11);
  int usable = 0;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds; ++round) {
    std::string damaged = bytes;
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      const size_t at = random() % damaged.size();
      damaged[at] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    if (random() % 10 == 0) damaged.resize(random() % damaged.size() / 8 * 8);
    const std::vector<uint64_t> words = Words(damaged);
    const Result<FirstViews> loaded = LoadViews(model, std::as_bytes(std::span(words)));
    if (!loaded.ok()) {
      EXPECT_EQ(loaded.status().code(), ErrorCode::kCorrupt);
      continue;
    }
    ++usable;
    for (const SiteCost& cost : loaded->costs) ASSERT_LT(cost.site, model.sites.size());
    StatesShown(model, *loaded->timeline);
  }
  std::printf("%d of %d damaged ones could be used\n", usable, kRounds);
  EXPECT_GT(usable, 0);
}

}  // namespace
}  // namespace tasklens
