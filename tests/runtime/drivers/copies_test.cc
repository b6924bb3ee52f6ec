// SPDX-License-Identifier: Apache-2.0
// Copies in the streams of a device that does what a test says, when it says so.
#include <gtest/gtest.h>
#include <starpu.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "runtime/drivers/device/device_copies.h"
#include "tests/runtime/data/fake_run.h"

namespace tasklens::runtime {

struct Accelerators::Stream {
  int device;
};
struct Accelerators::Mark {
  State state;
};

namespace {

class FakeAccelerators : public Accelerators {
 public:
  // What it did.
  std::deque<Mark> marks;
  std::vector<std::pair<int, int>> ways;  // of copies: source and target
  std::vector<const Mark*> awaited;
  int forgotten = 0;

  // A stream has come to that mark.
  void Pass(size_t mark) { marks[mark].state = State::kPassed; }
  void PassAll() {
    for (Mark& mark : marks) mark.state = State::kPassed;
  }

  int count() const override { return 1; }
  bool is_usable(int) const override { return true; }
  std::string Describe(int) const override { return "fake"; }
  void* Enter(int) override { return nullptr; }
  void Return(void*) override {}
  std::string ErrorText(int) const override { return ""; }
  size_t FreeBytes(int) override { return 0; }
  void* Allocate(int, size_t bytes) override { return malloc(bytes); }
  void Release(int, void* memory) override { free(memory); }
  std::string Pin(void*, size_t) override { return ""; }
  std::string Unpin(void*) override { return ""; }
  Stream* Open(int device, Use) override { return &streams_.emplace_back(Stream{device}); }
  void Close(Stream*) override {}
  void* NativeOf(Stream* stream) override { return stream; }
  void Finish(Stream*) override { PassAll(); }
  void Copy(Stream*, Way way, const Rows&) override { ways.emplace_back(way.source, way.target); }
  void CopyInto(void*, int, Way, const Rows&) override {}
  Mark* Put(Stream*) override { return &marks.emplace_back(Mark{State::kAhead}); }
  void Forget(Mark*) override { ++forgotten; }
  void Await(Stream*, Mark* mark) override { awaited.push_back(mark); }
  State Look(Mark* mark, std::string& why) override {
    why = "broken";
    return mark->state;
  }
  State WaitFor(Mark* mark, std::string& why) override { return Look(mark, why); }
  uint64_t PassedNs(Mark*) override { return 0; }
  uint64_t BetweenNs(Mark*, Mark*) override { return 0; }

 private:
  std::deque<Stream> streams_;
};

void Fail(const char* what) {
  fprintf(stderr, "FAILED: %s\n", what);
  abort();
}

class CopiesToDevices : public ::testing::Test {
 protected:
  CopiesToDevices() {
    device_ = run_.AddDevice(/*limit_bytes=*/0);
    starpu_variable_data_register(&handle_, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&number_),
                                  sizeof(number_));
  }
  // One copy has two marks: its begin and its end.
  Arrival Send(std::vector<Arrival> after = {}) {
    const Shipment shipment{handle_,         STARPU_MAIN_RAM, device_,
                            sizeof(number_), ++sent_,         CopyReason::kFetch};
    const auto arrival = copies_.Carry(shipment, after, [&](void* async_data) {
      return copies_.CopyRows(async_data, STARPU_MAIN_RAM, device_,
                              {.source = reinterpret_cast<const char*>(&number_),
                               .target = there_,
                               .row_bytes = sizeof(number_)});
    });
    EXPECT_TRUE(arrival.has_value());
    return arrival.value_or(0);
  }

  int number_ = 0;
  char there_[sizeof(int)] = {};
  uint64_t sent_ = 0;
  unsigned device_ = 0;
  FakeRun run_;
  FakeAccelerators accelerators_;
  DeviceCopies copies_{accelerators_, run_.devices, &Fail};
  Handle* handle_ = nullptr;
};

TEST_F(CopiesToDevices, ACopyHasArrivedWhenItsStreamHasPassedItsEnd) {
  const Arrival arrival = Send();
  EXPECT_EQ(accelerators_.ways, (std::vector<std::pair<int, int>>{{Accelerators::kMainMemory, 0}}));
  EXPECT_FALSE(copies_.IsThere(arrival));
  accelerators_.Pass(0);
  EXPECT_FALSE(copies_.IsThere(arrival));
  accelerators_.Pass(1);
  EXPECT_TRUE(copies_.IsThere(arrival));
  copies_.Tend();
  EXPECT_EQ(accelerators_.forgotten, 2);
  EXPECT_TRUE(copies_.IsThere(arrival));
}

TEST_F(CopiesToDevices, WhatStandsForTwoIsThereWhenBothAre) {
  const Arrival one = Send(), other = Send();
  const Arrival both = copies_.Both(one, other);
  accelerators_.Pass(1);
  EXPECT_TRUE(copies_.IsThere(one));
  EXPECT_FALSE(copies_.IsThere(both));
  accelerators_.Pass(3);
  EXPECT_TRUE(copies_.IsThere(both));
}

TEST_F(CopiesToDevices, ACopyWaitsInItsStreamForWhatItNeeds) {
  const Arrival first = Send();
  EXPECT_TRUE(accelerators_.awaited.empty());
  Send({first});
  EXPECT_EQ(accelerators_.awaited, std::vector<const Accelerators::Mark*>{&accelerators_.marks[1]});
}

TEST_F(CopiesToDevices, ACopyThatFailedIsToldOfWithItsData) {
  const Arrival arrival = Send();
  accelerators_.marks[1].state = Accelerators::State::kFailed;
  EXPECT_DEATH(copies_.WaitFor(arrival),
               "FAILED: copying handle .* from memory node 0 to 1 failed: broken");
  accelerators_.PassAll();
}

}  // namespace
}  // namespace tasklens::runtime
