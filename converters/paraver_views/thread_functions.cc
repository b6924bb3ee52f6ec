// SPDX-License-Identifier: Apache-2.0
// Functions of threads: values over time, computed from a thread's own records.
#include <algorithm>
#include <cmath>

#include "converters/paraver_views/functions.h"

namespace tasklens {
namespace {

using Context = const ThreadContext&;
using Event = ParaverRecords::Event;
using Communication = ParaverRecords::Communication;

const ParaverRecords::Thread& Own(Context c) { return c.records.threads[c.thread]; }

// --- States. Between two of them a thread is idle, which is state 0. ---

// f(c, state, duration) for each state.
template <auto f>
Steps OfStates(Context c) {
  Steps steps;
  const auto& states = Own(c).states;
  for (size_t i = 0; i < states.size(); ++i) {
    const auto& [begin, end, state, cpu] = states[i];
    steps.Put(begin, f(c, state, end - begin));
    const int64_t next = i + 1 < states.size() ? states[i + 1].begin : c.records.end;
    if (end < next) steps.Put(end, f(c, 0, next - end));
  }
  return steps;
}

constexpr uint32_t kRunning = 1;

// --- Events that pass the filter ---

std::vector<Event> FilteredEvents(Context c) {
  std::vector<Event> events;
  std::copy_if(Own(c).events.begin(), Own(c).events.end(), std::back_inserter(events),
               [&](const Event& event) { return c.filter.Passes(event); });
  return events;
}

double ValueOf(const Event& event) { return static_cast<double>(event.value); }

// f(c, event) from each event on.
template <auto f>
Steps SinceEvents(Context c) {
  Steps steps;
  for (const Event& event : FilteredEvents(c)) steps.Put(event.time, f(c, event));
  return steps;
}

// Up to each event, f(c, the event, time since the previous event); 0 after the last.
template <auto f>
Steps UntilEvents(Context c) {
  Steps steps;
  int64_t since = 0;
  for (const Event& next : FilteredEvents(c)) {
    steps.Put(since, f(c, next, static_cast<double>(next.time - since)));
    since = next.time;
  }
  steps.Put(since, 0);
  return steps;
}

// f(c, event, time to the next event); 0 after the last.
template <auto f>
Steps BetweenEvents(Context c) {
  Steps steps;
  const std::vector<Event> events = FilteredEvents(c);
  for (size_t i = 0; i + 1 < events.size(); ++i)
    steps.Put(events[i].time,
              f(c, events[i], static_cast<double>(events[i + 1].time - events[i].time)));
  if (!events.empty()) steps.Put(events.back().time, 0);
  return steps;
}

double Rate(Context c, const Event& event, double duration) {
  return duration == 0 ? 0 : ValueOf(event) * c.function.First(0, 1) / (duration * c.scale());
}

Steps LastWithoutZeros(Context c) {
  Steps steps;
  double last = 0;
  for (const Event& event : FilteredEvents(c)) {
    if (event.value != 0) last = ValueOf(event);
    steps.Put(event.time, last);
  }
  return steps;
}

// --- Communications that pass the filter, by logical times unless only physical ones count ---

bool IsLogical(Context c) { return c.window.logical; }
int64_t ReceivedAtLast(const Communication& m) {
  return std::max(m.logical_receive, m.physical_receive);
}
int64_t Sent(Context c, const Communication& m) {
  return IsLogical(c) ? m.logical_send : m.physical_send;
}
int64_t Received(Context c, const Communication& m) {
  return IsLogical(c) ? ReceivedAtLast(m) : m.physical_receive;
}

enum class Side { kSends, kReceives };

double Bytes(const Communication& message) { return static_cast<double>(message.size); }
double One(const Communication&) { return 1; }

// Paraver has four records of a communication on each side: of its own times, and of the other
// side's. Functions over records use those that the window's filter shows.
struct CommunicationRecord {
  int64_t time;
  bool logical, sends;
  bool remote;  // of the other side
  const Communication* message;
  bool shown;
  // Whether the message arrives with this record.
  bool Arrives() const {
    return !sends && (logical ? message->logical_receive > message->physical_receive
                              : message->physical_receive >= message->logical_receive);
  }
};

// In Paraver's order, including records that are not shown.
std::vector<CommunicationRecord> CommunicationRecords(Context c) {
  std::vector<CommunicationRecord> records;
  const auto add = [&](uint32_t row, bool sends, bool remote) {
    const Communication& m = c.records.communications[row];
    const bool passes = c.filter.Passes(m);
    const bool logical = c.window.logical, physical = c.window.physical;
    CommunicationRecord record{
        sends ? m.logical_send : m.logical_receive, true, sends, remote, &m, passes && logical};
    records.push_back(record);
    record.time = sends ? m.physical_send : m.physical_receive;
    record.logical = false;
    record.shown = passes && (physical || (logical && record.Arrives()));
    records.push_back(record);
  };
  for (const bool remote : {false, true}) {
    for (const uint32_t row : Own(c).sends) add(row, !remote, remote);
    for (const uint32_t row : Own(c).receives) add(row, remote, remote);
  }
  // Order at equal times: physical receives, logical and physical sends, logical receives.
  const auto order = [](const CommunicationRecord& r) {
    if (r.remote) return r.logical ? 3 : 2;
    return r.sends ? (r.logical ? 1 : 2) : (r.logical ? 3 : 0);
  };
  std::stable_sort(records.begin(), records.end(),
                   [&](const CommunicationRecord& a, const CommunicationRecord& b) {
                     return a.time != b.time ? a.time < b.time : order(a) < order(b);
                   });
  return records;
}

// f(message) while it is under way; with `negative`, while it is received but not sent yet. As in
// Paraver, a burst begins at each record that is shown, even if nothing changes.
template <class F>
Steps InTransit(Context c, Side side, bool negative, F f) {
  Steps steps;
  double sum = 0;
  int64_t under_way = 0;
  for (const CommunicationRecord& record : CommunicationRecords(c)) {
    if (!record.shown || record.remote == (record.sends == (side == Side::kSends))) continue;
    const Communication& m = *record.message;
    const bool counts = record.sends ? record.logical == IsLogical(c)
                                     : (IsLogical(c) ? record.Arrives() : !record.logical);
    if (counts && (Received(c, m) <= Sent(c, m)) == negative) {
      const bool begins = record.sends != negative;
      under_way += begins ? 1 : -1;
      // With no message under way the sum is 0: drop the rounding errors.
      sum = under_way == 0 ? 0 : sum + (begins ? f(m) : -f(m));
    }
    steps.Put(record.time, sum);
  }
  return steps;
}

// f(c, record) from each shown record on for which `chosen` holds.
template <auto chosen, auto f>
Steps SinceRecords(Context c) {
  Steps steps;
  for (const CommunicationRecord& record : CommunicationRecords(c))
    if (record.shown && chosen(record)) steps.Put(record.time, f(c, record));
  return steps;
}

using Record = const CommunicationRecord&;
double BytesOf(Context, Record record) { return Bytes(*record.message); }
bool IsOwn(Record record) { return !record.remote; }
bool IsSend(Record record) { return IsOwn(record) && record.sends; }
bool IsReceive(Record record) { return IsOwn(record) && !record.sends; }
bool IsLogicalSend(Record record) { return IsSend(record) && record.logical; }
bool IsPhysicalReceive(Record record) { return IsReceive(record) && !record.logical; }

// The sum of f(message) over the messages sent, or received, so far; over both of their records if
// both times count. Other records begin a burst as well.
template <auto chosen, auto f>
Steps CountMessages(Context c) {
  Steps steps;
  double sum = 0;
  for (const CommunicationRecord& record : CommunicationRecords(c)) {
    if (!record.shown || !chosen(record)) continue;
    if (record.sends || record.Arrives() || (!record.logical && c.window.physical))
      sum += f(*record.message);
    steps.Put(record.time, sum);
  }
  return steps;
}

// At each shown receive, f(record, next) of the next record for which `chosen` holds, shown or not;
// 0 if there is none.
template <class Shown, class Chosen, class F>
Steps AheadOfReceives(Context c, Shown begins, Chosen chosen, F f) {
  const std::vector<CommunicationRecord> records = CommunicationRecords(c);
  Steps steps;
  size_t next = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    if (!IsReceive(records[i]) || !records[i].shown || !begins(records[i])) continue;
    next = std::max(next, i + 1);
    while (next < records.size() && !chosen(records[next])) ++next;
    steps.Put(records[i].time, next < records.size() ? f(records[i], records[next]) : 0);
  }
  return steps;
}

// From each receive to the next send, as in Paraver's function of this name; 0 after the last.
Steps NextReceiveDuration(Context c) {
  return AheadOfReceives(
      c, [](Record record) { return record.logical; }, [](Record record) { return !record.sends; },
      [&](Record record, Record next) {
        return static_cast<double>(next.message->logical_send - record.time) * c.scale();
      });
}

// The sender of the next message that is received.
Steps NextSender(Context c) {
  return AheadOfReceives(
      c, &IsOwn,
      [](Record record) {
        const Communication& m = *record.message;
        const bool physical = m.physical_receive > m.logical_receive;
        return IsReceive(record) && record.logical != physical;
      },
      [](Record, Record next) { return static_cast<double>(next.message->from) + 1; });
}

// Bytes of the messages under way, times the parameter, per time unit of the window.
Steps Bandwidth(Context c, Side side) {
  return InTransit(c, side, false, [&](const Communication& m) {
    const double time = std::abs(TransferTime(m, c.window)) * c.scale();
    const double factor = c.function.First(0, 1);
    return time == 0 || factor == 0 ? 0 : Bytes(m) / factor / time;
  });
}

// The bytes of messages between two events: sent or, with `received`, also received. As in Paraver,
// each shown record counts, even two of one message; but a receive record at the time of the second
// event counts only if it is the arrival of the message.
Steps EventBytes(Context c, bool received) {
  const std::vector<CommunicationRecord> records = CommunicationRecords(c);
  const bool only_physical = !c.window.logical;
  Steps steps;
  const std::vector<Event> events = FilteredEvents(c);
  size_t first = 0;
  for (size_t i = 0; i + 1 < events.size(); ++i) {
    const int64_t begin = events[i].time, end = events[i + 1].time;
    if (begin == end) continue;  // of several at one time the last counts
    while (first < records.size() && records[first].time < begin) ++first;
    double bytes = 0;
    for (size_t r = first; r < records.size() && records[r].time <= end; ++r) {
      const CommunicationRecord& record = records[r];
      const bool at_begin = record.time == begin, at_end = record.time == end;
      if (!record.shown || record.remote) continue;
      if (record.sends ? at_end : at_begin || !received) continue;
      // Of the two times of a send, one is enough if it is the event's, or if all bytes count.
      if (record.sends && !record.logical && !only_physical && (at_begin || received)) continue;
      const bool doubled = c.window.logical && c.window.physical && record.logical;
      if (!record.sends && !only_physical && (at_end || doubled) && !record.Arrives()) continue;
      bytes += Bytes(*record.message);
    }
    steps.Put(begin, bytes);
  }
  if (!events.empty()) steps.Put(events.back().time, 0);
  return steps;
}

// --- Properties of the thread ---

Steps Constant(double value) {
  Steps steps;
  steps.Put(0, value);
  return steps;
}
double Sign(bool value) { return value ? 1 : 0; }

// Returns `id` if it is one of the parameters, else 0.
double Listed(Context c, double id) { return c.function.Names(id) ? id : 0; }

// Ids of tasks and threads are numbers within the whole trace, from 1.
double TaskId(Context c) { return Own(c).task_row + 1.0; }
double ThreadId(Context c) { return c.thread + 1.0; }

Steps CpuId(Context c) { return CpuOfThread(c.records, c.thread); }
Steps NodeId(Context c) {
  Steps steps = CpuId(c);
  for (Step& step : steps.steps()) {
    const uint32_t row =
        RowOfRecord(c.records, Level::kNode, c.thread, static_cast<uint32_t>(step.value));
    step.value = row == kNoRow ? 0 : row + 1.0;
  }
  return steps;
}
Steps OnlyListed(Context c, Steps steps) {
  for (Step& step : steps.steps()) step.value = Listed(c, step.value);
  return steps;
}

constexpr ThreadFunction kThreadFunctions[] = {
    {"State As Is", &OfStates<[](Context, uint32_t state, int64_t) { return state; }>},
    {"Useful", &OfStates<[](Context, uint32_t state, int64_t) { return Sign(state == kRunning); }>},
    {"State Sign", &OfStates<[](Context, uint32_t state, int64_t) { return Sign(state != 0); }>},
    {"Given State", &OfStates<[](Context c, uint32_t state, int64_t) { return Listed(c, state); }>},
    {"In State",
     &OfStates<[](Context c, uint32_t state, int64_t) { return Sign(c.function.Names(state)); }>},
    {"Not In State",
     &OfStates<[](Context c, uint32_t state, int64_t) { return Sign(!c.function.Names(state)); }>},
    {"State Record Dur.", &OfStates<[](Context c, uint32_t state, int64_t duration) {
       return c.function.Names(state) ? static_cast<double>(duration) * c.scale() : 0.0;
     }>},

    {"Last Evt Type", &SinceEvents<[](Context, const Event& e) { return e.type; }>},
    {"Last Evt Val", &SinceEvents<[](Context, const Event& e) { return ValueOf(e); }>},
    {"Last Evt Val w/o Bursts", &LastWithoutZeros},
    {"Next Evt Type", &UntilEvents<[](Context, const Event& e, double) { return e.type; }>},
    {"Next Evt Val", &UntilEvents<[](Context, const Event& e, double) { return ValueOf(e); }>},
    {"Avg Next Evt Val", &UntilEvents<&Rate>},
    {"Avg Last Evt Val", &BetweenEvents<&Rate>},
    {"Given Evt Val",
     &SinceEvents<[](Context c, const Event& e) { return Listed(c, ValueOf(e)); }>},
    {"In Evt Val",
     &SinceEvents<[](Context c, const Event& e) { return Sign(c.function.Names(ValueOf(e))); }>},
    {"Not In Evt Val",
     &SinceEvents<[](Context c, const Event& e) { return Sign(!c.function.Names(ValueOf(e))); }>},
    // Parameters: minimum, maximum.
    {"In Evt Range", &SinceEvents<[](Context c, const Event& e) {
       return Sign(ValueOf(e) >= c.function.First(0, 0) && ValueOf(e) <= c.function.First(1, 1));
     }>},
    {"Event Bytes", [](Context c) { return EventBytes(c, true); }},
    {"Event Sent Bytes", [](Context c) { return EventBytes(c, false); }},
    {"Int. Between Evt",
     &BetweenEvents<[](Context c, const Event&, double duration) { return duration * c.scale(); }>},

    // The tag of the last message received.
    {"Last Tag",
     &SinceRecords<&IsPhysicalReceive,
                   [](Context, Record r) { return static_cast<double>(r.message->tag); }>},
    {"Comm Size", &SinceRecords<&IsOwn, &BytesOf>},
    // The receiver of the last message sent.
    {"Comm Partner",
     &SinceRecords<&IsSend,
                   [](Context, Record r) { return static_cast<double>(r.message->to) + 1; }>},
    {"Comm Recv. Partner", &NextSender},
    {"Last Send Dur.",
     &SinceRecords<&IsLogicalSend,
                   [](Context c, Record r) {
                     return static_cast<double>(ReceivedAtLast(*r.message) - r.time) * c.scale();
                   }>},
    {"Last Send Size", &SinceRecords<&IsLogicalSend, &BytesOf>},
    {"Next Recv Dur.", &NextReceiveDuration},
    {"Send Bytes in Transit", [](Context c) { return InTransit(c, Side::kSends, false, &Bytes); }},
    {"Send Messages in Transit", [](Context c) { return InTransit(c, Side::kSends, false, &One); }},
    {"Send BandWidth", [](Context c) { return Bandwidth(c, Side::kSends); }},
    {"Recv Bytes in Transit",
     [](Context c) { return InTransit(c, Side::kReceives, false, &Bytes); }},
    {"Recv Messages in Transit",
     [](Context c) { return InTransit(c, Side::kReceives, false, &One); }},
    {"Recv BandWidth", [](Context c) { return Bandwidth(c, Side::kReceives); }},
    {"Recv Negative Messages", [](Context c) { return InTransit(c, Side::kReceives, true, &One); }},
    {"Recv Negative Bytes", [](Context c) { return InTransit(c, Side::kReceives, true, &Bytes); }},
    {"Number Of Sends", &CountMessages<&IsSend, &One>},
    {"Number Of Send Bytes", &CountMessages<&IsSend, &Bytes>},
    {"Number Of Receives", &CountMessages<&IsReceive, &One>},
    {"Number Of Receive Bytes", &CountMessages<&IsReceive, &Bytes>},

    {"Application ID", [](Context c) { return Constant(Own(c).application); }},
    {"TaskID", [](Context c) { return Constant(TaskId(c)); }},  // Paraver's spelling
    {"Task ID", [](Context c) { return Constant(TaskId(c)); }},
    {"Thread ID", [](Context c) { return Constant(ThreadId(c)); }},
    {"Node ID", &NodeId},
    {"Cpu ID", &CpuId},
    {"In Appl ID", [](Context c) { return Constant(Listed(c, Own(c).application)); }},
    {"In Task ID", [](Context c) { return Constant(Listed(c, TaskId(c))); }},
    {"In Thread ID", [](Context c) { return Constant(Listed(c, ThreadId(c))); }},
    {"In Node ID", [](Context c) { return OnlyListed(c, NodeId(c)); }},
    {"In Cpu ID", [](Context c) { return OnlyListed(c, CpuId(c)); }},
};

}  // namespace

std::span<const ThreadFunction> ThreadFunctions() { return kThreadFunctions; }

}  // namespace tasklens
