// SPDX-License-Identifier: Apache-2.0
// The seam between readers and everything behind them: a stream of events.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trace/events/events.h"
#include "trace/events/joint_events.h"
#include "trace/support/string_pool.h"

namespace tasklens {

// Valid times lie between -kMaxTime and kMaxTime, both excluded, so that differences cannot
// overflow. The range includes Unix time in nanoseconds.
inline constexpr int64_t kMaxTime = int64_t{1} << 61;

struct Event {
  int64_t time_ns;  // the clock of its own rank, any origin, not aligned with other ranks
  EventKind kind;
  uint32_t rank;                   // MPI rank; 0 when there is only one process
  uint64_t tid;                    // OS thread id, unique within its rank only; 0: unknown
  std::span<const uint64_t> args;  // as Decl(kind) says; str arguments come from Intern()
};

// Several events of the same time in one.
struct JointEvent {
  int64_t time_ns;
  Joint kind;
  uint32_t rank;
  uint64_t tid;
  std::span<const uint64_t> args;  // as Decl(kind) says; str arguments come from Intern()
};

// Calls f(const Event&) for each event that `joint` stands for.
template <class F>
void ForEachEvent(const JointEvent& joint, F f) {
  TakeApart(joint.kind, joint.args, [&](EventKind kind, std::span<const uint64_t> args) {
    f(Event{joint.time_ns, kind, joint.rank, joint.tid, args});
  });
}

// Life cycle: any number of Intern(), OnEvent() and OnJoint(), from one thread. Within a thread of
// a rank events should come in time order; a sink must tolerate small inversions. A reader delivers
// exactly the declared number of arguments (or more, for a repeated last one, at most max_args of
// the declaration in all); a sink may rely on that and must not rely on the values.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual StringId Intern(std::string_view text) = 0;
  // Returns whether the sink uses events of this kind. A caller may leave out all others.
  virtual bool Wants(EventKind) const { return true; }
  // `event` and all it points to are valid only during the call.
  virtual void OnEvent(const Event& event) = 0;
  // The same for a joint event. By default, calls OnEvent() for each event of `joint`.
  virtual void OnJoint(const JointEvent& joint) {
    ForEachEvent(joint, [this](const Event& event) { OnEvent(event); });
  }
};

}  // namespace tasklens
