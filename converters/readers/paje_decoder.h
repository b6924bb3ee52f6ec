// SPDX-License-Identifier: Apache-2.0
// Turns the lines of a Paje file into events.
//
// StarPU's files (and ours) are recognised by their type "Worker State": times are milliseconds, a
// container "R_program" is rank R, workers are containers of type "Worker", and a task is a state
// with a JobId; in a type "InCtxN", such a state means that the task ran in scheduling context N.
// In all other files times are seconds, there is one rank, and a state whose name is not one of
// ours is a task of that name, so that names, colours and statistics work; its row is then a
// worker. Such a state that is pushed onto another is a task of its own, which pauses the other.
// Variables are curves of their containers, and links are messages between these.
//
// With several files of one run, each is a rank with its own types, containers and rows; all share
// one clock, and a link may begin in one file and end in another, matched by the name of its type
// and its key.
//
// Every further state type of a container is another row. Lines may come in any order: states are
// sorted at the end.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "converters/formats.h"
#include "converters/readers/paje_file.h"
#include "converters/readers/row_events.h"

namespace tasklens {

class PajeDecoder : RowEvents {
 public:
  PajeDecoder(const ReadOptions& options, std::string_view path, EventSink& sink,
              Diagnostics& diags);
  void Line(const PajeLine& line);
  void Finish();

  // One end of a link between two rows.
  struct MessageEnd {
    int64_t time_ns;
    uint32_t rank;
    uint64_t tid, value;
    int64_t tag;
  };

 private:
  static constexpr uint32_t kNowhere = ~uint32_t{0};

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  template <class Value>
  using ByName = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

  struct Type {
    PajeEvent definition;
    std::string name;
    ByName<uint32_t> values;  // alias and name, of values_
  };
  struct Value {
    StateKind kind;  // kUserDefined: not one of ours
    StringId name;
    bool is_ours;  // has the name of the kind
  };
  struct Container {
    uint32_t type = kNowhere, parent = kNowhere;
    std::string name;
    uint32_t rank = 0;
    bool has_prefix = false;  // names in it begin with "RANK_"
    int64_t destroy_ns = -1;
    int64_t worker = -1;  // worker id, or -1
    int64_t node = -1;    // of memory: its own number, or that of its parent; -1: none
    bool has_track = false;
    bool is_used = false;  // has more than states
  };
  enum class Op : uint8_t { kSet, kPush, kPop, kReset };
  struct Change {
    int64_t time_ns;
    Op op;
    uint32_t value;     // of values_
    uint32_t task;      // of tasks_; kNowhere: not a known task
    uint32_t line = 0;  // of the source; 0: not known
    StringId file = 0;
    bool resumed = false;  // continues a task that began before; only our own files say so
  };
  struct Track {
    uint32_t container, type;
    bool is_first;  // of its container
    std::vector<Change> changes;
  };
  struct Task {
    uint64_t job, size_bytes, footprint, tag;
    double flops;
  };
  // Events of a container other than states.
  enum class What : uint8_t { kSet, kAdd, kSubtract, kText };
  struct Moment {
    int64_t time_ns;
    What what;
    StringId text;  // name of the variable, or the text
    double value;
  };
  // Numbers of tasks. A file has several for each task, so they are kept short; those of ready
  // tasks only until the first pop.
  struct Count {
    int64_t time_ns;
    double value;
  };
  struct Counts {
    std::vector<Count> submitted, ready;
  };
  struct LinkEnd {
    int64_t time_ns;
    uint32_t container;
    uint64_t value;  // bytes, if it is a transfer
    int64_t tag;
  };
  // A row while its states are delivered.
  struct Row : EventRow {
    bool in_task = false;
    struct Entry {
      StateKind kind;
      uint32_t task;        // kNowhere: a state
      bool pushed;          // onto the state below, for the sink too
      bool paused = false;  // a task that waits for the one above it
      bool resumed = false;
      StringId name = 0;  // name of a state that is not one of ours; else 0
    };
    std::vector<Entry> stack;
    bool as_tasks = false;  // show states that are not ours as tasks
  };

  void DefineType(const PajeLine& line);
  void DefineValue(const PajeLine& line);
  void CreateContainer(const PajeLine& line);
  void DestroyContainer(const PajeLine& line);
  void NewEvent(const PajeLine& line);
  void ChangeState(const PajeLine& line, Op op);
  void InContext(const PajeLine& line, std::string_view number);
  void Variable(const PajeLine& line, What what);
  void AddMoment(uint32_t container, const Moment& moment);
  void AddCurve(uint32_t container, std::string_view name, const std::vector<Count>& counts);
  void TellCounts();
  void Link(const PajeLine& line, bool starts);
  void TellLink(const Type& type, const LinkEnd& start, const LinkEnd& end);
  void LinkFiles();

  bool Time(const PajeLine& line, int64_t& time_ns);
  uint32_t TypeOf(const PajeLine& line);
  uint32_t ContainerAt(const PajeLine& line, PajeField field);
  uint32_t ValueOf(uint32_t type, std::string_view word);
  uint32_t TrackOf(uint32_t container, uint32_t type);
  uint32_t AddTask(const PajeLine& line);
  uint32_t ContextOf(uint32_t rank, uint64_t job) const;  // 0: the file names none
  static bool JobOf(const PajeLine& line, uint64_t& job);
  bool HasType(const Container& container, std::string_view name) const;
  void MemoryNode(const Container& container);
  void Skip(std::string_view kind, const PajeLine& line) { RowEvents::Skip(kind, line.offset); }

  Row BeginRow(uint32_t track);
  void TellChange(Row& row, uint32_t track, size_t change);
  void EndRow(Row& row, uint32_t track);
  void TellInOrderOfTime();
  void TellMoments(uint32_t container, int64_t until_ns);
  void NameContainers();
  void TellChange(Row& row, const Change& change);
  void Pause(Row& row, int64_t time_ns);
  void GoOn(Row& row, int64_t time_ns);
  void Enter(Row& row, int64_t time_ns, Row::Entry entry, StringId name);
  void Leave(Row& row, int64_t time_ns, bool show_below);
  void TellMessage(const MessageEnd& from, const MessageEnd& to);

  const ReadOptions options_;
  const uint32_t first_rank_;

  bool is_starpu_ = false;
  std::vector<Type> types_;
  ByName<uint32_t> type_of_;
  std::vector<Value> values_;
  ByName<uint32_t> value_of_name_, value_of_alias_;  // of any type
  std::vector<Container> containers_;
  ByName<uint32_t> container_of_;
  std::vector<Track> tracks_;
  std::unordered_map<uint64_t, uint32_t> track_of_;  // by container << 32 | type
  std::vector<Task> tasks_;
  struct Moments {
    std::vector<Moment> list;  // sorted by time before they are delivered
    size_t told = 0;
    std::map<StringId, double> values;  // of variables
  };
  std::map<uint32_t, Counts> counts_;                                    // by container
  std::map<uint32_t, uint64_t> pops_;                                    // by rank
  std::map<uint32_t, Moments> moments_;                                  // by container
  std::map<uint32_t, std::unordered_map<uint64_t, uint32_t>> contexts_;  // by rank and job
  ByName<LinkEnd> starts_, ends_;  // ends of links whose other end is missing, by type and key
  std::set<uint32_t> ranks_;
  std::map<uint32_t, uint32_t> workers_;  // number of workers, by rank
  std::set<std::pair<uint32_t, int64_t>> nodes_;
  uint64_t counted_jobs_ = 0;
  bool has_tasks_ = false, has_resumed_ = false;
  bool are_runs_ = false;  // the programs are runs, not ranks
};

}  // namespace tasklens
