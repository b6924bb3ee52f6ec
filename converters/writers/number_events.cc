// SPDX-License-Identifier: Apache-2.0
// number_events.data: how often each event code occurs in the trace.
//
// Read by starpu_fxt_number_events_to_names.py of StarPU 1.4.
#include "converters/formats.h"
#include "converters/writers/text.h"

namespace tasklens {
namespace {

Status Write(const TraceModel& model, const WriteOptions&, Outputs& outputs) {
  return WriteText(outputs, "number_events.data", [&](TextBuffer& out) {
    out.Put("# Use starpu_fxt_number_events_to_names.py to convert event keys to event names.\n");
    for (const auto& [code, count] : model.source_event_counts) {
      out.Put("0x", Hex{code}, '\t', count, '\n');
    }
  });
}

}  // namespace

extern const WriterSpec kNumberEventsWriter;
const WriterSpec kNumberEventsWriter = {"number-events",
                                        "number_events.data, how often each event code occurs",
                                        "starpu_fxt_number_events_to_names.py",
                                        /*in_starpu_set=*/false,
                                        {},
                                        0,
                                        &Write};

}  // namespace tasklens
