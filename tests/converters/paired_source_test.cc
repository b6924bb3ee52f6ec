// SPDX-License-Identifier: Apache-2.0
// Two readers of one source stay close together, and what both have read is forgotten.
#include "converters/paired_source.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <thread>

namespace tasklens {
namespace {

constexpr size_t kMiB = size_t{1} << 20, kBytes = 300 * kMiB;

// Zeros that nobody reads take no memory.
class Zeros : public Source {
 public:
  Zeros() { bytes_ = {static_cast<const std::byte*>(zeros_.get()), kBytes}; }
  void Forget(size_t begin, size_t end) const override {
    EXPECT_EQ(begin, forgotten_);
    EXPECT_GT(end, begin);
    forgotten_ = end;
  }
  size_t forgotten() const { return forgotten_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  const std::unique_ptr<void, Free> zeros_{std::calloc(kBytes, 1)};
  mutable std::atomic<size_t> forgotten_ = 0;
};

// Reads all of it, a little at a time.
void ReadAll(const Source& source, std::atomic<size_t>& at) {
  while (at < kBytes) {
    source.Forget(at, at + kMiB);
    at += kMiB;
  }
}

TEST(PairedSource, IsForgottenUpToWhereBothAre) {
  const Zeros zeros;
  PairedSource pair(zeros);
  const PairedSource::Reading one(pair, 0), other(pair, 1);
  one.Forget(0, 40 * kMiB);
  EXPECT_EQ(zeros.forgotten(), 0u);
  other.Forget(0, 30 * kMiB);
  EXPECT_EQ(zeros.forgotten(), 30 * kMiB);
  other.Forget(30 * kMiB, 60 * kMiB);
  EXPECT_LE(zeros.forgotten(), 40 * kMiB);
}

TEST(PairedSource, AReaderFarAheadWaitsForTheOther) {
  const Zeros zeros;
  PairedSource pair(zeros);
  const PairedSource::Reading slow(pair, 1);
  std::atomic<size_t> fast_at = 0, slow_at = 0;
  std::future<void> fast = std::async(std::launch::async, [&] {
    const PairedSource::Reading reading(pair, 0);
    ReadAll(reading, fast_at);
  });
  while (slow_at < kBytes) {
    // At most what lies between them, and the step it is in.
    EXPECT_LE(fast_at, slow_at + 66 * kMiB);
    slow.Forget(slow_at, slow_at + kMiB);
    slow_at += kMiB;
  }
  fast.get();
  EXPECT_GE(zeros.forgotten(), kBytes - 16 * kMiB);
}

TEST(PairedSource, AReaderThatEndsHoldsNobodyUp) {
  const Zeros zeros;
  PairedSource pair(zeros);
  std::optional<PairedSource::Reading> ends(std::in_place, pair, 1);
  std::atomic<size_t> at = 0;
  std::future<void> other = std::async(std::launch::async, [&] {
    const PairedSource::Reading reading(pair, 0);
    ReadAll(reading, at);
  });
  while (at < 50 * kMiB) std::this_thread::yield();
  ends.reset();
  other.get();
  EXPECT_EQ(at, kBytes);
}

}  // namespace
}  // namespace tasklens
