// SPDX-License-Identifier: Apache-2.0
// The list of all tables and columns of a TraceModel, for code that treats all columns alike:
// saving, loading, measuring. A column that is missing here is a compile error.
#pragma once

#include <cstddef>
#include <utility>

#include "trace/model/trace_model.h"

namespace tasklens {
namespace internal {

struct AnyField {
  template <class T>
  operator T() const;
};

template <class T, size_t... kIndex>
constexpr bool HasFields(std::index_sequence<kIndex...>) {
  return requires { T{(static_cast<void>(kIndex), AnyField{})...}; };
}

// Returns the number of members of an aggregate.
template <class T, size_t kCount = 0>
constexpr size_t FieldCount() {
  if constexpr (HasFields<T>(std::make_index_sequence<kCount + 1>()))
    return FieldCount<T, kCount + 1>();
  else
    return kCount;
}

// Calls visit(column...) with all columns of a table.
template <class Table, class Visitor, class... Columns>
void VisitTable(const Table&, Visitor& visit, Columns&... columns) {
  static_assert(FieldCount<Table>() == sizeof...(columns), "model_columns.h: a column is missing");
  (visit(columns), ...);
}

}  // namespace internal

// Calls visit(member) for each number, string pool, vector, Column, Records, PackedLists and Lists
// of `model`, a TraceModel or const TraceModel, in an order that only this function defines.
template <class Model, class Visitor>
void VisitColumns(Model& model, Visitor visit) {
  using internal::VisitTable;
  static_assert(internal::FieldCount<TraceModel>() == 33, "model_columns.h: a table is missing");
  visit(model.strings);
  visit(model.duration_ns);
  visit(model.wall_clock_ns);
  visit(model.event_count);
  auto& r = model.ranks;
  VisitTable(r, visit, r.rank, r.clock_offset_ns, r.aligned, r.world_size);
  auto& w = model.workers;
  VisitTable(w, visit, w.rank_index, w.id, w.arch, w.device, w.memory_node, w.cpu, w.tid, w.name,
             w.track, w.start_ns, w.ready_ns, w.stop_ns, w.end_ns);
  auto& n = model.memory_nodes;
  VisitTable(n, visit, n.rank_index, n.id, n.name, n.track, n.start_ns);
  auto& k = model.tracks;
  VisitTable(k, visit, k.kind, k.rank_index, k.id, k.name, k.start_ns, k.end_ns);
  auto& s = model.states;
  VisitTable(s, visit, s.start_ns, s.end_ns, s.kind, s.depth, s.task, s.name, s.first_of_track);
  auto& t = model.tasks;
  VisitTable(t, visit, t.job, t.rank_index, t.name, t.model, t.arch, t.site, t.submit_ns,
             t.ready_ns, t.pop_ns, t.start_ns, t.end_ns, t.done_ns, t.paused_ns, t.worker,
             t.last_start_ns, t.last_worker, t.memory_node, t.ctx, t.priority, t.iteration,
             t.subiteration, t.submit_order, t.tag, t.has_tag, t.footprint, t.has_footprint,
             t.size_bytes, t.flops, t.rgb, t.type, t.hidden, t.has_submit, t.resubmissions, t.cut,
             t.parent, t.is_recursive, t.level);
  auto& x = model.executions;
  VisitTable(x, visit, x.task, x.worker, x.start_ns, x.end_ns, x.run, x.submit_ns, x.submit_order,
             x.cut);
  auto& c = model.codelets;
  VisitTable(c, visit, c.rank_index, c.name, c.archs);
  auto& b = model.bindings;
  VisitTable(b, visit, b.task, b.worker);
  visit(model.predecessors);
  visit(model.successors);
  visit(model.end_deps);
  visit(model.accesses);
  visit(model.parameters);
  auto& h = model.handles;
  VisitTable(h, visit, h.address, h.rank_index, h.size_bytes, h.max_size_bytes, h.home_node,
             h.parent, h.name, h.description, h.coordinates, h.register_ns, h.unregister_ns,
             h.mpi_owner, h.mpi_tag);
  auto& i = model.sites;
  VisitTable(i, visit, i.file, i.line, i.function);
  auto& g = model.tags;
  VisitTable(g, visit, g.rank_index, g.tag, g.name, g.done_ns, g.site, g.deps, g.owners);
  auto& f = model.transfers;
  VisitTable(f, visit, f.start_ns, f.end_ns, f.rank_index, f.source_node, f.target_node,
             f.size_bytes, f.copy_id, f.reason, f.handle);
  auto& l = model.steals;
  VisitTable(l, visit, l.time_ns, l.rank_index, l.thief, l.victim);
  auto& y = model.stretches;
  VisitTable(y, visit, y.task, y.worker, y.start_ns, y.end_ns);
  auto& m = model.messages;
  VisitTable(m, visit, m.send_ns, m.receive_ns, m.left_ns, m.asked_ns, m.source_track,
             m.target_track, m.source, m.target, m.tag, m.size_bytes, m.type, m.priority,
             m.send_job, m.receive_job, m.after_send_job, m.before_receive_job, m.send_handle,
             m.receive_handle, m.send_numa, m.receive_numa);
  auto& p = model.points;
  VisitTable(p, visit, p.time_ns, p.kind, p.track, p.rank_index, p.args);
  visit(model.counters);
  auto& a = model.papi;
  VisitTable(a, visit, a.task, a.code, a.value);
  auto& e = model.estimates;
  VisitTable(e, visit, e.task, e.worker, e.length_ns, e.transfer_ns);
  visit(model.info);
  visit(model.source_event_counts);
  visit(model.tasks_by_job);
}

}  // namespace tasklens
