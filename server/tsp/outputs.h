// SPDX-License-Identifier: Apache-2.0
// The outputs of an experiment in the Trace Server Protocol: one constant a file, one row in
// outputs.cc.
//
// Times of the protocol are Unix time where the trace knows it, else from its first event; entries
// are numbered from 0, which is the root of each tree.
//
// Threads: pure functions of an open trace.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "analysis/task_times.h"
#include "server/protocol/fields.h"
#include "server/session/session.h"

namespace tasklens::tsp {

struct TimeRange {
  int64_t start = 0, end = 0;
  uint32_t count = 0;  // of samples, 0: not said
  void Visit(Fields& fields) {
    fields.Required("start", start);
    fields.Required("end", end);
    fields.Optional("nbTimes", count);
    fields.Optional("nbSamples", count);
  }
};

// What a viewer's filter box says; states that do not match get these tags.
struct Filter {
  std::vector<std::string> dim, exclude;
  void Visit(Fields& fields) {
    fields.Optional("1", dim);
    fields.Optional("4", exclude);
  }
};
struct FilterParameters {
  Filter expressions;
  void Visit(Fields& fields) { fields.Optional("filter_expressions_map", expressions); }
};

struct Parameters {
  TimeRange range;
  std::vector<int64_t> items, times;
  FilterParameters filter;
  void Visit(Fields& fields) {
    fields.Optional("requested_timerange", range);
    fields.Optional("requested_items", items);
    fields.Optional("requested_times", times);
    fields.Optional("filter_query_parameters", filter);
  }
};

// What a question is about.
struct Asked {
  const OpenTrace& trace;
  const Session& session;
  Stop stop;
  Parameters parameters;

  const TraceModel& model() const { return *trace.model; }
  // The protocol's time of the first event.
  int64_t origin_ns() const { return std::max<int64_t>(trace.model->wall_clock_ns, 0); }
  // The requested range within the trace, from its first event; the whole trace when none was.
  // kInvalidArgument for a range that is none.
  Result<Span> RequestedSpan() const;
  // The requested number of samples, `fallback` when it was not said; kInvalidArgument when
  // `things` of so many are more than one answer may hold.
  Result<uint32_t> RequestedCount(uint32_t fallback, size_t things) const;
};

using Answer = Result<json> (*)(const Asked&);

struct OutputSpec {
  std::string_view id, name, description;
  std::string_view type;     // "TIME_GRAPH", "TREE_TIME_XY", "DATA_TREE"
  std::string_view segment;  // of the address: "timeGraph", "XY", "data"
  struct Question {
    std::string_view name;  // "tree", "states", ...
    Answer answer;
  };
  std::span<const Question> questions;
};

std::span<const OutputSpec* const> Outputs();

// "#1f8f6b".
std::string ColourText(uint32_t rgb);
// {"id", "parentId", "labels", "hasData"}
json Entry(int64_t id, int64_t parent, std::vector<std::string> labels, bool has_data);

}  // namespace tasklens::tsp
