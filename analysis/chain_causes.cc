// SPDX-License-Identifier: Apache-2.0
#include "analysis/chain_causes.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/placements.h"
#include "analysis/sum.h"
#include "analysis/task_times.h"

namespace tasklens {
namespace {

// How two tasks are related by their data.
class DataBetween {
 public:
  explicit DataBetween(const TraceModel& model) : model_(model) {
    const HandleTable& handles = model.handles;
    if (handles.parent.AllDefault()) return;
    std::unordered_map<uint64_t, uint32_t> row_of;  // the last row of a reused address
    parent_.resize(handles.size(), kNone);
    for (uint32_t row = 0; row < handles.size(); ++row) {
      if (const uint64_t parent = handles.parent[row]; parent != 0)
        if (const auto it = row_of.find(parent); it != row_of.end()) parent_[row] = it->second;
      row_of[handles.address[row]] = row;
    }
  }

  enum class Kind : uint8_t {
    kUnknown,  // at least one of them uses no data
    kNone,     // they use nothing in common
    kValue,    // they share data, and the second may need the first one's result
    kReuse,    // they share data; the second only overwrites all of them, and at least one of the
               // tasks has data
  };
  // `handle`: for kReuse, data that they share.
  Kind operator()(uint32_t before, uint32_t after, uint32_t& handle) const {
    bool first_uses = false, second_uses = false, in_common = false;
    for (const TaskAccess& a : model_.accesses[before]) first_uses |= Counts(a);
    for (const TaskAccess& b : model_.accesses[after]) {
      if (!Counts(b)) continue;
      second_uses = true;
      for (const TaskAccess& a : model_.accesses[before]) {
        if (!Counts(a) || !Related(a.handle, b.handle)) continue;
        if (!((a.mode | b.mode) & kAccessWrite)) continue;  // two readers
        in_common = true;
        const bool anew = a.handle == b.handle && (b.mode & kAccessWrite) &&
                          !(b.mode & (kAccessRead | kAccessRedux));
        if (!anew) return Kind::kValue;
        handle = b.handle;
      }
    }
    if (!first_uses || !second_uses) return Kind::kUnknown;
    return in_common ? Kind::kReuse : Kind::kNone;
  }

 private:
  static bool Counts(const TaskAccess& access) { return !(access.mode & kAccessScratch); }
  // Whether the data are the same, or one is a part of the other.
  bool Related(uint32_t a, uint32_t b) const { return a == b || IsWithin(a, b) || IsWithin(b, a); }
  bool IsWithin(uint32_t part, uint32_t whole) const {
    if (parent_.empty()) return false;
    for (part = parent_[part]; part != kNone; part = parent_[part])
      if (part == whole) return true;
    return false;
  }

  const TraceModel& model_;
  std::vector<uint32_t> parent_;  // by handle; a parent's row is smaller; empty: none has a parent
};

// Returns the length of the longest chain of the edges for which `keep` is true; a task counts
// `length_ns`.
template <class LengthNs, class Keep>
int64_t LongestNs(const Waits& waits, const LengthNs& length_ns, const Keep& keep, Stop stop) {
  const std::span<const uint32_t> sequence = waits.sequence();
  std::vector<int64_t> until_ns(sequence.size());
  int64_t longest_ns = 0;
  for (uint32_t i = 0; i < sequence.size(); ++i) {
    if (Stopped(stop, i)) return 0;
    const uint32_t row = sequence[i];
    int64_t before_ns = 0;
    waits.ForEach(row, [&](const Waits::Edge& edge) {
      const int64_t of_edge_ns = until_ns[waits.position(edge.before)];
      if (of_edge_ns > before_ns && keep(edge, row)) before_ns = of_edge_ns;
    });
    until_ns[i] = before_ns + (waits.IsPassage(row) ? 0 : length_ns(row));
    longest_ns = std::max(longest_ns, until_ns[i]);
  }
  return longest_ns;
}

// Returns the tags of tasks of the chain, by task.
std::unordered_map<uint32_t, uint32_t> TagsOf(const TraceModel& model, const LongestChain& chain) {
  std::unordered_map<uint32_t, uint32_t> tag_of;
  for (const uint32_t task : chain.tasks)
    if (model.tasks.has_tag[task]) tag_of.emplace(task, kNone);
  for (const auto& [tag, owner] : model.tags.owners)
    if (const auto it = tag_of.find(owner); it != tag_of.end()) it->second = tag;
  std::erase_if(tag_of, [](const auto& one) { return one.second == kNone; });
  return tag_of;
}

// Returns how much shorter than `chain` a longest chain of `without_ns` is.
int64_t SavedNs(const LongestChain& chain, int64_t without_ns, Stop stop) {
  return Stopped(stop) ? 0 : std::max<int64_t>(0, chain.length_ns - without_ns);
}

// Returns where the program declared that `after` has to wait: at its tag, else at its submission.
uint32_t SiteOfOrder(const TraceModel& model, const std::unordered_map<uint32_t, uint32_t>& tag_of,
                     uint32_t after) {
  const auto tag = tag_of.find(after);
  if (tag != tag_of.end() && model.tags.site[tag->second] != kNone)
    return model.tags.site[tag->second];
  return model.tasks.site[after];
}

// Finds causes in dependencies between tasks of the chain: reused data, and mere order.
void FindCausesOfLinks(const TraceModel& model, const Waits& waits, const LongestChain& chain,
                       const FastestLengths& fastest_ns, Stop stop, ChainCauses& causes) {
  using Kind = DataBetween::Kind;
  const DataBetween between(model);
  const TaskTable& tasks = model.tasks;
  std::map<uint32_t, uint64_t> reuse_sites, reuse_handles, order_sites;
  const std::unordered_map<uint32_t, uint32_t> tag_of = TagsOf(model, chain);
  for (size_t i = 1; i < chain.tasks.size(); ++i) {
    uint32_t handle = kNone;
    const uint32_t before = chain.tasks[i - 1], after = chain.tasks[i];
    bool is_direct = false;
    waits.ForEach(after, [&](const Waits::Edge& edge) {
      is_direct |= edge.before == before && edge.message == kNone;
    });
    if (!is_direct) continue;
    switch (between(before, after, handle)) {
      case Kind::kReuse:
        ++causes.reuse.links;
        ++reuse_sites[tasks.site[after]];
        ++reuse_handles[handle];
        break;
      case Kind::kNone:
        ++causes.order.links;
        ++order_sites[SiteOfOrder(model, tag_of, after)];
        break;
      case Kind::kValue:
      case Kind::kUnknown: break;
    }
  }
  // Computed without all dependencies of a kind, except those from or to passages.
  const auto saved_ns = [&](Kind kind) {
    const auto keep = [&](const Waits::Edge& edge, uint32_t after) {
      if (edge.message != kNone || waits.IsPassage(edge.before) || waits.IsPassage(after))
        return true;
      uint32_t handle = kNone;
      return between(edge.before, after, handle) != kind;
    };
    return SavedNs(chain, LongestNs(waits, fastest_ns, keep, stop), stop);
  };
  if (causes.reuse.links > 0) {
    causes.reuse.site = KeyOfMost(reuse_sites, kNone);
    causes.reuse.handle = KeyOfMost(reuse_handles, kNone);
    causes.reuse.saved_ns = saved_ns(Kind::kReuse);
  }
  if (causes.order.links > 0) {
    causes.order.site = KeyOfMost(order_sites, kNone);
    causes.order.saved_ns = saved_ns(Kind::kNone);
  }
}

// Finds tasks of the chain that take longer than others of the same line and name.
void FindUnlikeTasks(const TraceModel& model, const Waits& waits, const LongestChain& chain,
                     const FastestLengths& fastest_ns, Stop stop, ChainCauses& causes) {
  const TaskTable& tasks = model.tasks;
  using Key = std::pair<uint32_t, StringId>;
  const auto fellows_of = [&](uint32_t task) { return Key(tasks.site[task], tasks.name[task]); };
  struct Fellows {
    std::vector<int64_t> lengths_ns;
    int64_t mean_ns = 0;
  };
  std::map<Key, Fellows> fellows;
  for (const uint32_t task : waits.sequence())
    if (!waits.IsPassage(task)) fellows[fellows_of(task)].lengths_ns.push_back(fastest_ns(task));
  for (auto& [key, of] : fellows) {
    int64_t sum_ns = 0;
    for (const int64_t ns : of.lengths_ns) AddNs(sum_ns, ns);
    of.mean_ns = sum_ns / static_cast<int64_t>(of.lengths_ns.size());
  }
  std::map<Key, uint64_t> beyond_ns;
  for (const uint32_t task : chain.tasks) {
    const int64_t more_ns = fastest_ns(task) - fellows[fellows_of(task)].mean_ns;
    if (more_ns > 0) beyond_ns[fellows_of(task)] += static_cast<uint64_t>(more_ns);
  }
  const Key most = KeyOfMost(beyond_ns, {kNone, 0});
  const auto it = fellows.find(most);
  if (it == fellows.end()) return;
  causes.unlike.site = most.first;
  for (const uint32_t task : chain.tasks) {
    if (fellows_of(task) != most || fastest_ns(task) < 2 * it->second.mean_ns) continue;
    ++causes.unlike.tasks;
    causes.unlike.longest_ns = std::max(causes.unlike.longest_ns, fastest_ns(task));
  }
  std::vector<int64_t>& lengths_ns = it->second.lengths_ns;
  const auto middle = lengths_ns.begin() + static_cast<ptrdiff_t>(lengths_ns.size() / 2);
  std::nth_element(lengths_ns.begin(), middle, lengths_ns.end());
  causes.unlike.median_ns = *middle;
  if (causes.unlike.tasks == 0) return;
  const auto mean_ns = [&](uint32_t task) { return fellows[fellows_of(task)].mean_ns; };
  const auto all = [](const Waits::Edge&, uint32_t) { return true; };
  causes.unlike.saved_ns = SavedNs(chain, LongestNs(waits, mean_ns, all, stop), stop);
}

}  // namespace

ChainCauses FindChainCauses(const TraceModel& model, const Waits& waits, const LongestChain& chain,
                            Stop stop) {
  ChainCauses causes;
  if (chain.tasks.size() < 2) return causes;
  const FastestLengths fastest_ns(model, stop);
  FindCausesOfLinks(model, waits, chain, fastest_ns, stop, causes);
  FindUnlikeTasks(model, waits, chain, fastest_ns, stop, causes);
  return causes;
}

}  // namespace tasklens
