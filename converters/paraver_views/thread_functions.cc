// SPDX-License-Identifier: Apache-2.0
// Functions of threads: what a thread's own records say over time.
#include <algorithm>

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

template <class F>
Steps CountReceived(Context c, F f) {
  std::vector<Step> changes;
  ForCommunications(c, Side::kReceives, [&](const Communication& message) {
    changes.push_back({Received(c, message), f(message)});
  });
  return Accumulated(std::move(changes));
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
  std::stable_sort(values.begin(), values.end(),
                   [](const Step& a, const Step& b) { return a.begin < b.begin; });
  Steps steps;
  for (const Step& value : values) steps.Put(value.begin, value.value);
  return steps;
}

Steps LastSendDuration(Context c) {
  std::vector<Step> values;
  ForCommunications(c, Side::kSends, [&](const Communication& m) {
    const int64_t last = std::max(m.logical_receive, m.physical_receive);
    values.push_back({Sent(c, m), static_cast<double>(last - Sent(c, m)) * c.scale()});
  });
  std::stable_sort(values.begin(), values.end(),
                   [](const Step& a, const Step& b) { return a.begin < b.begin; });
  Steps steps;
  for (const Step& value : values) steps.Put(value.begin, value.value);
  return steps;
}

double Bytes(const Communication& message) { return static_cast<double>(message.size); }
double One(const Communication&) { return 1; }

// Megabytes a second, of the messages that are under way.
Steps Bandwidth(Context c, Side side) {
  return InTransit(c, side, false, [&](const Communication& message) {
    const auto us = static_cast<double>(Received(c, message) - Sent(c, message)) *
                    static_cast<double>(c.records.ns_per_unit) / 1000;
    return Bytes(message) / us;
  });
}

// --- What the thread is ---

Steps Constant(double value) {
  Steps steps;
  steps.Put(0, value);
  return steps;
}
double Sign(bool value) { return value ? 1 : 0; }

Steps CpuId(Context c) { return CpuOfThread(c.records, c.thread); }
Steps InCpuId(Context c) {
  Steps steps = CpuId(c);
  for (Step& step : steps.steps()) step.value = Sign(Names(c.function, step.value));
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
    {"Last Send Dur.", &LastSendDuration},
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
    {"Number Of Receives", [](Context c) { return CountReceived(c, &One); }},
    {"Number Of Receive Bytes", [](Context c) { return CountReceived(c, &Bytes); }},

    {"Application ID", [](Context c) { return Constant(Own(c).application); }},
    {"Task ID", [](Context c) { return Constant(Own(c).task); }},
    {"Thread ID", [](Context c) { return Constant(Own(c).thread); }},
    {"Node ID", [](Context c) { return Constant(Own(c).node); }},
    {"Cpu ID", &CpuId},
    {"In Appl ID", [](Context c) { return Constant(Sign(Names(c.function, Own(c).application))); }},
    {"In Task ID", [](Context c) { return Constant(Sign(Names(c.function, Own(c).task))); }},
    {"In Thread ID", [](Context c) { return Constant(Sign(Names(c.function, Own(c).thread))); }},
    {"In Node ID", [](Context c) { return Constant(Sign(Names(c.function, Own(c).node))); }},
    {"In Cpu ID", &InCpuId},
};

}  // namespace

std::span<const ThreadFunction> ThreadFunctions() { return kThreadFunctions; }

}  // namespace tasklens
