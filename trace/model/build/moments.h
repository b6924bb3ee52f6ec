// SPDX-License-Identifier: Apache-2.0
// Things without duration: points, steals, messages between ranks, counters.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/events/event_pipe.h"
#include "trace/events/event_sink.h"
#include "trace/model/build/machine.h"
#include "trace/model/build/ranks.h"
#include "trace/model/build/repeated_runs.h"
#include "trace/model/build/routes.h"
#include "trace/model/trace_model.h"
#include "trace/support/diagnostics.h"

namespace tasklens::build {

class Moments {
 public:
  // Blocks of the model's columns go to `columns`, other blocks to `scratch`, which may be nullptr;
  // see PackedWords.
  Moments(TraceModel& model, Machine& machine, uint32_t parts, BlockStore* scratch,
          BlockStore* columns)
      : model_(model), machine_(machine), parts_(parts), scratch_(scratch), columns_(columns) {}

  // Whether Point() uses events of `kind`.
  bool Keeps(EventKind kind) const;
  // Keeps the event if PointPart() says so. Counts tasks by task_count, task_ready and task_pop. A
  // large number of points is kept by a thread of its own, which ends with Finish(). REQUIRES:
  // Keeps(event.kind).
  void Point(const RankData& rank, uint32_t thread, const Event& event);
  void Steal(const RankData& rank, const Event& event);
  // mpi_send, mpi_received, and the events that follow them: mpi_after_send, mpi_before_receive,
  // mpi_send_numa, mpi_receive_numa.
  void Message(const RankData& rank, const Event& event);
  struct MessageTimes {  // local, of both sides
    int64_t send_ns, left_ns, asked_ns, arrived_ns;
  };
  // whole_message; the threads and the target's rank (a row) may be kNone.
  void WholeMessage(const RankData& rank, uint32_t sender, uint32_t target, uint32_t receiver,
                    const MessageTimes& times, const Event& event);
  void MemoryUsed(RankData& rank, const Event& event);
  void CounterValue(const RankData& rank, uint32_t thread, const Event& event);

  // Replaces all string ids. No event may follow.
  void RenameStrings(const StringIds& new_id);
  // Creates the rows of the timeline that only a message or a counter needs.
  // REQUIRES: all events have arrived, Machine::FinishTracks() was not called.
  void PlaceRows();
  // `surplus`: events that were counted and must not count.
  void Finish(const std::vector<RankData>& ranks, const std::vector<RepeatedRuns::Surplus>& surplus,
              const Clocks& clocks, Diagnostics& diags);

 private:
  struct Side {  // of a message
    int64_t time_ns;
    uint32_t rank_index;
    int64_t peer;  // MPI rank
    int64_t tag;
    uint64_t size_bytes, job, handle;
    uint64_t other_job = 0;  // task that waited for the send, or that the receive waited for
    int64_t numa = -1;
    int32_t priority;
    MessageType type;
  };
  struct Whole {  // a message whose two sides the file tells at once
    MessageTimes times;
    uint32_t source, target;    // rows of ranks
    uint32_t sender, receiver;  // threads; lanes from PlaceRows() on
    int64_t tag;
    uint64_t size_bytes;
  };
  // A counter of a thread.
  struct Curve {
    uint32_t rank_index, thread;  // thread: a lane from PlaceRows() on
    StringId name;
    Column<int64_t> time_ns;
    Column<double> value;
  };
  struct MessageNuma {
    bool is_send;
    uint32_t rank_index;
    int64_t peer;
    uint64_t job;
    int64_t nodes;
  };
  // Changes of a rank's counters before they are summed up: twice the time, plus 1 for a decrease.
  struct TaskChanges {
    Column<int64_t> submitted, ready;
  };
  struct MemorySample {
    int64_t time_ns;
    uint32_t node;  // index in Machine
    uint64_t used_bytes;
  };
  // Keeps the points that Point() selected, as events whose rank is a row and whose thread is a
  // lane. No other code may use points or changes before the last event has arrived.
  class Keeper : public EventSink {
   public:
    explicit Keeper(Moments& moments) : moments_(moments) {}
    StringId Intern(std::string_view) override { return 0; }  // never called
    void OnEvent(const Event& event) override;

   private:
    Moments& moments_;
  };

  static void SetOtherJob(std::vector<Side>& sides, const RankData& rank, int64_t peer,
                          std::span<const uint64_t> args);
  void KeepPoint(const Event& event);
  void CountTask(const Event& event);
  TaskChanges& ChangesOf(uint32_t rank_index);
  CounterSeries& AddSeries(CounterKind kind, uint32_t rank_index, uint32_t track);
  void FinishPoints(const Clocks& clocks);
  void FinishSteals(const Clocks& clocks);
  void FinishMessages(const std::vector<RankData>& ranks, const Clocks& clocks, Diagnostics& diags);
  void FinishMessageNuma();
  void AddMessage(const Side* send, const Side* receive,
                  const std::map<int64_t, uint32_t>& index_of_rank, const Clocks& clocks);
  void AddWhole(const Whole& message, const Clocks& clocks);
  void ReportHalves(const std::vector<RankData>& ranks,
                    const std::map<int64_t, uint32_t>& index_of_rank, Diagnostics& diags) const;
  void ReportBackward(const std::vector<RankData>& ranks, Diagnostics& diags) const;
  void SortMessages();
  void CountSubmissions(const std::vector<RankData>& ranks);
  void FinishTaskCounters(const std::vector<RankData>& ranks,
                          const std::vector<RepeatedRuns::Surplus>& surplus, const Clocks& clocks);
  void FinishMemory(const Clocks& clocks);
  void FinishCurves(const Clocks& clocks);

  TraceModel& model_;
  Machine& machine_;
  const uint32_t parts_;
  BlockStore* const scratch_;
  BlockStore* const columns_;
  uint64_t lost_points_ = 0;
  std::vector<Side> sends_, receives_;
  std::vector<MessageNuma> message_numas_;
  std::vector<TaskChanges> changes_;  // by rank index
  std::vector<MemorySample> memory_;
  std::vector<Whole> wholes_;
  std::deque<Curve> curves_;
  std::unordered_map<uint64_t, uint32_t> curve_of_;  // by thread << 32 | name
  uint64_t last_curve_key_ = ~uint64_t{0};           // mostly the next key as well
  Curve* last_curve_ = nullptr;
  Keeper keeper_{*this};
  uint64_t kept_ = 0;              // up to kFewPoints, without the pipe
  std::optional<EventPipe> pipe_;  // to keeper_, for more points. Last: it uses the others
};

}  // namespace tasklens::build
