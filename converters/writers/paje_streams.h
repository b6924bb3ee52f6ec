// SPDX-License-Identifier: Apache-2.0
// The body of a Paje file as a merge of streams, each sorted by time already: no sort of the whole.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "converters/writers/paje_containers.h"
#include "converters/writers/paje_header.h"
#include "converters/writers/text.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Lines of one subject in time order.
class PajeStream {
 public:
  static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  virtual ~PajeStream() = default;
  // The time of the next line, never less than that of the line before; kEnd: there is none.
  int64_t next_ns() const { return next_ns_; }
  // Writes the next line, or a few of the same time. REQUIRES: next_ns() != kEnd.
  virtual void Emit() = 0;

 protected:
  int64_t next_ns_ = kEnd;
};

// What all streams read and where they write.
struct PajeContext {
  const TraceModel& model;
  const PajeOptions& options;
  const PajeNames& names;
  const PajeContainers& containers;
  TextBuffer& out;

  // "ID<tab>TIME<tab>"; Paje has no negative times.
  void Begin(PajeId id, int64_t time_ns) const {
    out.PutInteger(static_cast<int>(id));
    out.Put('\t');
    out.PutMs(time_ns < 0 ? 0 : time_ns);
    out.Put("000\t");
  }
  void SetVariable(int64_t time_ns, std::string_view container, std::string_view type,
                   double value) const {
    Begin(PajeId::kSetVariable, time_ns);
    out.Put(container);
    out.Put('\t');
    out.Put(type);
    out.Put('\t');
    out.PutFixed(value, 6);
    out.Put('\n');
  }
  void NewEvent(int64_t time_ns, std::string_view type, std::string_view container) const {
    Begin(PajeId::kNewEvent, time_ns);
    out.Put(type);
    out.Put('\t');
    out.Put(container);
    out.Put('\t');  // the value follows
  }
};

// Handles by address and time: the same address may be registered again.
class HandleIndex {
 public:
  explicit HandleIndex(const HandleTable& handles);
  // The row registered at `address` when `time_ns` is, or kNone.
  uint32_t Find(uint32_t rank_index, uint64_t address, int64_t time_ns) const;

 private:
  const HandleTable& handles_;
  std::vector<uint32_t> rows_;  // by rank, address, time of registration
};

using PajeStreams = std::vector<std::unique_ptr<PajeStream>>;

// Each appends its streams to `streams`. At equal times a stream that was added earlier writes
// first, so creations of containers come first and destructions last.
void AddStateStreams(const PajeContext& context, PajeStreams& streams);
void AddTaskStreams(const PajeContext& context, PajeStreams& streams);  // GFlop/s, contexts
void AddCounterStreams(const PajeContext& context, PajeStreams& streams);
void AddPointStreams(const PajeContext& context, PajeStreams& streams);
void AddLinkStreams(const PajeContext& context, const HandleIndex& handles, PajeStreams& streams);

}  // namespace tasklens
