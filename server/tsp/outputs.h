// SPDX-License-Identifier: Apache-2.0
// The outputs of an experiment in the Trace Server Protocol. Each output is a constant in a file of
// its own and a row in outputs.cc.
//
// Times in the protocol are Unix times if the trace records the Unix time, else they count from its
// first event. Entries are numbered from 0, which is the root of each tree.
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
  uint32_t count = 0;  // number of samples; 0: not given
  void Visit(Fields& fields) {
    fields.Required("start", start);
    fields.Required("end", end);
    fields.Optional("nbTimes", count);
    fields.Optional("nbSamples", count);
  }
};

struct Parameters {
  TimeRange range;
  std::vector<int64_t> items, times;
  // The contents of a viewer's filter box; states that do not match get these tags.
  std::vector<std::string> dim, exclude;
  void Visit(Fields& fields) {
    fields.Optional("requested_timerange", range);
    fields.Optional("requested_items", items);
    fields.Optional("requested_times", times);
    fields.Optional("filter_query_parameters.filter_expressions_map.1", dim);
    fields.Optional("filter_query_parameters.filter_expressions_map.4", exclude);
  }
};

// A range of a trace, from its first event, in `count` equal intervals.
struct Samples : Span {
  uint32_t count = 0;
};

// A query for data of a trace.
struct Asked {
  const OpenTrace& trace;
  const Session& session;
  Stop stop;
  Parameters parameters;

  const TraceModel& model() const { return *trace.model; }
  // The time of the first event in the protocol.
  int64_t origin_ns() const { return std::max<int64_t>(trace.model->wall_clock_ns, 0); }
  // The requested range and number of samples. Returns kInvalidArgument for an invalid range, or if
  // `things` series of that length exceed what one answer may hold.
  Result<Samples> RequestedSamples(size_t things) const;
};

using Answer = Result<json> (*)(const Asked&);

struct OutputSpec {
  std::string_view id, name, description;
  std::string_view type;     // "TIME_GRAPH", "TREE_TIME_XY", "DATA_TREE"
  std::string_view segment;  // segment of the URL: "timeGraph", "XY", "data"
  struct Question {
    std::string_view name;  // "tree", "states", ...
    Answer answer;
  };
  std::span<const Question> questions;
};

std::span<const OutputSpec* const> Outputs();

// The answer to "style" of an output whose entries have no styles of their own.
inline Result<json> NoStyle(const Asked&) { return json{{"styles", json::object()}}; }
// "#1f8f6b".
std::string ColourText(uint32_t rgb);
// {"id", "parentId", "labels", "hasData"}
json Entry(int64_t id, int64_t parent, std::vector<std::string> labels, bool has_data);

}  // namespace tasklens::tsp
