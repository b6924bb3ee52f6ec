// SPDX-License-Identifier: Apache-2.0
// The graph and the timeline: what requests and commands tell of both, and the rows that commands
// print (printed.h). Requests answer with columns instead.
//
// Pure; any thread.
#pragma once

#include "server/answers/printed.h"
#include "server/messages/messages.h"

namespace tasklens {

struct Curve;
struct GraphView;
struct TimelineRow;
struct TimelineScene;
struct TraceModel;

messages::GraphShown GraphShownMessage(const TraceModel& model, const GraphView& view);
messages::PrintedGraph GraphMessage(const TraceModel& model, const GraphView& view);

messages::TimelineRowText RowTextMessage(const TraceModel& model, const TimelineRow& row);
messages::CounterText CounterTextMessage(const Curve& curve);

// Row by row to `write`. What the scene does not have is empty.
void DumpTimeline(const TimelineScene& scene, const WriteText& write);

}  // namespace tasklens
