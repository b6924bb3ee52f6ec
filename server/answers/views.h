// SPDX-License-Identifier: Apache-2.0
// Messages about the graph and the timeline: parts that requests and commands share, and the nodes
// and rows that commands print (printed.h). Requests answer with columns instead of rows.
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

// Writes the timeline in pieces, row by row. Parts that the scene does not have are empty.
void DumpTimeline(const TimelineScene& scene, const WriteText& write);

}  // namespace tasklens
