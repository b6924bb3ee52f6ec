// SPDX-License-Identifier: Apache-2.0
// The pipe between reader and model: everything arrives, once, in order. Run it also with
// --config=tsan.
#include "trace/events/event_pipe.h"

#include <gtest/gtest.h>

#include "tests/testing/model_check.h"
#include "trace/model/model_builder.h"

namespace tasklens {
namespace {

// Remembers all it is given as one text.
class Log : public EventSink {
 public:
  StringId Intern(std::string_view text) override { return strings_.Intern(text); }
  void OnEvent(const Event& event) override {
    std::string line = std::to_string(event.time_ns) + " " + std::string(Decl(event.kind).name) +
                       " " + std::to_string(event.rank) + "." + std::to_string(event.tid);
    for (uint64_t arg : event.args) line += " " + std::to_string(arg);
    lines.push_back(std::move(line));
  }
  std::vector<std::string> lines;

 private:
  StringPool strings_;
};

void Send(EventSink& sink, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t args[] = {i, sink.Intern("name " + std::to_string(i % 100)), i * i};
    const EventKind kind = i % 3 == 0 ? EventKind::kTaskName : EventKind::kUserEvent;
    const size_t arg_count = i % 3 == 0 ? 2 : i % 3;
    sink.OnEvent({static_cast<int64_t>(i) - 5, kind, i % 2 == 0 ? 0 : 0xffffffff,
                  i % 7 * 0x0123456789abcdef, std::span(args).first(arg_count)});
  }
}

TEST(EventPipe, DeliversEveryEventOnceInOrder) {
  for (uint64_t count : {0, 1, 4095, 4096, 4097, 100'000}) {
    Log expected, log;
    Send(expected, count);
    EventPipe pipe(log);
    Send(pipe, count);
    pipe.Close();
    EXPECT_TRUE(log.lines == expected.lines) << count;
  }
}

TEST(EventPipe, ClosesWhenItEnds) {
  Log log;
  {
    EventPipe pipe(log);
    Send(pipe, 10);
  }
  EXPECT_EQ(log.lines.size(), 10u);
}

// Wants no user_event.
class FewWishes : public Log {
 public:
  bool Wants(EventKind kind) const override { return kind != EventKind::kUserEvent; }
  void OnUnwanted(const UnwantedEvents& events) override { unwanted.push_back(events); }
  std::vector<UnwantedEvents> unwanted;
};

TEST(EventPipe, CountsWhatIsNotWanted) {
  constexpr uint64_t kArgs[] = {1, 2};
  FewWishes log;
  EventPipe pipe(log);
  const auto send = [&](int64_t time_ns, EventKind kind, uint32_t rank, uint64_t tid) {
    pipe.OnEvent({time_ns, kind, rank, tid, kArgs});
  };
  send(1, EventKind::kUserEvent, 3, 0);  // nobody has heard of this rank
  send(5, EventKind::kUserEvent, 3, 0);
  send(7, EventKind::kTaskName, 3, 0);
  send(9, EventKind::kUserEvent, 3, 0);
  send(2, EventKind::kUserEvent, 3, 0);
  send(6, EventKind::kUserEvent, 3, 8);  // a thread is made known
  send(kMaxTime, EventKind::kUserEvent, 3, 0);
  pipe.Close();
  EXPECT_EQ(log.lines, (std::vector<std::string>{
                           "1 user_event 3.0 1 2", "7 task_name 3.0 1 2", "6 user_event 3.8 1 2",
                           std::to_string(kMaxTime) + " user_event 3.0 1 2"}));
  ASSERT_EQ(log.unwanted.size(), 1u);
  EXPECT_EQ(log.unwanted[0].rank, 3u);
  EXPECT_EQ(log.unwanted[0].count, 3u);
  EXPECT_EQ(log.unwanted[0].first_ns, 2);
  EXPECT_EQ(log.unwanted[0].last_ns, 9);
}

TEST(EventPipe, InternsWhileTheModelIsBuilt) {
  Diagnostics diags;
  ModelBuilder builder(diags);
  {
    EventPipe pipe(builder);
    Send(pipe, 100'000);
  }
  const auto model = std::move(builder).Finish();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(testing::BrokenPromise(*model), "");
  EXPECT_EQ(model->event_count, 100'000u);
  EXPECT_EQ(model->TaskNameOf(model->FindTask(1, 3)), "name 3");
}

}  // namespace
}  // namespace tasklens
