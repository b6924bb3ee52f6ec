// SPDX-License-Identifier: Apache-2.0
// The table of faults that an input can have, and their counters.
#include "trace/support/diagnostics.h"

#include "trace/support/printable.h"

namespace tasklens {
namespace {

// One row per fault that a reader or the model builder can report. Sorted by name.
constexpr DiagnosticKind kKinds[] = {
    {"fxt_bad_block", Severity::kDataLoss,
     "a block header of the FxT file is invalid; the file was not read any further"},
    {"fxt_bad_event", Severity::kDataLoss,
     "these bytes are not an FxT record; they were skipped up to the next one"},
    {"fxt_bad_worker", Severity::kDataLoss,
     "an FxT event names an impossible worker; its data about that worker was skipped"},
    {"fxt_flush", Severity::kWarning,
     "FxT's buffer was full and was written to the file while the program ran, so that times "
     "around then are too long; raise STARPU_TRACE_BUFFER_SIZE (MB)"},
    {"fxt_not_closed", Severity::kInfo,
     "the program died before it finished the FxT file; shown as far as it was written"},
    {"fxt_orphan_parameter", Severity::kWarning,
     "data was described for a worker that runs no task (its start is not in the trace)"},
    {"fxt_other_parameters", Severity::kWarning,
     "an FxT event has another number of parameters than StarPU 1.3, 1.4 or later writes; it may "
     "have been misread"},
    {"fxt_short_event", Severity::kDataLoss,
     "an FxT event has fewer parameters than any StarPU version writes; it was skipped"},
    {"fxt_truncated", Severity::kDataLoss,
     "the FxT file ends inside a record; the program died or the disk was full while tracing"},
    {"fxt_unknown_event", Severity::kInfo,
     "an FxT event has a code that no known StarPU version writes; it was skipped"},
    {"fxt_unknown_tags", Severity::kInfo,
     "StarPU after 1.4 writes addresses instead of tags, so dependencies by tags are not known"},
    {"model_bad_event", Severity::kDataLoss,
     "an event has arguments that no program can produce; it was skipped"},
    {"model_clocks_by_time_of_day", Severity::kInfo,
     "files have no common synchronisation points; they are aligned by the time of day, which "
     "between machines is as exact as their clocks"},
    {"model_clocks_not_aligned", Severity::kWarning,
     "files have no common synchronisation points; each starts at its own zero"},
    {"model_different_runs", Severity::kWarning,
     "the traces come from different runs; messages between ranks were not matched"},
    {"model_message_backward", Severity::kWarning,
     "messages arrive before they are sent: the clocks of the ranks disagree"},
    {"model_message_half", Severity::kInfo,
     "messages go to or come from a rank whose trace is not open, so waits for them are not known; "
     "open the traces of all ranks together"},
    {"model_self_dependency", Severity::kInfo,
     "a task depends on itself; that dependency was left out"},
    {"model_state_never_ended", Severity::kInfo,
     "a state was still open when the trace ended; it was closed at the last event"},
    {"model_states_too_deep", Severity::kWarning,
     "states are nested deeper than any program does; the innermost ones were left out"},
    {"model_recording_off", Severity::kInfo,
     "the program had switched the recording off, and that part of the run is not in the trace; "
     "`tasklens run --all` records it all the same"},
    {"model_task_never_ended", Severity::kInfo,
     "a task had started but not ended when the trace ended; it was closed at the last event"},
    {"model_time_inversion", Severity::kInfo,
     "an event is dated before its predecessor on the same thread; order was restored"},
    {"model_too_many_points", Severity::kDataLoss,
     "more point events than a model can hold; the later ones are missing"},
    {"model_unmatched_end", Severity::kWarning,
     "an end has no beginning in the trace; it was skipped"},
    {"paje_bad_line", Severity::kDataLoss,
     "a line does not have the fields that the header of the Paje file defines; it was skipped"},
    {"paje_half_link", Severity::kInfo, "an arrow has only one end; it was left out"},
    {"paje_no_tasks", Severity::kInfo,
     "the trace names no tasks; it shows only states, events and messages"},
    {"paje_unknown_event", Severity::kInfo,
     "the header of the Paje file defines an event unknown to Paje; its lines were skipped"},
    {"paje_unknown_name", Severity::kDataLoss,
     "a line names a type or container that was not defined before; it was skipped"},
    {"paje_unmatched_pop", Severity::kInfo, "a state ends that had not begun; the end was skipped"},
    {"prv_bad_object", Severity::kDataLoss,
     "a record names an application, task or thread that is not in the header; it was skipped"},
    {"prv_bad_record", Severity::kDataLoss, "a line is not a Paraver record; it was skipped"},
    {"prv_hardware_counter", Severity::kInfo,
     "a hardware counter belongs to no task; it was left out"},
    {"prv_long_line", Severity::kDataLoss,
     "a line is longer than any Paraver record; it was skipped"},
    {"prv_no_tasks", Severity::kInfo,
     "the trace names no tasks; it shows only states, events and messages"},
    {"prv_truncated", Severity::kDataLoss,
     "the compressed trace ends too early or is damaged; shown up to there"},
    {"tlt_bad_chunk", Severity::kDataLoss,
     "a chunk of the trace file is damaged; its remaining records were not read"},
    {"tlt_bad_record", Severity::kDataLoss,
     "a record of the trace file names an unknown event or string; it was skipped"},
    {"tlt_dropped", Severity::kDataLoss,
     "the recorder had no room for these events (disk full?); free some space and run again"},
    {"tlt_missing_text", Severity::kInfo,
     "the text of an event was still being written while the trace was read; read it again later"},
    {"tlt_not_closed", Severity::kInfo,
     "the program had not finished writing (killed, crashed or still running); shown up to there"},
    {"tlt_truncated", Severity::kDataLoss,
     "the trace file is shorter than the recorder left it; copy it again, or record a new one"},
};

const char* SeverityWord(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "note";
    case Severity::kWarning: return "warning";
    case Severity::kDataLoss: return "lost";
  }
  return "warning";
}

}  // namespace

const DiagnosticKind* FindDiagnosticKind(std::string_view name) {
  for (const DiagnosticKind& kind : kKinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

void Diagnostics::Skip(std::string_view kind, std::string_view where, uint64_t count) {
  if (count == 0) return;
  auto it = counts_.find(kind);
  if (it == counts_.end()) {
    it = counts_.emplace(std::string(kind), DiagnosticCount{}).first;
    it->second.first_where = std::string(where);
  }
  it->second.count += count;
}

void Diagnostics::Merge(const Diagnostics& other) {
  for (const auto& [kind, count] : other.counts_) Skip(kind, count.first_where, count.count);
}

bool Diagnostics::HasDataLoss() const {
  for (const auto& [name, count] : counts_) {
    const DiagnosticKind* kind = FindDiagnosticKind(name);
    if (kind == nullptr || kind->severity == Severity::kDataLoss) return true;
  }
  return false;
}

uint64_t Diagnostics::Count(std::string_view kind) const {
  auto it = counts_.find(kind);
  return it == counts_.end() ? 0 : it->second.count;
}

std::string Diagnostics::Summary() const {
  std::string lines;
  for (const auto& [name, count] : counts_) {
    const DiagnosticKind* kind = FindDiagnosticKind(name);
    lines += kind ? SeverityWord(kind->severity) : "warning";
    lines += ": " + std::to_string(count.count) + " x " + name;
    if (!count.first_where.empty()) lines += " (first at " + Printable(count.first_where) + ")";
    if (kind) lines += ": " + std::string(kind->text);
    lines += '\n';
  }
  return lines;
}

}  // namespace tasklens
