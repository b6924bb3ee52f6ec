// SPDX-License-Identifier: Apache-2.0
// State of the reader of FxT files that the handlers of fxt_events.cc need to translate a record of
// StarPU into our events.
//
// Threads: one. Memory: bounded by the number of workers and distinct strings, not of events.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "converters/readers/fxt_events.h"
#include "trace/events/event_sink.h"
#include "trace/support/diagnostics.h"

namespace tasklens {

class FxtDecoder {
 public:
  // Worker ids above this are taken for damage, so that no id sizes an allocation.
  static constexpr uint64_t kMaxWorkers = 1 << 16;
  struct Worker {
    uint64_t tid = 0;
    uint64_t job = 0;          // the job that it runs now, 0 none
    uint64_t interrupted = 0;  // its job before a bubble that the file reports on it
  };

  // All must outlive this.
  FxtDecoder(FxtDialect dialect, uint32_t rank, std::string_view path, EventSink& sink,
             Diagnostics& diags);

  // Whether Decode() would only count such a record; if so, counts it.
  bool Skips(uint64_t code, uint32_t params) {
    const uint8_t index = code < kCodes ? kind_of_code_[code] : kUnknown;
    if (index == kUnknown) return false;
    Kind& kind = kinds_[index];
    if (kind.handler != nullptr || !kind.counts.Allows(params)) return false;
    ++kind.count;
    return true;
  }
  // Whether StarPU writes such records.
  bool Knows(uint64_t code, uint32_t params) const {
    const uint8_t index = code < kCodes ? kind_of_code_[code] : kUnknown;
    return index != kUnknown && kinds_[index].counts.Allows(params);
  }
  // Turns one record into any number of events.
  void Decode(const FxtRecord& record, size_t offset);
  // Delivers the number of records of each code. `time_ns`: of the last event.
  void Finish(int64_t time_ns);

  // --- for the handlers ---
  FxtDialect dialect() const { return dialect_; }

  // Whether the sink wants events of this kind; Emit() drops the others.
  bool Wants(EventKind kind) const { return wants_[static_cast<size_t>(kind)]; }
  // Sends an event of the record that is being decoded.
  template <class... Args>
  void Emit(EventKind kind, uint64_t tid, Args... args) {
    if (!Wants(kind)) return;
    const std::array<uint64_t, sizeof...(Args)> values{static_cast<uint64_t>(args)...};
    sink_.OnEvent(Event{time_ns_, kind, rank_, tid, values});
  }
  void EmitSpan(EventKind kind, uint64_t tid, std::span<const uint64_t> args) {
    if (!Wants(kind)) return;
    sink_.OnEvent(Event{time_ns_, kind, rank_, tid, args});
  }
  void EmitState(EventKind kind, uint64_t tid, StateKind state) {
    Emit(kind, tid, static_cast<uint64_t>(state));
  }

  // The string of this record, if its row and the dialect have one; else "".
  StringId Text(const FxtRecord& record);
  size_t TextAt() const { return text_at_; }

  // Returns nullptr for an impossible id (and counts it); creates a worker at its first mention.
  Worker* FindWorker(uint64_t id);
  uint64_t TidOfWorker(uint64_t id) {
    return id < workers_.size() ? workers_[id].tid : header_tid_;
  }
  uint64_t header_tid() const { return header_tid_; }
  // Adds a worker on thread `tid`; returns its name, as StarPU gives it.
  StringId AddWorker(uint64_t id, WorkerArch arch, int32_t device, uint64_t tid, bool sync);
  // Whether `tid` drives a device, so that its own states differ from those of its workers.
  bool IsDeviceThread(uint64_t tid) const {
    if (!has_devices_) return false;
    const auto it = worker_tids_.find(tid);
    return it != worker_tids_.end() && it->second == ThreadKind::kDevice;
  }
  // Whether `tid` runs workers, so that it always has a state.
  bool IsWorkerThread(uint64_t tid) {
    if (tid == last_worker_tid_) return true;
    if (!worker_tids_.contains(tid)) return false;
    last_worker_tid_ = tid;
    return true;
  }
  // The number of own states that a thread without workers has entered and not left, by thread.
  std::unordered_map<uint64_t, uint32_t>& entered() { return entered_; }
  void SetMpiThread(uint64_t tid) { mpi_tid_ = tid, has_mpi_thread_ = true; }
  // The recorder writes its full buffer to the file, and the program waits.
  void BeginFlush() { flush_start_ns_ = time_ns_; }
  void EndFlush() {
    ++flushes_;
    if (flush_start_ns_ <= time_ns_) flushed_ns_ += time_ns_ - flush_start_ns_;
    flush_start_ns_ = time_ns_;
  }
  // Jobs that create tasks instead of running (bubbles).
  std::unordered_set<uint64_t>& bubbles() { return bubbles_; }
  // Counts a tag whose number is unknown.
  void MeetUnknownTag() { ++unknown_tags_; }
  bool IsMpiThread(uint64_t tid) const { return has_mpi_thread_ && tid == mpi_tid_; }
  // Counts a fault of this record.
  void Skip(std::string_view kind);

 private:
  struct CachedString {
    std::string bytes;  // with the rest of its record
    StringId id = 0;
  };
  static constexpr size_t kCacheSize = 4096;
  static constexpr size_t kMaxUnknownCodes = 1024;

  // The data of a FxtRow that each record needs, in this dialect.
  struct Kind {
    FxtRow::Function handler;  // nullptr: the sink wants none of its events
    uint64_t count = 0;        // of such records so far
    uint16_t code;
    uint8_t least;    // the fewest parameters in any version
    uint8_t text_at;  // the first parameter of its string
    FxtCounts counts;
  };
  static constexpr size_t kCodes = size_t{1} << 16;
  static constexpr uint8_t kUnknown = 0xff;

  void CountUnknown(uint64_t code);

  const FxtDialect dialect_;
  const uint32_t rank_;
  const std::string path_;
  EventSink& sink_;
  std::array<bool, kEventKinds> wants_;
  Diagnostics& diags_;

  // The current record.
  int64_t time_ns_ = 0;
  uint64_t header_tid_ = 0;
  size_t offset_ = 0;
  size_t text_at_ = 0;

  std::vector<Worker> workers_;                         // by id
  std::unordered_map<int32_t, uint32_t> cuda_streams_;  // workers so far, by device
  enum class ThreadKind : uint8_t { kSync, kDevice };
  std::unordered_map<uint64_t, ThreadKind> worker_tids_;
  uint64_t last_worker_tid_ = 0;  // result of the last look-up; no thread is 0
  bool has_devices_ = false;
  std::unordered_map<uint64_t, uint32_t> entered_;
  std::unordered_set<uint64_t> bubbles_;
  bool has_mpi_thread_ = false;
  uint64_t mpi_tid_ = 0;
  int64_t flush_start_ns_ = INT64_MAX, flushed_ns_ = 0;
  uint64_t flushes_ = 0, unknown_tags_ = 0;
  std::unique_ptr<CachedString[]> cache_;
  std::vector<Kind> kinds_;                                // by row of FxtRows()
  std::vector<uint8_t> kind_of_code_;                      // rows of kinds_, or kUnknown
  std::unordered_map<uint64_t, uint64_t> unknown_counts_;  // by code
};

}  // namespace tasklens
