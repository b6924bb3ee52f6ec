// SPDX-License-Identifier: Apache-2.0
// The counters under the rows of a timeline, at any level of detail.
//
// A curve changes in steps: it is constant from one sample to the next, 0 before the first, and
// keeps the last value. Definitions:
//   submitted, ready  tasks submitted and not taken, tasks ready and not taken, as recorded
//   GFlop/s           of a running task: its flop over its duration; of a worker: the sum over the
//                     tasks that run on it (a parallel task counts on its first worker); of a rank:
//                     the sum over its workers. Tasks without flop count 0
//   memory in use     as recorded
//   bandwidth in, out of a copy under way: its bytes over its duration; of a memory node: the sum
//                     over the copies to it, from it
//   PAPI              of a running task: the counter's value over its duration, a second
// Negative flop, or no number, count as 0. Curves that are 0 everywhere are left out.
//
// Built once for a model, which must outlive it, and its rows; then const, any thread. Building
// takes O(samples log samples) time; data that the model lacks are kept packed.
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
// "papi", "of_file" (a counter of another tool, with the name in its file).
std::string_view CurveKindName(CurveKind kind);

struct Curve {
  CurveKind kind;
  uint32_t row;           // row of TimelineRows under which it is drawn
  int64_t papi_code = 0;  // kPapi
  std::string name;       // "ready tasks", "bandwidth in", "PAPI 0x80000000"
  std::string_view unit;  // "tasks", "GFlop/s", "bytes", "bytes/s", "events/s"
  double min = 0, max = 0;
};

// A part of a curve: one value if min == max, else pixels with changes.
struct CurveSlice {
  int64_t start_ns, end_ns;
  double min, max;
  double mean;  // over time
};

class TimelineCurves {
 public:
  TimelineCurves(const TraceModel& model, const TimelineRows& rows, Stop stop = nullptr);

  std::span<const Curve> curves() const { return curves_; }  // by row, then by kind

  // Returns the curve from `begin_ns` to `end_ns` drawn on `pixels` pixels, left to right, without
  // gaps; at most `pixels` slices, in O(32 pixels + samples / 32). REQUIRES: the curve exists,
  // begin_ns < end_ns, pixels > 0.
  std::vector<CurveSlice> Slices(size_t curve, int64_t begin_ns, int64_t end_ns,
                                 uint32_t pixels) const;

  // Returns the curve up to `end_ns` exactly, a slice for each value; and the number of its
  // changes.
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
    std::unique_ptr<CounterSeries> own;  // set if the model does not have the series
    std::vector<Block> blocks;
  };
  static constexpr size_t kBlock = 32;

  struct Part;   // a term of a sum, with its time
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
