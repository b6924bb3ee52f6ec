// SPDX-License-Identifier: Apache-2.0
// The table of what StarPU's events hold tells the truth: each parameter that it does not call left
// out changes what the reader says, and no other does; no trace has what the table has not.
#include "converters/readers/fxt_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "converters/formats.h"
#include "converters/readers/fxt_events.h"
#include "tests/testing/event_log.h"
#include "tests/testing/fxt_writer.h"
#include "tests/testing/starpu_traces.h"

namespace tasklens {
namespace {

using testing::EventLog;
using testing::FxtEvent;
using ::testing::IsEmpty;
using testing::WriteFxt;

const ReaderSpec& Fxt() {
  for (const ReaderSpec* reader : Readers())
    if (reader->name == "fxt") return *reader;
  std::abort();
}

// The forms, one for each code.
std::vector<FxtForm> Forms() {
  std::vector<FxtForm> forms;
  for (const FxtForm& form : FxtForms())
    for (uint32_t code = form.code; code <= form.last; ++code) {
      forms.push_back(form);
      forms.back().code = static_cast<uint16_t>(code);
    }
  return forms;
}

struct Parameter {
  std::string name;
  bool is_text, is_left_out, is_repeated;
};

std::vector<Parameter> ParametersOf(const FxtForm& form) {
  std::vector<Parameter> parameters;
  std::istringstream words{std::string(form.parameters)};
  for (std::string word; words >> word;) {
    Parameter parameter{word, false, false, false};
    if (word.front() == '*') parameter.is_text = true, word.erase(0, 1);
    if (word.front() == '-') parameter.is_left_out = true, word.erase(0, 1);
    if (word.ends_with("...")) parameter.is_repeated = true, word.resize(word.size() - 3);
    parameter.name = word;
    parameters.push_back(parameter);
  }
  return parameters;
}

// A value with which an event means something.
uint64_t ValueOf(const std::string& name, size_t index) {
  if (name == "kind") return 0x101;
  if (name == "worker" || name == "no_codelet" || name == "sync") return 0;
  if (name == "has_name") return 0;
  if (name == "has_label" || name == "is_recursive" || name == "hidden") return 1;
  if (name == "tid") return 88;
  if (name == "type") return 0x100;
  if (name == "mask") return 0x7f;
  if (name == "address") return 0x7f0012a0b0c0;
  if (name == "count") return 1;
  return index + 3;
}

// What the reader says of `event` once two workers run tasks and a device's thread is there.
std::vector<std::string> Say(const FxtForm& form, FxtDialect dialect, FxtEvent event) {
  const auto e = [](uint64_t code, std::vector<uint64_t> params) {
    return FxtEvent{100, code, std::move(params), false, ""};
  };
  std::vector<FxtEvent> events = {e(0x5100, {0x102, 7, 0, 1, 3, 0, 88})};
  for (const uint64_t worker : {0, 1})
    events.push_back(e(0x5100, {0x101, worker, worker, 0, 3, 1, 70 + worker}));
  const auto starts = [&](uint64_t job, uint64_t worker) {
    if (dialect == FxtDialect::k13) return e(0x5102, {job, 0, worker, 0, 0});
    if (dialect == FxtDialect::k14) return e(0x5102, {job, 0, worker, 0});
    return e(0x5102, {job, 0, worker, 0, 70 + worker, 0});
  };
  events.push_back(starts(41, 0));
  events.push_back(starts(42, 1));
  if (form.code == 0x5178) events.push_back(e(0x5179, {88}));
  event.time_ns = 200;
  events.push_back(std::move(event));
  EventLog log;
  Diagnostics diags;
  EXPECT_TRUE(Fxt().read(*MemorySource("x.fxt", WriteFxt(events)), {}, log, diags).ok());
  EXPECT_EQ(diags.Count("fxt_other_parameters"), 0u) << form.code << ' ' << form.parameters;
  std::vector<std::string> lines;
  for (const EventLog::Entry& entry : log.entries())
    if (entry.time_ns == 200 && entry.kind != EventKind::kSourceEventCount)
      lines.push_back(std::to_string(entry.tid) + ' ' + std::to_string(entry.rank) + ' ' +
                      entry.text);
  return lines;
}

TEST(FxtParameters, AreReadOrLeftOutAsTheTableSays) {
  for (const FxtForm& form : Forms()) {
    const std::vector<Parameter> parameters = ParametersOf(form);
    FxtEvent event{200, form.code, {}, false, ""};
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].is_text)
        event.has_text = true, event.text = "text";
      else
        event.params.push_back(ValueOf(parameters[i].name, i));
      // The string of a form with a name is there.
      if (parameters[i].is_text && i > 0 && parameters[i - 1].name == "has_name")
        event.params.back() = 1;
    }
    for (const FxtDialect dialect : {FxtDialect::k13, FxtDialect::k14, FxtDialect::kMaster}) {
      if (!form.IsIn(dialect)) continue;
      const std::vector<std::string> before = Say(form, dialect, event);
      for (size_t i = 0; i < parameters.size(); ++i) {
        bool changes = false;
        for (const uint64_t step : {1, 2, 3}) {
          FxtEvent other = event;
          if (parameters[i].is_text)
            other.text = "other text " + std::to_string(step);
          else
            other.params[i] ^= step;
          changes |= Say(form, dialect, other) != before;
        }
        EXPECT_EQ(changes, !parameters[i].is_left_out)
            << std::hex << form.code << " of " << form.versions << ": " << parameters[i].name;
      }
    }
  }
}

TEST(FxtParameters, ThatAreLeftOutHaveAReason) {
  for (const FxtForm& form : Forms()) {
    bool any = false;
    for (const Parameter& parameter : ParametersOf(form)) any |= parameter.is_left_out;
    EXPECT_EQ(any, !form.why.empty()) << std::hex << form.code << ' ' << form.parameters;
  }
}

TEST(FxtParameters, AreThereForEveryCodeThatHasAHandlerAndForNoOther) {
  std::set<uint16_t> forms, rows;
  for (const FxtForm& form : Forms()) forms.insert(form.code);
  for (const FxtRow& row : FxtRows()) rows.insert(row.code);
  EXPECT_EQ(forms, rows);
}

TEST(FxtParameters, OfAnotherNumberAreCounted) {
  for (const FxtForm& form : Forms()) {
    for (const FxtDialect dialect : {FxtDialect::k13, FxtDialect::k14, FxtDialect::kMaster}) {
      const FxtCounts counts = FxtCountsOf(form.code)[static_cast<size_t>(dialect)];
      if (!form.IsIn(dialect) || counts.from != 0xff) continue;
      for (uint32_t params = counts.numbers; params < 12; ++params) {
        if (counts.Allows(params)) continue;
        const FxtEvent start =
            dialect == FxtDialect::k13   ? FxtEvent{1, 0x5102, {5, 0, 0, 0, 0}, false, ""}
            : dialect == FxtDialect::k14 ? FxtEvent{1, 0x5102, {5, 0, 0, 0}, false, ""}
                                         : FxtEvent{1, 0x5102, {5, 0, 0, 0, 77, 0}, false, ""};
        EventLog log;
        Diagnostics diags;
        const FxtEvent event{200, form.code, std::vector<uint64_t>(params, 1), false, ""};
        EXPECT_TRUE(
            Fxt().read(*MemorySource("x.fxt", WriteFxt({start, event})), {}, log, diags).ok());
        EXPECT_EQ(diags.Count("fxt_other_parameters"), 1u)
            << std::hex << form.code << " with " << params << diags.Summary();
      }
    }
  }
}

// A count that the table does not have is a version of StarPU that it does not know.
TEST(FxtParameters, OfEveryRealTraceAreInTheTable) {
  std::vector<std::string> files;
  for (const std::string& trace : testing::StarpuTraces())
    for (const std::string& file : testing::StarpuTraceFiles(trace)) files.push_back(file);
  for (const std::string& trace : testing::StarpuMasterTraces())
    for (const std::string& file : testing::StarpuTraceFiles(trace)) files.push_back(file);
  ASSERT_GT(files.size(), 15u);
  for (const std::string& file : files) {
    EventLog log;
    Diagnostics diags;
    ASSERT_TRUE(Fxt().read(*MemorySource(file, testing::ReadFile(file)), {}, log, diags).ok());
    EXPECT_EQ(diags.Count("fxt_other_parameters"), 0u) << diags.Summary();
    EXPECT_EQ(diags.Count("fxt_unknown_event"), 0u) << diags.Summary();
    EXPECT_EQ(diags.Count("fxt_short_event"), 0u) << diags.Summary();
  }
}

}  // namespace
}  // namespace tasklens
