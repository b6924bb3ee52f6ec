// SPDX-License-Identifier: Apache-2.0
// Handles, accesses and transfers when all events have arrived.
#include <algorithm>
#include <numeric>
#include <string>

#include "trace/model/build/data.h"
#include "trace/model/build/lists.h"
#include "trace/model/build/time_order.h"

namespace tasklens::build {

template <size_t kTask, class Table>
void Data::FirstOfRun::RemoveEarlier(Table& records) const {
  if (first_.empty()) return;
  Table kept;
  for (size_t i = 0; i < records.size(); ++i) {
    const auto it = first_.find(records.template Field<kTask>()[i]);
    if (it == first_.end() || i >= it->second.index) kept.push_back(records[i]);
  }
  records = std::move(kept);
}

void Data::FinishHandles(const Clocks& clocks) {
  HandleTable& handles = model_.handles;
  const auto rank_of = [&](size_t row) { return handles.rank_index[row]; };
  clocks.Align(handles.register_ns, rank_of);
  clocks.Align(handles.unregister_ns, rank_of);
}

void Data::FinishCoordinates() {
  if (coordinates_.empty()) return;
  const size_t handles = model_.handles.size();
  std::vector<uint32_t> last(handles, kNone);  // the latest event per handle wins
  for (uint32_t i = 0; i < coordinates_.size(); ++i) last[coordinates_[i].handle] = i;
  Lists<int32_t>& lists = model_.handles.coordinates;
  for (uint32_t event : last) {
    if (event != kNone) {
      const auto begin = coordinate_values_.begin() + coordinates_[event].first;
      lists.items.insert(lists.items.end(), begin, begin + coordinates_[event].count);
    }
    lists.offsets.push_back(static_cast<uint32_t>(lists.items.size()));
  }
}

// Resolves each access to the handle that was registered at its address at that time.
// REQUIRES: register_ns still local.
void Data::FinishAccesses() {
  const HandleTable& handles = model_.handles;
  std::vector<uint32_t> of_address(handles.size());
  std::iota(of_address.begin(), of_address.end(), 0);
  std::stable_sort(of_address.begin(), of_address.end(), [&](uint32_t a, uint32_t b) {
    return std::make_pair(address_of_handle_[a], first_seen_ns_[a]) <
           std::make_pair(address_of_handle_[b], first_seen_ns_[b]);
  });
  std::vector<uint32_t> first(addresses_.size() + 1, 0);
  for (size_t i = 0; i < addresses_.size(); ++i) first[i + 1] = first[i] + addresses_[i].rows;

  const auto handle_at = [&](const Access& access) {
    const auto begin = of_address.begin() + first[access.address];
    const auto end = of_address.begin() + first[access.address + 1];
    if (end - begin == 1) return *begin;
    const auto after = std::upper_bound(
        begin, end, access.time_ns,
        [&](int64_t time_ns, uint32_t row) { return time_ns < first_seen_ns_[row]; });
    return after == begin ? *begin : *(after - 1);
  };
  first_access_.RemoveEarlier<2>(accesses_);
  AccessLists& lists = model_.accesses;
  lists = MakeLists<decltype(lists.items)>(
      model_.tasks.size(), accesses_.size(), accesses_.Field<2>(),
      [&](size_t i) {
        const Access access = accesses_[i];
        return TaskAccess{handle_at(access), access.mode, access.size_bytes};
      },
      columns_);
  accesses_.Clear();
  for (const Numa& numa : numas_) {
    if (numa.index >= lists[numa.task].size()) continue;
    const size_t item = lists.offsets[numa.task] + numa.index;
    TaskAccess access = lists.items[item];
    access.numa_nodes = numa.nodes;
    lists.items.Set(item, access);
  }
}

void Data::FinishTransfers(const std::vector<WorkOfRank>& ranks, const Clocks& clocks,
                           Diagnostics& diags) {
  TransferTable& t = model_.transfers;
  uint64_t unmatched = 0, first_unmatched = 0;
  for (const CopyEnd& end : early_ends_) {
    const uint32_t row = ranks[end.rank_index].copies.Find(end.copy);
    const bool fits =
        row != IdMap::kAbsent && t.end_ns[row] == kNever && t.start_ns[row] <= end.time_ns;
    if (fits) {
      t.end_ns[row] = end.time_ns;
    } else if (unmatched++ == 0) {
      first_unmatched = end.copy;
    }
  }
  diags.Skip("model_unmatched_end", "copy " + std::to_string(first_unmatched), unmatched);
  for (size_t row = 0; row < t.size(); ++row) {
    const Clock& clock = clocks.of_rank[t.rank_index[row]];
    t.start_ns[row] = clock(t.start_ns[row]);
    t.end_ns[row] = clock(t.end_ns[row]);
  }
  const std::vector<uint32_t> order = OrderByTime(t.start_ns);
  Reorder(order, t.start_ns, t.end_ns, t.rank_index, t.source_node, t.target_node, t.size_bytes,
          t.copy_id, t.reason, t.handle);
}

void Data::Finish(const std::vector<WorkOfRank>& ranks, const Clocks& clocks, Diagnostics& diags) {
  FinishAccesses();
  FinishHandles(clocks);
  FinishCoordinates();
  first_parameter_.RemoveEarlier<0>(parameters_);
  model_.parameters = MakeLists<Column<StringId>>(
      model_.tasks.size(), parameters_.size(), parameters_.Field<0>(),
      [&](size_t i) { return parameters_[i].text; }, columns_);
  parameters_.Clear();
  FinishTransfers(ranks, clocks, diags);
}

}  // namespace tasklens::build
