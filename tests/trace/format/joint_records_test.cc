// SPDX-License-Identifier: Apache-2.0
// A record for several events is read as these events, at once and while the file grows.
#include "trace/format/joint_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/testing/tlt_file.h"
#include "trace/format/follower.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using testing::RecordedBytes;

// What is read of one record, at once.
std::vector<std::string> EventsOf(tlt::Joint joint, std::vector<uint64_t> args) {
  const std::string bytes = RecordedBytes([&](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
    const uint64_t now = writer.Now();
    ASSERT_TRUE(writer.AppendString(buffer, 1, "a.c", now));
    ASSERT_TRUE(writer.AppendString(buffer, 2, "main", now));
    ASSERT_TRUE(writer.AppendString(buffer, 3, "gemm", now));
    ASSERT_TRUE(writer.AppendString(buffer, 4, "model", now));
    ASSERT_TRUE(writer.AppendRecord(buffer, tlt::RecordKind(joint), now, args));
  });
  const testing::ReadBack back = testing::ReadTlt(bytes);
  EXPECT_EQ(back.diags.Summary(), "");
  return back.Recorded();
}

TEST(JointRecords, ASubmissionIsItsCountSiteNameAndModel) {
  EXPECT_THAT(
      EventsOf(tlt::Joint::kSubmission, {17, 5, 3, ~uint64_t{0}, ~uint64_t{1}, 0, 42, 1, 2, 3, 4}),
      ElementsAre(
          "task_count",
          "task_submit job=17 submit_order=5 iteration=3 subiteration=-1 priority=-2 type=0",
          "task_site job=17 line=42 file='a.c' function='main'", "task_name job=17 name='gemm'",
          "task_model job=17 model='model'"));
}

TEST(JointRecords, WhatASubmissionDoesNotSayIsNoEvent) {
  EXPECT_THAT(
      EventsOf(tlt::Joint::kSubmission, {17, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}),
      ElementsAre(
          "task_count",
          "task_submit job=17 submit_order=0 iteration=0 subiteration=0 priority=0 type=1"));
}

TEST(JointRecords, AccessesKeepSizesAndModes) {
  const uint64_t most = (uint64_t{1} << 48) - 1;
  EXPECT_THAT(EventsOf(tlt::Joint::kAccesses, {17, 0xabc0, tlt::SizeAndMode(8, kAccessRead), 0xdef0,
                                               tlt::SizeAndMode(most, 0xffff)}),
              ElementsAre("task_access job=17 handle=abc0 size_bytes=8 mode=1",
                          "task_access job=17 handle=def0 size_bytes=281474976710655 mode=65535"));
  EXPECT_FALSE(tlt::FitsAccess(most + 1, 1));
  EXPECT_FALSE(tlt::FitsAccess(8, 0x10000));
}

TEST(JointRecords, ATaskThatIsTakenChangesTheState) {
  EXPECT_THAT(
      EventsOf(tlt::Joint::kTaken, {17, ~uint64_t{0}, static_cast<uint64_t>(StateKind::kOverhead)}),
      ElementsAre("task_pop job=17 priority=-1",
                  "state_set state=" + std::to_string(static_cast<int>(StateKind::kOverhead))));
}

TEST(JointRecords, ABeginIsDetailsAndStart) {
  EXPECT_THAT(EventsOf(tlt::Joint::kBegin, {17, 24, 0xabcd, 0x63, FromDouble(1.5), 2, 0, 7}),
              ElementsAre("task_details job=17 size_bytes=24 footprint=abcd tag=63 flops=1.500000",
                          "task_start job=17 worker=2 node=0 ctx=7"));
}

TEST(JointRecords, ParametersAreOneEventEach) {
  EXPECT_THAT(EventsOf(tlt::Joint::kParameters, {17, 3, 4}),
              ElementsAre("task_parameter job=17 description='gemm'",
                          "task_parameter job=17 description='model'"));
}

TEST(JointRecords, APlainBeginIsParameterDetailsAndStart) {
  const std::vector<std::string> begin =
      EventsOf(tlt::Joint::kPlainBegin, {17, 24, 0xabcd, 2, 0, 7, 3});
  EXPECT_THAT(begin,
              ElementsAre("task_parameter job=17 description='gemm'",
                          "task_details job=17 size_bytes=24 footprint=abcd tag=0 flops=0.000000",
                          "task_start job=17 worker=2 node=0 ctx=7"));
  EXPECT_THAT(EventsOf(tlt::Joint::kPlainBegin, {17, 24, 0xabcd, 2, 0, 7, 0}),
              ElementsAre(begin[1], begin[2]));
}

TEST(JointRecords, AFetchIsThePopTheStateAndTheLoad) {
  EXPECT_THAT(
      EventsOf(tlt::Joint::kFetch, {17, 24, ~uint64_t{0}, 2}),
      ElementsAre("task_pop job=17 priority=-1",
                  "state_set state=" + std::to_string(static_cast<int>(StateKind::kFetchingInput)),
                  "data_load worker=2 size_bytes=24"));
}

TEST(JointRecords, AShortSubmissionMayBeginItsState) {
  const uint64_t type_and_line = tlt::TypeAndLine(1, /*with_state=*/false, 42);
  const std::vector<std::string> submission =
      EventsOf(tlt::Joint::kShortSubmission, {17, 5, ~uint64_t{1}, type_and_line, 1, 2, 3, 4});
  EXPECT_THAT(
      submission,
      ElementsAre(
          "task_count",
          "task_submit job=17 submit_order=5 iteration=-1 subiteration=-1 priority=-2 type=1",
          "task_site job=17 line=42 file='a.c' function='main'", "task_name job=17 name='gemm'",
          "task_model job=17 model='model'"));
  EXPECT_THAT(
      EventsOf(tlt::Joint::kShortSubmission,
               {17, 5, ~uint64_t{1}, tlt::TypeAndLine(1, true, 42), 1, 2, 3, 4}),
      ElementsAre(
          "state_push state=" + std::to_string(static_cast<int>(StateKind::kSubmittingTask)),
          submission[0], submission[1], submission[2], submission[3], submission[4]));
  EXPECT_THAT(EventsOf(tlt::Joint::kShortAccess,
                       {17, 5, ~uint64_t{1}, type_and_line, 1, 2, 3, 4, 0xabc0, 8, kAccessRead}),
              ElementsAre(submission[0], submission[1], submission[2], submission[3], submission[4],
                          "task_access job=17 handle=abc0 size_bytes=8 mode=1"));
}

TEST(JointRecords, AWholeSubmissionHasColourAndAccesses) {
  const std::vector<uint64_t> args = {17,
                                      5,
                                      3,
                                      ~uint64_t{0},
                                      ~uint64_t{1},
                                      tlt::TypeAndLine(1, /*with_state=*/true, 42),
                                      0xff8000,
                                      1,
                                      2,
                                      3,
                                      4,
                                      0xabc0,
                                      tlt::SizeAndMode(8, kAccessRead),
                                      0xdef0,
                                      tlt::SizeAndMode(16, kAccessWrite)};
  EXPECT_THAT(
      EventsOf(tlt::Joint::kWholeSubmission, args),
      ElementsAre(
          "state_push state=" + std::to_string(static_cast<int>(StateKind::kSubmittingTask)),
          "task_count",
          "task_submit job=17 submit_order=5 iteration=3 subiteration=-1 priority=-2 type=1",
          "task_site job=17 line=42 file='a.c' function='main'", "task_name job=17 name='gemm'",
          "task_model job=17 model='model'", "task_color job=17 rgb=16744448",
          "task_access job=17 handle=abc0 size_bytes=8 mode=1",
          "task_access job=17 handle=def0 size_bytes=16 mode=2"));
  EXPECT_THAT(
      EventsOf(tlt::Joint::kWholeSubmission,
               {17, 5, 3, 2, 1, tlt::TypeAndLine(0, false, 0), 0, 0, 0, 0, 0, 0xabc0, 1}),
      ElementsAre("task_count",
                  "task_submit job=17 submit_order=5 iteration=3 subiteration=2 priority=1 type=0",
                  "task_access job=17 handle=abc0 size_bytes=0 mode=1"));
}

TEST(JointRecords, DependenciesAreOneEventForEachPredecessor) {
  EXPECT_THAT(EventsOf(tlt::Joint::kDependencies, {17, 1, 3, 4, 5}),
              ElementsAre("task_dep pred=4 succ=17 type=1 label='gemm'",
                          "task_dep pred=5 succ=17 type=1 label='gemm'"));
}

TEST(JointRecords, AWholeBeginIsParametersDetailsAndStart) {
  EXPECT_THAT(EventsOf(tlt::Joint::kWholeBegin,
                       {17, 24, 0xabcd, tlt::WorkerNodeCtx(2, 1, 7), FromDouble(1.5), 3, 4}),
              ElementsAre("task_parameter job=17 description='gemm'",
                          "task_parameter job=17 description='model'",
                          "task_details job=17 size_bytes=24 footprint=abcd tag=0 flops=1.500000",
                          "task_start job=17 worker=2 node=1 ctx=7"));
}

TEST(JointRecords, ARecordHoldsAsManyAsItsKindMay) {
  for (const tlt::Joint joint : {tlt::Joint::kAccesses, tlt::Joint::kWholeSubmission,
                                 tlt::Joint::kDependencies, tlt::Joint::kWholeBegin}) {
    const EventDecl& decl = Decl(joint);
    std::vector<uint64_t> args(decl.max_args, 1);
    EXPECT_THAT(EventsOf(joint, args), ::testing::Not(::testing::IsEmpty())) << decl.name;
    args.push_back(1);
    RecordedBytes([&](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
      EXPECT_FALSE(writer.AppendRecord(buffer, tlt::RecordKind(joint), writer.Now(), args))
          << decl.name;
    });
  }
}

TEST(JointRecords, KindsAreThoseOfTheFormat) {
  EXPECT_EQ(tlt::RecordKind(tlt::Joint::kSubmission), 3u);
  EXPECT_EQ(tlt::RecordKind(tlt::Joint::kDone), 14u);
  EXPECT_EQ(tlt::RecordKind(tlt::Joint::kWholeSubmission), 15u);
  for (uint32_t kind = 0; kind < 1u << tlt::kKindBits; ++kind) {
    const tlt::Joint joint = tlt::JointOf(kind);
    if (joint == tlt::Joint::kCount) continue;
    EXPECT_EQ(tlt::RecordKind(joint), kind);
  }
}

TEST(JointRecords, ShortNumbersAreThoseThatFit) {
  EXPECT_TRUE(tlt::FitsShort(0xffffffff));
  EXPECT_FALSE(tlt::FitsShort(uint64_t{1} << 32));
  EXPECT_TRUE(tlt::FitsTypeAndLine(0xff, 0x7fffff));
  EXPECT_FALSE(tlt::FitsTypeAndLine(0x100, 0));
  EXPECT_FALSE(tlt::FitsTypeAndLine(0, 0x800000));
  EXPECT_TRUE(tlt::FitsWorkerNodeCtx(0xffff, 0xff, 0xff));
  EXPECT_FALSE(tlt::FitsWorkerNodeCtx(0x10000, 0, 0));
  EXPECT_FALSE(tlt::FitsWorkerNodeCtx(0, 0x100, 0));
  EXPECT_FALSE(tlt::FitsWorkerNodeCtx(0, 0, 0x100));
  EXPECT_FALSE(tlt::FitsWorkerAndState(0x80000000));
  EXPECT_THAT(EventsOf(tlt::Joint::kShortSubmission,
                       {1, 0, 0, tlt::TypeAndLine(0xff, false, 0x7fffff), 1, 0, 0, 0}),
              ElementsAre("task_count",
                          "task_submit job=1 submit_order=0 iteration=-1 subiteration=-1"
                          " priority=0 type=255",
                          "task_site job=1 line=8388607 file='a.c' function=''"));
}

TEST(JointRecords, AShortBeginIsThatOfAPlainOne) {
  EXPECT_THAT(
      EventsOf(tlt::Joint::kShortBegin, {17, 24, 0xabcd, tlt::WorkerNodeCtx(0xffff, 2, 7), 3}),
      ElementsAre("task_parameter job=17 description='gemm'",
                  "task_details job=17 size_bytes=24 footprint=abcd tag=0 flops=0.000000",
                  "task_start job=17 worker=65535 node=2 ctx=7"));
  EXPECT_THAT(EventsOf(tlt::Joint::kShortBegin, {17, 24, 0xabcd, tlt::WorkerNodeCtx(1, 0, 0), 0}),
              ElementsAre("task_details job=17 size_bytes=24 footprint=abcd tag=0 flops=0.000000",
                          "task_start job=17 worker=1 node=0 ctx=0"));
}

TEST(JointRecords, AnEndMayBeginTheNextState) {
  EXPECT_THAT(EventsOf(tlt::Joint::kShortEnd, {17, 24, 0xabcd, tlt::WorkerAndState(3, false), 4}),
              ElementsAre("task_end job=17 worker=3 size_bytes=24 footprint=abcd arch='model'"));
  EXPECT_THAT(EventsOf(tlt::Joint::kShortEnd, {17, 24, 0xabcd, tlt::WorkerAndState(3, true), 4}),
              ElementsAre("task_end job=17 worker=3 size_bytes=24 footprint=abcd arch='model'",
                          "state_set state=" +
                              std::to_string(static_cast<int>(StateKind::kPushingOutput))));
  EXPECT_THAT(
      EventsOf(tlt::Joint::kDone, {uint64_t{1} << 40}),
      ElementsAre("task_done job=1099511627776",
                  "state_set state=" + std::to_string(static_cast<int>(StateKind::kScheduling))));
}

TEST(JointRecords, AreFollowedAsWell) {
  const testing::TempFolder folder;
  tlt::Writer writer;
  tlt::ThreadBuffer buffer;
  ASSERT_TRUE(writer.Open({.path = folder.File("x.tlt")}).ok());
  const uint64_t args[] = {17, 1, 2};
  const uint64_t then = writer.Now() - 1;
  ASSERT_TRUE(writer.AppendRecord(buffer, tlt::RecordKind(tlt::Joint::kTaken), then, args));
  tlt::Follower follower(folder.File("x.tlt"));
  testing::EventLog log;
  do ASSERT_TRUE(follower.ReadNew(log).ok());
  while (log.entries().size() < 2);
  EXPECT_EQ(log.entries()[0].kind, EventKind::kTaskPop);
  EXPECT_EQ(log.entries()[1].kind, EventKind::kStateSet);
  EXPECT_EQ(log.entries()[0].time_ns, log.entries()[1].time_ns);
  writer.Leave(buffer);
  ASSERT_TRUE(writer.Close().ok());
}

TEST(JointRecords, OfUnknownTextsAreSkippedAndCounted) {
  const std::string bytes = RecordedBytes([](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
    const uint64_t args[] = {17, 99};
    ASSERT_TRUE(
        writer.AppendRecord(buffer, tlt::RecordKind(tlt::Joint::kParameters), writer.Now(), args));
  });
  const testing::ReadBack back = testing::ReadTlt(bytes);
  EXPECT_THAT(back.Recorded(), ElementsAre());
  EXPECT_EQ(back.diags.Count("tlt_bad_record"), 1u);
}

}  // namespace
}  // namespace tasklens
