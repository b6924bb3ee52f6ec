// SPDX-License-Identifier: Apache-2.0
// The containers of a Paje file: the hierarchy of rows that a viewer shows, and their life times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/writers/paje_header.h"
#include "converters/writers/text.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct PajeContainer {
  std::string alias;
  std::string_view type;  // its alias
  uint32_t parent;        // kNone: the root
  std::string name;
  int64_t create_ns = 0;
  int64_t destroy_ns = kNever;  // kNever: lasts to the end of the file
};

// StarPU's hierarchy: MPIroot > p > (sched, mn > (mm, t > w), user threads, mpict), with the rank
// as a prefix if there are several. Everything that a table of the model mentions has a container,
// which lives from its first use to its last.
class PajeContainers {
 public:
  PajeContainers(const TraceModel& model, const PajeOptions& options);

  const std::vector<PajeContainer>& all() const { return all_; }
  const std::string& alias(uint32_t container) const { return all_[container].alias; }
  const std::string& prefix(uint32_t rank_index) const { return prefixes_[rank_index]; }
  // The container of a row of this table; never kNone.
  uint32_t OfTrack(uint32_t track) const { return of_track_[track]; }
  uint32_t OfWorker(uint32_t worker) const { return of_worker_[worker]; }
  uint32_t Program(uint32_t rank_index) const { return program_[rank_index]; }
  uint32_t Scheduler(uint32_t rank_index) const { return scheduler_[rank_index]; }
  // The containers of the two ends of a message: the rows if the model knows both, else the
  // communication containers of the ranks. REQUIRES: row of messages whose two ranks are known.
  struct MessageEnds {
    uint32_t source, target;
    bool are_rows;
  };
  MessageEnds EndsOf(uint32_t message) const;
  // The pairs of container types, from and to, with messages between them.
  PajeNames::TypePairs TypesOfMessages() const;
  // The types of containers with curves of another tool's file, and the names of the curves.
  PajeNames::Curves TypesOfCurves() const;
  // kNone if the model does not mention it.
  uint32_t OfMemory(uint32_t rank_index, uint64_t node) const;  // the memory manager
  uint32_t OfWorkerId(uint32_t rank_index, uint64_t id) const;
  const std::vector<PajeStateType>& type_of_track() const { return type_of_track_; }

 private:
  using Key = std::pair<uint32_t, uint64_t>;  // rank index, id
  uint32_t Add(PajeContainer container);
  uint32_t AddMemory(uint32_t rank_index, uint64_t node, int64_t time_ns);
  uint32_t AddComm(uint32_t rank_index, const std::string& suffix);
  void AddPrograms();
  void AddWorkers();
  void AddTracks();
  void AddTrack(uint32_t track);
  // Adds a thread unless its row would be empty.
  void AddThread(uint32_t track);
  void FindFirstEvents();
  void AddUsed(const PajeOptions& options);
  void AddMessages();
  bool IsRow(uint32_t track) const;
  // Whether an event is shown on the row of its thread.
  bool IsOwnEvent(uint32_t point) const;
  bool IsShown(uint32_t state) const;
  // Time of a thread's first visible state or event; kNever: its row would be empty.
  int64_t FirstShown(uint32_t track) const;
  // The first and the last of some times.
  struct Used {
    int64_t first_ns = std::numeric_limits<int64_t>::max();
    int64_t last_ns = std::numeric_limits<int64_t>::min();
    void Add(int64_t time_ns) {
      first_ns = std::min(first_ns, time_ns);
      last_ns = std::max(last_ns, time_ns);
    }
  };
  Used TimesShown(uint32_t track) const;  // of its states
  // Extends the life of `container` and its parents to `time_ns`, or to all of `times`, if there
  // are any.
  void Use(uint32_t container, int64_t time_ns);
  void Use(uint32_t container, const Used& times);

  const TraceModel& model_;
  std::vector<PajeContainer> all_;
  std::vector<std::string> prefixes_;
  std::vector<uint32_t> program_, scheduler_, comm_, of_worker_, of_track_;
  std::vector<PajeStateType> type_of_track_;
  std::vector<int64_t> first_event_ns_;  // by track: its first event other than a state
  std::map<Key, uint32_t> node_, memory_, worker_of_id_, thread_;
};

// Returns the memory node on which an event of this kind happens, or -1.
int64_t PajeMemoryNodeOf(EventKind kind, std::span<const uint64_t> args);

}  // namespace tasklens
