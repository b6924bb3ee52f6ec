// SPDX-License-Identifier: Apache-2.0
// The counters under the rows of a timeline, at any level of detail.
//
// A curve changes in steps: between two samples it keeps the earlier value, before the first it is
// 0, after the last it stays. Definitions:
//   submitted, ready  tasks submitted and not taken, tasks ready and not taken, as recorded
//   GFlop/s           of a running task: its flop over its duration; of a worker: the sum over the
//                     tasks that run on it (a parallel task counts on its first worker); of a rank:
//                     the sum over its workers. Tasks without flop count 0
//   memory in use     as recorded
//   bandwidth in, out of a copy under way: its bytes over its duration; of a memory node: the sum
//                     over the copies to it, from it
//   PAPI              of a running task: the counter's value over its duration, a second
// Flop that are negative or no number are taken for 0. Curves that are 0 throughout are left out.
//
// Built once for a model, which must outlive it, and its rows; then const, any thread. Building
// takes O(samples log samples) time, and keeps what the model does not have itself packed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "analysis/timeline_rows.h"
#include "trace/model/trace_model.h"

namespace tasklens {

enum class CurveKind : uint8_t {
  kSubmittedTasks,
  kReadyTasks,
  kGFlops,
  kMemoryUsed,
  kBandwidthIn,
  kBandwidthOut,
  kPapi,
  kOfFile,
};
// "submitted_tasks", "ready_tasks", "gflops", "memory_used", "bandwidth_in", "bandwidth_out",
// "papi", "of_file": a counter of another tool's, with the name that its file gives.
std::string_view CurveKindName(CurveKind kind);

struct Curve {
  CurveKind kind;
  uint32_t row;           // of TimelineRows, under which it is drawn
  int64_t papi_code = 0;  // kPapi
  std::string name;       // for people: "ready tasks", "bandwidth in", "PAPI 0x80000000"
  std::string_view unit;  // "tasks", "GFlop/s", "bytes", "bytes/s", "events/s"
  double min = 0, max = 0;
};

// A stretch of a curve: one value where min == max, else pixels that a change lies in.
struct CurveSlice {
  int64_t start_ns, end_ns;
  double min, max;
  double mean;  // over time
};

class TimelineCurves {
 public:
  TimelineCurves(const TraceModel& model, const TimelineRows& rows, Stop stop = nullptr);

  std::span<const Curve> curves() const { return curves_; }  // by row, then by kind

  // The curve from `begin_ns` to `end_ns` drawn on `pixels` pixels, left to right, without gaps;
  // at most `pixels` slices, in O(32 pixels + samples / 32).
  // REQUIRES: the curve exists, begin_ns < end_ns, pixels > 0.
  std::vector<CurveSlice> Slices(size_t curve, int64_t begin_ns, int64_t end_ns,
                                 uint32_t pixels) const;

  // Every change of the curve up to `end_ns`, a slice for each value; and how many changes it has.
  std::vector<CurveSlice> AllSlices(size_t curve, int64_t end_ns) const;
  size_t ChangeCount(size_t curve) const { return samples_[curve].series->time_ns.size(); }

  double ValueAt(size_t curve, int64_t time_ns) const;

 private:
  struct Block {  // of kBlock samples
    double min, max;
    double integral;  // value times ns, up to the first sample of the next block
  };
  struct Samples {
    const CounterSeries* series;         // of the model, or `own`
    std::unique_ptr<CounterSeries> own;  // where the model has none
    std::vector<Block> blocks;
  };
  static constexpr size_t kBlock = 32;

  struct Part;   // of a sum: a value that holds for a while
  class Totals;  // min, max and integral over some samples

  void Add(Curve curve, Samples samples);
  void AddSum(Curve curve, std::vector<Part> parts);
  void AddRecorded(const TraceModel& model, const TimelineRows& rows);
  void AddFlops(const TraceModel& model, const TimelineRows& rows);
  void AddBandwidths(const TraceModel& model, const TimelineRows& rows);
  void AddPapi(const TraceModel& model, const TimelineRows& rows);
  Totals Over(const Samples& samples, size_t first, size_t last, int64_t begin_ns,
              int64_t end_ns) const;

  const Stop stop_;
  std::vector<Curve> curves_;
  std::vector<Samples> samples_;  // of each curve
};

}  // namespace tasklens
