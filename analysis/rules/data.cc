// SPDX-License-Identifier: Apache-2.0
// Rules about copies and memory.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "analysis/execution_order.h"
#include "analysis/rules/context.h"
#include "analysis/rules/copies_of_data.h"
#include "analysis/sum.h"
#include "analysis/text.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

// The time of one row in states of some kinds while its rank's tasks run, and the number of these
// states; a state nested in another one, such as writing back within reclaiming, counts as part of
// it.
struct StateTime {
  int64_t total_ns = 0, count = 0;
};

StateTime TimeIn(const AdviceContext& context, uint32_t track, const std::set<StateKind>& kinds) {
  StateTime time;
  const StateTable& states = context.model.states;
  const Span window = context.windows[context.model.tracks.rank_index[track]];
  int64_t counted_until_ns = window.begin_ns;
  for (const uint32_t s : StatesOf(states, track)) {
    if (!kinds.contains(states.kind[s])) continue;
    const int64_t begin_ns = std::max(states.start_ns[s], counted_until_ns);
    const int64_t end_ns = std::min(states.end_ns[s], window.end_ns);
    if (begin_ns >= end_ns) continue;
    AddNs(time.total_ns, end_ns - begin_ns);
    ++time.count;
    counted_until_ns = end_ns;
  }
  return time;
}

// The number of states of `kind` that the memory node had in its rank's window, and the number of
// these that followed a completed `first`: allocations for which memory was freed before.
struct Operations {
  int64_t count = 0, following = 0;
};

Operations CountOf(const AdviceContext& context, uint32_t node, StateKind kind,
                   StateKind first = StateKind::kFreeing) {
  const TraceModel& model = context.model;
  const StateTable& states = model.states;
  const uint32_t track = model.memory_nodes.track[node];
  Operations operations;
  const Span window = context.windows[model.tracks.rank_index[track]];
  int64_t firsts = 0;
  for (const uint32_t s : StatesOf(states, track)) {
    if (states.start_ns[s] < window.begin_ns || states.start_ns[s] >= window.end_ns) continue;
    if (states.kind[s] == first) ++firsts;
    if (states.kind[s] != kind) continue;
    ++operations.count;
    operations.following += operations.following < firsts;
  }
  return operations;
}

struct BusyNode {
  uint32_t node = kNone;  // row
  StateTime time;
};

// Returns the memory node that spends most time in `kinds`.
BusyNode BusiestNode(const AdviceContext& context, const std::set<StateKind>& kinds) {
  const TraceModel& model = context.model;
  BusyNode busiest;
  for (uint32_t node = 0; node < model.memory_nodes.size(); ++node) {
    const StateTime time = TimeIn(context, model.memory_nodes.track[node], kinds);
    if (time.total_ns > busiest.time.total_ns) busiest = {node, time};
  }
  return busiest;
}

std::string NodeText(const TraceModel& model, uint32_t node) {
  const std::string_view name = model.str(model.memory_nodes.name[node]);
  return name.empty() ? "memory node " + std::to_string(model.memory_nodes.id[node])
                      : std::string(name);
}

bool HasDataOfSeveralSizes(const TraceModel& model) {
  uint64_t first_bytes = 0;
  for (uint32_t handle = 0; handle < model.handles.size(); ++handle) {
    const uint64_t bytes = model.handles.size_bytes[handle];
    if (first_bytes == 0) first_bytes = bytes;
    if (bytes != 0 && bytes != first_bytes) return true;
  }
  return false;
}

// Returns the site whose tasks are the first to use most bytes of data allocated for tasks; kNone
// if the trace has no data of tasks.
uint32_t SiteOfTemporaries(const TraceModel& model) {
  std::vector<bool> is_used(model.handles.size());
  std::map<uint32_t, uint64_t> bytes_of_site;
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    if (!Executed(model.tasks, task)) continue;
    for (const TaskAccess& access : model.accesses[task]) {
      if (is_used[access.handle]) continue;
      is_used[access.handle] = true;
      bytes_of_site[model.tasks.site[task]] += model.handles.size_bytes[access.handle];
    }
  }
  return KeyOfMost(bytes_of_site, kNone);
}

}  // namespace

// The tasks of a site waited for copies of their data; one finding per site. If a trace has the
// activity of memory nodes and no copies, fetching waited for free memory.
void FindTransferWait(const AdviceContext& context, std::vector<Finding>& findings) {
  const bool has_copies = context.model.transfers.size() > 0;
  if (!has_copies && context.model.messages.size() > 0) return;
  if (!has_copies && BusiestNode(context, {StateKind::kAllocating, StateKind::kAllocatingReuse,
                                           StateKind::kFreeing, StateKind::kReclaiming})
                             .time.count > 0)
    return;
  const Reloads& reloads = context.reloads;
  for (const SiteLoss& site : context.sites) {
    const int64_t wait_ns = site.Of(IdleCause::kTransfer) - site.messages_ns;
    const int64_t cost_ns = context.RunNs(wait_ns);
    if (!context.WorthSaying(cost_ns)) continue;
    // reported by memory_full
    if (reloads.site == site.site && reloads.wait_ns >= cost_ns / 2) continue;
    const auto tasks = static_cast<int64_t>(site.tasks);
    findings.push_back(context.Make(
        cost_ns, site.site,
        "tasks wait for their data: " + DurationText(wait_ns / tasks) + " for each of " +
            CountText(site.tasks, "task") + " of " + DurationText(site.task_ns / tasks) +
            (context.scheduler.starts_with("dm")
                 ? "; prefetch (starpu_data_prefetch_on_node()), do more work on the same data, or "
                   "run the tasks that use it on one kind of worker"
                 : "; use a scheduler that knows where data is (dmda, dmdas), prefetch, or do more "
                   "work on the same data"),
        {{"tasks", tasks}, {"wait_ns", wait_ns}, {"mean_wait_ns", wait_ns / tasks}}));
  }
}

// On the observed critical path, tasks waited for data that moved from one task's worker to the
// next, with as many copies back: two codelets alternate on different kinds of workers, or a
// scheduler moves the tasks. The finding names the most expensive piece of data.
void FindDataToAndFro(const AdviceContext& context, std::vector<Finding>& findings) {
  constexpr int64_t kFewest = 4;  // copies each way
  const TraceModel& model = context.model;
  const TransferTable& copies = model.transfers;
  if (copies.size() == 0) return;
  const CopiesOfData of_data(model);
  int64_t cost_ns = 0, most_ns = 0, round_trips = 0;
  std::map<uint32_t, int64_t> of_handle, of_site;
  uint32_t worst = kNone, site = kNone;
  for (const CriticalStep& step : context.path.steps) {
    if (step.wait_ns <= 0 || model.tasks.worker[step.task] >= model.workers.size()) continue;
    const int64_t start_ns = model.tasks.start_ns[step.task];
    const uint32_t node = model.workers.memory_node[model.tasks.worker[step.task]];
    int64_t waited_ns = 0;
    uint32_t held_by = kNone;
    for (const TaskAccess& access : model.accesses[step.task]) {
      const int64_t ns = of_data.UnderWayNs(access.handle, node, start_ns - step.wait_ns, start_ns);
      if (ns <= waited_ns || of_data.RoundTrips(access.handle) < kFewest) continue;
      waited_ns = ns;
      held_by = access.handle;
    }
    if (held_by == kNone) continue;
    AddNs(cost_ns, waited_ns);
    AddNs(of_site[model.tasks.site[step.task]], waited_ns);
    int64_t& sum_ns = of_handle[held_by];
    AddNs(sum_ns, waited_ns);
    if (sum_ns <= most_ns) continue;
    most_ns = sum_ns;
    worst = held_by;
  }
  if (worst == kNone || !context.WorthSaying(cost_ns)) return;
  round_trips = of_data.RoundTrips(worst);
  site = KeyOfMost(of_site, kNone);
  findings.push_back(context.Make(
      cost_ns, site,
      "data go back and forth between memory nodes: " + context.DataText(worst) +
          " goes and returns " + CountText(static_cast<uint64_t>(round_trips), "time") +
          ", as tasks that use it one after the other run on workers of different kinds; tasks of "
          "the critical path waited " +
          DurationText(cost_ns) +
          " for such data; give their codelets functions for one kind of worker, or run them all "
          "there",
      {{"data", context.DataText(worst)}, {"round_trips", round_trips}, {"wait_ns", cost_ns}}));
}

// Starting asynchronous copies takes at least half as long as the copies: the driver copies through
// its own buffer because the memory is not pinned. Requires a trace with the starts of copies, and
// a node other than main memory.
void FindUnpinnedCopies(const AdviceContext& context, std::vector<Finding>& findings) {
  const TraceModel& model = context.model;
  int64_t start_ns = 0, starts = 0, copy_ns = 0;
  for (uint32_t node = 0; node < model.memory_nodes.size(); ++node) {
    const StateTime time =
        TimeIn(context, model.memory_nodes.track[node], {StateKind::kDriverCopyAsync});
    AddNs(start_ns, time.total_ns);
    starts += time.count;
  }
  if (starts == 0) return;
  const bool has_device =
      std::any_of(model.workers.arch.begin(), model.workers.arch.end(), &IsDevice);
  for (size_t copy = 0; copy < model.transfers.size(); ++copy)
    if (model.transfers.end_ns[copy] != kNever)
      AddNs(copy_ns, model.transfers.end_ns[copy] - model.transfers.start_ns[copy]);
  if (!has_device || copy_ns == 0 || start_ns < copy_ns / 2 || !context.WorthSaying(start_ns))
    return;
  const SiteLoss* site = context.WorstSite(IdleCause::kTransfer);
  findings.push_back(context.Make(
      start_ns, site ? site->site : kNone,
      "copies block the thread that starts them: " + DurationText(start_ns) + " to start " +
          CountText(static_cast<uint64_t>(starts)) +
          " copies; allocate with starpu_malloc() or pin with starpu_memory_pin(), so that the "
          "driver can copy in the background",
      {{"copies_started", starts}, {"start_ns", start_ns}, {"copy_ns", copy_ns}}));
}

// A node repeatedly frees and allocates memory: buffers are not reused. Allocations without a
// preceding free are the first ones of each piece of data and do not count. The cost is the time in
// both on the busiest node. Rounding sizes up helps only if data have different sizes.
void FindAllocationChurn(const AdviceContext& context, std::vector<Finding>& findings) {
  constexpr int64_t kFewest = 10;
  const TraceModel& model = context.model;
  const BusyNode busiest = BusiestNode(context, {StateKind::kAllocating, StateKind::kFreeing});
  if (busiest.node == kNone || !context.WorthSaying(busiest.time.total_ns)) return;
  const Operations anew = CountOf(context, busiest.node, StateKind::kAllocating);
  if (anew.following < kFewest) return;
  findings.push_back(context.Make(
      busiest.time.total_ns, SiteOfTemporaries(model),
      NodeText(model, busiest.node) + " spends " + DurationText(busiest.time.total_ns) + " in " +
          CountText(static_cast<uint64_t>(busiest.time.count)) +
          " allocations and frees: buffers are not reused; " +
          (HasDataOfSeveralSizes(model)
               ? "register data with an allocation size rounded up "
                 "(starpu_matrix_data_register_allocsize()), so that tiles of different size share "
                 "buffers"
               : "register data once and use them for many tasks, or as STARPU_SCRATCH where no "
                 "other task needs the value"),
      {{"operations", busiest.time.count},
       {"allocated_anew", anew.following},
       {"node", NodeText(model, busiest.node)}}));
}

// A node is full: evicting data takes time, or tasks of the critical path wait for data that were
// evicted before.
void FindMemoryFull(const AdviceContext& context, std::vector<Finding>& findings) {
  const char* const remedy =
      "; call starpu_data_wont_use() on data that is no longer needed, submit fewer tasks ahead "
      "(STARPU_LIMIT_MAX_SUBMITTED_TASKS), use smaller blocks, or raise the limit "
      "(STARPU_LIMIT_CUDA_MEM and the like) if there is more memory";
  const BusyNode busiest = BusiestNode(
      context, {StateKind::kReclaiming, StateKind::kWritingBack, StateKind::kWritingBackAsync});
  const Reloads& reloads = context.reloads;
  const int64_t busy_ns = busiest.node == kNone ? 0 : busiest.time.total_ns;
  if (reloads.wait_ns > busy_ns && context.WorthSaying(reloads.wait_ns)) {
    findings.push_back(context.Make(reloads.wait_ns, reloads.site,
                                    NodeText(context.model, reloads.node) +
                                        " is full: " + CountText(reloads.copies) +
                                        " times, data that had been evicted were fetched again; "
                                        "tasks of the critical path waited " +
                                        DurationText(reloads.wait_ns) + " for such data" + remedy,
                                    {{"reloads", static_cast<int64_t>(reloads.copies)},
                                     {"reloaded_bytes", static_cast<int64_t>(reloads.bytes)},
                                     {"wait_ns", reloads.wait_ns},
                                     {"node", NodeText(context.model, reloads.node)}}));
    return;
  }
  if (!context.WorthSaying(busy_ns)) return;
  const auto count = [&](StateKind kind) { return CountOf(context, busiest.node, kind).count; };
  const int64_t searches = count(StateKind::kReclaiming);
  // A runtime may record write-backs on the node that is written to, such as a disk.
  int64_t write_backs = 0;
  for (uint32_t node = 0; node < context.model.memory_nodes.size(); ++node)
    for (const StateKind kind : {StateKind::kWritingBack, StateKind::kWritingBackAsync})
      write_backs += CountOf(context, node, kind).count;
  findings.push_back(
      context.Make(busy_ns, kNone,
                   NodeText(context.model, busiest.node) + " is full: it searched for space " +
                       CountText(static_cast<uint64_t>(searches)) + " times and wrote back " +
                       CountText(static_cast<uint64_t>(write_backs)) + " pieces of data, " +
                       DurationText(busy_ns) + " in all" + remedy,
                   {{"reclaims", searches},
                    {"write_backs", write_backs},
                    {"frees", count(StateKind::kFreeing)},
                    {"node", NodeText(context.model, busiest.node)}}));
}

}  // namespace tasklens
