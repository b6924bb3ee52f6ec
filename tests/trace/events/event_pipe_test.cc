// SPDX-License-Identifier: Apache-2.0
// The pipe between two threads: everything arrives, once, in order. Run it also with
// --config=tsan.
#include "trace/events/event_pipe.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/support/string_pool.h"

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

}  // namespace
}  // namespace tasklens
