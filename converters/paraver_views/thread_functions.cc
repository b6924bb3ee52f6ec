// SPDX-License-Identifier: Apache-2.0
// Functions of threads: what a thread's own records say over time.
#include <algorithm>
#include <cmath>

#include "converters/paraver_views/functions.h"

namespace tasklens {
namespace {

using Context = const ThreadContext&;
using Event = ParaverRecords::Event;
using Communication = ParaverRecords::Communication;

const ParaverRecords::Thread& Own(Context c) { return c.records.threads[c.thread]; }

bool Names(const ViewFunction& function, double value) {
  return !function.parameters.empty() &&
         std::find(function.parameters[0].begin(), function.parameters[0].end(), value) !=
             function.parameters[0].end();
}

// --- States. Between two of them a thread is idle, which is state 0. ---

// f(state, duration) of each.
template <class F>
Steps OfStates(Context c, F f) {
  Steps steps;
  const auto& states = Own(c).states;
  for (size_t i = 0; i < states.size(); ++i) {
    const auto& [begin, end, state, cpu] = states[i];
    steps.Put(begin, f(state, end - begin));
    const int64_t next = i + 1 < states.size() ? states[i + 1].begin : c.records.end;
    if (end < next) steps.Put(end, f(0, next - end));
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

// f(event) from each on.
template <class F>
Steps SinceEvents(Context c, F f) {
  Steps steps;
  for (const Event& event : FilteredEvents(c)) steps.Put(event.time, f(event));
  return steps;
}

// f(time since the one before, the next) up to each; 0 after the last.
template <class F>
Steps UntilEvents(Context c, F f) {
  Steps steps;
  int64_t since = 0;
  for (const Event& next : FilteredEvents(c)) {
    steps.Put(since, f(static_cast<double>(next.time - since), next));
    since = next.time;
  }
  steps.Put(since, 0);
  return steps;
}

// f(event, time until the next); 0 after the last.
template <class F>
Steps BetweenEvents(Context c, F f) {
  Steps steps;
  const std::vector<Event> events = FilteredEvents(c);
  for (size_t i = 0; i + 1 < events.size(); ++i)
    steps.Put(events[i].time,
              f(events[i], static_cast<double>(events[i + 1].time - events[i].time)));
  if (!events.empty()) steps.Put(events.back().time, 0);
  return steps;
}

double Rate(Context c, double value, double duration) {
  return duration == 0 ? 0 : value * c.function.First(0, 1) / (duration * c.scale());
}

Steps LastWithoutZeros(Context c) {
  Steps steps;
  double last = 0;
  for (const Event& event : FilteredEvents(c)) {
    if (event.value != 0) last = static_cast<double>(event.value);
    steps.Put(event.time, last);
  }
  return steps;
}

// --- Communications that pass the filter. Logical times, unless only physical ones count. ---

bool IsLogical(Context c) { return c.window.logical; }
int64_t Sent(Context c, const Communication& m) {
  return IsLogical(c) ? m.logical_send : m.physical_send;
}
int64_t Received(Context c, const Communication& m) {
  return IsLogical(c) ? std::max(m.logical_receive, m.physical_receive) : m.physical_receive;
}

enum class Side { kSends, kReceives };

template <class F>
void ForCommunications(Context c, Side side, F f) {
  for (const uint32_t row : side == Side::kSends ? Own(c).sends : Own(c).receives) {
    const Communication& message = c.records.communications[row];
    if (c.filter.Passes(message)) f(message);
  }
}

double Bytes(const Communication& message) { return static_cast<double>(message.size); }
double One(const Communication&) { return 1; }

// The sum of changes so far.
Steps Accumulated(std::vector<Step> changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Step& a, const Step& b) { return a.begin < b.begin; });
  Steps steps;
  double sum = 0;
  for (const Step& change : changes) steps.Put(change.begin, sum += change.value);
  return steps;
}

// f(message) while it is under way; with `negative` while it is received but not yet sent.
template <class F>
Steps InTransit(Context c, Side side, bool negative, F f) {
  std::vector<Step> changes;
  ForCommunications(c, side, [&](const Communication& message) {
    int64_t begin = Sent(c, message), end = Received(c, message);
    if (negative) std::swap(begin, end);
    if (begin >= end) return;
    changes.push_back({begin, f(message)});
    changes.push_back({end, -f(message)});
  });
  return Accumulated(std::move(changes));
}

// The sum of f(message) of all that were sent, or received, so far.
template <class F>
Steps CountMessages(Context c, Side side, F f) {
  std::vector<Step> changes;
  ForCommunications(c, side, [&](const Communication& message) {
    changes.push_back({side == Side::kSends ? Sent(c, message) : Received(c, message), f(message)});
  });
  return Accumulated(std::move(changes));
}

// Each value since its time.
Steps InOrder(std::vector<Step> values) {
  std::stable_sort(values.begin(), values.end(),
                   [](const Step& a, const Step& b) { return a.begin < b.begin; });
  Steps steps;
  for (const Step& value : values) steps.Put(value.begin, value.value);
  return steps;
}

// f(message, is_send) since the last message that was sent or received.
template <class F>
Steps SinceMessages(Context c, F f) {
  std::vector<Step> values;
  ForCommunications(c, Side::kSends, [&](const Communication& message) {
    values.push_back({Sent(c, message), f(message, true)});
  });
  ForCommunications(c, Side::kReceives, [&](const Communication& message) {
    values.push_back({Received(c, message), f(message, false)});
  });
  return InOrder(std::move(values));
}

Steps LastSendDuration(Context c) {
  std::vector<Step> values;
  ForCommunications(c, Side::kSends, [&](const Communication& m) {
    const int64_t last = std::max(m.logical_receive, m.physical_receive);
    values.push_back({Sent(c, m), static_cast<double>(last - Sent(c, m)) * c.scale()});
  });
  return InOrder(std::move(values));
}

Steps LastSendSize(Context c) {
  std::vector<Step> values;
  ForCommunications(c, Side::kSends, [&](const Communication& m) {
    values.push_back({Sent(c, m), Bytes(m)});
  });
  return InOrder(std::move(values));
}

// From each message that is received until the next one is sent, as Paraver's function of that name
// has it; 0 after the last.
Steps NextReceiveDuration(Context c) {
  std::vector<std::pair<int64_t, int64_t>> messages;  // received, sent
  ForCommunications(c, Side::kReceives, [&](const Communication& m) {
    messages.emplace_back(Received(c, m), m.logical_send);
  });
  std::stable_sort(messages.begin(), messages.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Steps steps;
  for (size_t i = 0; i < messages.size(); ++i) {
    const bool is_last = i + 1 == messages.size();
    const int64_t until = is_last ? 0 : messages[i + 1].second - messages[i].first;
    steps.Put(messages[i].first, static_cast<double>(until) * c.scale());
  }
  return steps;
}

// f(message) since the last message that was received.
template <class F>
Steps SinceReceives(Context c, F f) {
  std::vector<Step> values;
  ForCommunications(c, Side::kReceives, [&](const Communication& message) {
    values.push_back({Received(c, message), f(message)});
  });
  return InOrder(std::move(values));
}

// Bytes by the parameter a unit of the window's time, of the messages that are under way. The time
// is that of the logical communication only where that ends it.
Steps Bandwidth(Context c, Side side) {
  return InTransit(c, side, false, [&](const Communication& m) {
    const bool by_logical = c.window.logical && m.logical_receive > m.physical_receive;
    const int64_t begin = by_logical || !c.window.physical ? m.logical_send : m.physical_send;
    const int64_t end = by_logical ? m.logical_receive : m.physical_receive;
    const double time = std::abs(static_cast<double>(end - begin)) * c.scale();
    const double factor = c.function.First(0, 1);
    return time == 0 || factor == 0 ? 0 : Bytes(m) / factor / time;
  });
}

// The bytes of messages between two events: sent, or (`received` too) also received.
Steps EventBytes(Context c, bool received) {
  std::vector<std::pair<int64_t, double>> sends, receives;
  ForCommunications(c, Side::kSends, [&](const Communication& message) {
    sends.emplace_back(Sent(c, message), Bytes(message));
  });
  if (received)
    ForCommunications(c, Side::kReceives, [&](const Communication& message) {
      receives.emplace_back(Received(c, message), Bytes(message));
    });
  std::sort(sends.begin(), sends.end());
  std::sort(receives.begin(), receives.end());
  Steps steps;
  const std::vector<Event> events = FilteredEvents(c);
  size_t send = 0, receive = 0;
  for (size_t i = 0; i + 1 < events.size(); ++i) {
    const int64_t begin = events[i].time, end = events[i + 1].time;
    if (begin == end) continue;  // the last at one time counts
    double bytes = 0;
    // What is sent at the first event and what is received at the second belong to it.
    for (; send < sends.size() && sends[send].first < end; ++send)
      if (sends[send].first >= begin) bytes += sends[send].second;
    for (; receive < receives.size() && receives[receive].first <= end; ++receive)
      if (receives[receive].first > begin) bytes += receives[receive].second;
    steps.Put(begin, bytes);
  }
  if (!events.empty()) steps.Put(events.back().time, 0);
  return steps;
}

// --- What the thread is ---

Steps Constant(double value) {
  Steps steps;
  steps.Put(0, value);
  return steps;
}
double Sign(bool value) { return value ? 1 : 0; }

// `id`, if it is one of the parameters, else 0.
double Listed(Context c, double id) { return Names(c.function, id) ? id : 0; }

// Of tasks and threads those of the whole trace count, from 1.
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
    {"State As Is",
     [](Context c) { return OfStates(c, [](uint32_t state, int64_t) { return state; }); }},
    {"Useful",
     [](Context c) {
       return OfStates(c, [](uint32_t state, int64_t) { return Sign(state == kRunning); });
     }},
    {"State Sign",
     [](Context c) {
       return OfStates(c, [](uint32_t state, int64_t) { return Sign(state != 0); });
     }},
    {"Given State",
     [](Context c) {
       return OfStates(
           c, [&](uint32_t state, int64_t) { return Names(c.function, state) ? state : 0.0; });
     }},
    {"In State",
     [](Context c) {
       return OfStates(c, [&](uint32_t state, int64_t) { return Sign(Names(c.function, state)); });
     }},
    {"Not In State",
     [](Context c) {
       return OfStates(c, [&](uint32_t state, int64_t) { return Sign(!Names(c.function, state)); });
     }},
    {"State Record Dur.",
     [](Context c) {
       return OfStates(c, [&](uint32_t state, int64_t duration) {
         return Names(c.function, state) ? static_cast<double>(duration) * c.scale() : 0.0;
       });
     }},

    {"Last Evt Type",
     [](Context c) { return SinceEvents(c, [](const Event& e) { return e.type; }); }},
    {"Last Evt Val",
     [](Context c) {
       return SinceEvents(c, [](const Event& e) { return static_cast<double>(e.value); });
     }},
    {"Last Evt Val w/o Bursts", &LastWithoutZeros},
    {"Next Evt Type",
     [](Context c) { return UntilEvents(c, [](double, const Event& e) { return e.type; }); }},
    {"Next Evt Val",
     [](Context c) {
       return UntilEvents(c, [](double, const Event& e) { return static_cast<double>(e.value); });
     }},
    {"Avg Next Evt Val",
     [](Context c) {
       return UntilEvents(c, [&](double duration, const Event& e) {
         return Rate(c, static_cast<double>(e.value), duration);
       });
     }},
    {"Avg Last Evt Val",
     [](Context c) {
       return BetweenEvents(c, [&](const Event& e, double duration) {
         return Rate(c, static_cast<double>(e.value), duration);
       });
     }},
    {"Given Evt Val",
     [](Context c) {
       return SinceEvents(c, [&](const Event& e) {
         const auto value = static_cast<double>(e.value);
         return Names(c.function, value) ? value : 0;
       });
     }},
    {"In Evt Val",
     [](Context c) {
       return SinceEvents(c, [&](const Event& e) {
         return Sign(Names(c.function, static_cast<double>(e.value)));
       });
     }},
    {"Not In Evt Val",
     [](Context c) {
       return SinceEvents(c, [&](const Event& e) {
         return Sign(!Names(c.function, static_cast<double>(e.value)));
       });
     }},
    // Parameters: the smallest, the largest.
    {"In Evt Range",
     [](Context c) {
       return SinceEvents(c, [&](const Event& e) {
         const auto value = static_cast<double>(e.value);
         return Sign(value >= c.function.First(0, 0) && value <= c.function.First(1, 0));
       });
     }},
    {"Event Bytes", [](Context c) { return EventBytes(c, true); }},
    {"Event Sent Bytes", [](Context c) { return EventBytes(c, false); }},
    {"Int. Between Evt",
     [](Context c) {
       return BetweenEvents(c, [&](const Event&, double duration) { return duration * c.scale(); });
     }},

    {"Last Tag",
     [](Context c) {
       return SinceMessages(
           c, [](const Communication& m, bool) { return static_cast<double>(m.tag); });
     }},
    {"Comm Size",
     [](Context c) {
       return SinceMessages(c, [](const Communication& m, bool) { return Bytes(m); });
     }},
    {"Comm Partner",
     [](Context c) {
       return SinceMessages(c, [](const Communication& m, bool is_send) {
         return static_cast<double>(is_send ? m.to : m.from) + 1;
       });
     }},
    {"Comm Recv. Partner",
     [](Context c) {
       return SinceReceives(c,
                            [](const Communication& m) { return static_cast<double>(m.from) + 1; });
     }},
    {"Last Send Dur.", &LastSendDuration},
    {"Last Send Size", &LastSendSize},
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
    {"Number Of Sends", [](Context c) { return CountMessages(c, Side::kSends, &One); }},
    {"Number Of Send Bytes", [](Context c) { return CountMessages(c, Side::kSends, &Bytes); }},
    {"Number Of Receives", [](Context c) { return CountMessages(c, Side::kReceives, &One); }},
    {"Number Of Receive Bytes",
     [](Context c) { return CountMessages(c, Side::kReceives, &Bytes); }},

    {"Application ID", [](Context c) { return Constant(Own(c).application); }},
    {"TaskID", [](Context c) { return Constant(TaskId(c)); }},  // as Paraver spells it
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
