// SPDX-License-Identifier: Apache-2.0
// Events as text for people: one line each, from the English of events.inc.
//
//   0.000123456 0/4711 task_start: worker 2 starts task 17 (node=0 ctx=0)
//
// Seconds since the first event of the stream, rank/thread, name, sentence, and in brackets the
// arguments that the sentence leaves out. Control characters of strings are escaped, so that an
// event is always one line.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "trace/events/event_sink.h"
#include "trace/support/string_pool.h"

namespace tasklens {

// Appends the sentence of one event and its other arguments in brackets, as above; no newline.
// REQUIRES: kind < kCount.
void AppendSentence(std::string& line, EventKind kind, std::span<const uint64_t> args,
                    const StringPool& strings);

class TextDump : public EventSink {
 public:
  // `write` is called with one line at a time, its newline included.
  explicit TextDump(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  StringId Intern(std::string_view text) override { return strings_.Intern(text); }
  void OnEvent(const Event& event) override;

 private:
  std::function<void(std::string_view)> write_;
  StringPool strings_;
  std::string line_;
  bool has_first_ = false;
  int64_t first_ns_ = 0;
};

// Returns the reference page of all events, events.md. A test compares the page with the table.
std::string EventReferencePage();

}  // namespace tasklens
