// SPDX-License-Identifier: Apache-2.0
// The body of a Paje file: the streams of lines that are merged into it.
#pragma once

#include <cstdint>
#include <vector>

#include "converters/writers/line_streams.h"
#include "converters/writers/paje_containers.h"
#include "converters/writers/paje_header.h"
#include "converters/writers/text.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// The input and output of all streams.
struct PajeContext {
  const TraceModel& model;
  const PajeOptions& options;
  const PajeNames& names;
  const PajeContainers& containers;
  TextBuffer& out;

  // "ID<tab>TIME<tab>"; Paje has no negative times.
  void Begin(PajeId id, int64_t time_ns) const {
    const int number = static_cast<int>(id);
    if (number >= 10) out.Put(static_cast<char>('0' + number / 10));
    out.Put(static_cast<char>('0' + number % 10), '\t', Ms{time_ns < 0 ? 0 : time_ns}, "000\t");
  }
  void SetVariable(int64_t time_ns, std::string_view container, std::string_view type,
                   double value) const {
    Begin(PajeId::kSetVariable, time_ns);
    out.Put(container, '\t', type, '\t', Fixed{value, 6}, '\n');
  }
  void NewEvent(int64_t time_ns, std::string_view type, std::string_view container) const {
    Begin(PajeId::kNewEvent, time_ns);
    out.Put(type, '\t', container, '\t');  // the value follows
  }
};

// Handles by address and time: the same address may be registered again.
class HandleIndex {
 public:
  explicit HandleIndex(const HandleTable& handles);
  // Returns the row that is registered at `address` at `time_ns`, or kNone.
  uint32_t Find(uint32_t rank_index, uint64_t address, int64_t time_ns) const;

 private:
  const HandleTable& handles_;
  std::vector<uint32_t> rows_;  // by rank, address, time of registration
};

// Each function appends its streams to `streams`. At equal times an earlier stream writes first, so
// creations of containers come first and destructions last.
void AddStateStreams(const PajeContext& context, LineStreams& streams);
void AddTaskStreams(const PajeContext& context, LineStreams& streams);  // GFlop/s, contexts
void AddCounterStreams(const PajeContext& context, LineStreams& streams);
void AddPointStreams(const PajeContext& context, LineStreams& streams);
void AddLinkStreams(const PajeContext& context, const HandleIndex& handles, LineStreams& streams);

}  // namespace tasklens
