// SPDX-License-Identifier: Apache-2.0
// EventLog: a sink that keeps every event as a line of text, so that a test of a reader says what
// it expects in words. It also checks what every reader promises: declared numbers of arguments,
// strings that were interned.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/events/event_sink.h"

namespace tasklens::testing {

class EventLog : public EventSink {
 public:
  struct Entry {
    int64_t time_ns;
    EventKind kind;
    uint32_t rank;
    uint64_t tid;
    std::vector<uint64_t> args;
    std::string text;  // "task_start job=1 worker=0 node=0 ctx=0"
  };

  StringId Intern(std::string_view text) override { return strings_.Intern(text); }
  void OnEvent(const Event& event) override;

  const std::vector<Entry>& entries() const { return entries_; }
  std::string_view Str(uint64_t id) const { return strings_.Get(static_cast<StringId>(id)); }
  // The texts of all events, or of those of one kind, without time and thread.
  std::vector<std::string> Lines() const;
  std::vector<std::string> Lines(EventKind kind) const;
  // What a reader may not do, one line each; empty when all is well.
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  StringPool strings_;
  std::vector<Entry> entries_;
  std::vector<std::string> violations_;
};

// Counts events and does nothing else.
class CountingSink : public EventSink {
 public:
  StringId Intern(std::string_view text) override { return strings_.Intern(text); }
  void OnEvent(const Event& event) override {
    ++events_;
    for (uint64_t arg : event.args) checksum_ += arg;
  }
  uint64_t events() const { return events_; }
  uint64_t checksum() const { return checksum_; }

 private:
  StringPool strings_;
  uint64_t events_ = 0;
  uint64_t checksum_ = 0;
};

}  // namespace tasklens::testing
