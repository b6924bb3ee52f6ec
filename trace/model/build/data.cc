// SPDX-License-Identifier: Apache-2.0
// Handles, accesses and transfers as their events arrive.
#include "trace/model/build/data.h"

#include <algorithm>

namespace tasklens::build {

uint32_t Data::NewHandle(WorkOfRank& rank, uint64_t address, uint32_t index, int64_t time_ns) {
  HandleTable& handles = model_.handles;
  const uint32_t row = static_cast<uint32_t>(handles.size());
  handles.address.push_back(address);
  handles.rank_index.push_back(rank.index);
  address_of_handle_.push_back(index);
  first_seen_ns_.push_back(time_ns);
  return row;
}

uint32_t Data::NewAddress(WorkOfRank& rank, uint64_t address, int64_t time_ns) {
  const auto index = static_cast<uint32_t>(addresses_.size());
  addresses_.push_back({NewHandle(rank, address, index, time_ns)});
  rank.addresses.Insert(address, index);
  return index;
}

void Data::NextHandle(WorkOfRank& rank, const Event& event, uint32_t index) {
  // NewHandle() moves no address.
  addresses_[index].last_row = NewHandle(rank, event.args[0], index, event.time_ns);
  ++addresses_[index].rows;
}

// Registering an address whose handle was only mentioned so far, and never registered, keeps that
// handle; so does a handle that was named in advance.
uint32_t Data::Register(WorkOfRank& rank, const Event& event) {
  const uint32_t index = AddressOf(rank, event.args[0], event.time_ns);
  HandleTable& handles = model_.handles;
  const uint32_t last = addresses_[index].last_row;
  if (handles.register_ns[last] != kNever ||
      (first_seen_ns_[last] < event.time_ns && !named_early_.contains(last)))
    NextHandle(rank, event, index);
  const uint32_t row = addresses_[index].last_row;
  handles.register_ns.Set(row, event.time_ns);
  return row;
}

// Returns the handle to which a name or coordinates belong. StarPU after 1.4 sends them before it
// registers the handle: if no handle lives at the address, they belong to the next one.
uint32_t Data::Named(WorkOfRank& rank, const Event& event) {
  const size_t handles = model_.handles.size();
  const uint32_t index = AddressOf(rank, event.args[0], event.time_ns);
  if (model_.handles.unregister_ns[addresses_[index].last_row] != kNever)
    NextHandle(rank, event, index);
  const uint32_t row = addresses_[index].last_row;
  if (row >= handles) named_early_.insert(row);
  return row;
}

uint32_t Data::RowFor(WorkOfRank& rank, const Event& event) {
  switch (event.kind) {
    case EventKind::kDataNew: return Register(rank, event);
    case EventKind::kDataName:
    case EventKind::kDataCoordinates: return Named(rank, event);
    default: return addresses_[AddressOf(rank, event.args[0], event.time_ns)].last_row;
  }
}

void Data::HandleEvent(WorkOfRank& rank, const Event& event) {
  if (!(parts_ & (kPartData | kPartTransfers | kPartMessages))) return;
  HandleTable& handles = model_.handles;
  const auto args = event.args;
  const uint32_t row = RowFor(rank, event);
  switch (event.kind) {
    case EventKind::kDataNew:
      handles.size_bytes.Set(row, args[1]);
      handles.max_size_bytes.Set(row, static_cast<int64_t>(args[2]));
      handles.home_node.Set(row, static_cast<int32_t>(args[3]));
      handles.parent.Set(row, args[4]);
      return handles.description.Set(row, static_cast<StringId>(args[5]));
    case EventKind::kDataDelete: return handles.unregister_ns.Set(row, event.time_ns);
    case EventKind::kDataName: return handles.name.Set(row, static_cast<StringId>(args[1]));
    case EventKind::kDataMpiTag: return handles.mpi_tag.Set(row, static_cast<int64_t>(args[1]));
    case EventKind::kDataMpiOwner: return handles.mpi_owner.Set(row, static_cast<int32_t>(args[1]));
    case EventKind::kDataCoordinates:
      coordinates_.push_back({row, static_cast<uint32_t>(coordinate_values_.size()),
                              static_cast<uint32_t>(args.size() - 1)});
      for (uint64_t value : args.subspan(1))
        coordinate_values_.push_back(static_cast<int32_t>(value));
      return;
    default: return;
  }
}

void Data::CopyEvent(WorkOfRank& rank, const Event& event) {
  if (!(parts_ & kPartTransfers)) return;
  const auto args = event.args;
  TransferTable& transfers = model_.transfers;
  if (event.kind == EventKind::kCopyStart) {
    rank.copies.Set(args[3], static_cast<uint32_t>(transfers.size()));
    transfers.start_ns.push_back(event.time_ns);
    transfers.end_ns.push_back(kNever);
    transfers.rank_index.push_back(rank.index);
    transfers.source_node.push_back(static_cast<uint32_t>(args[0]));
    transfers.target_node.push_back(static_cast<uint32_t>(args[1]));
    transfers.size_bytes.push_back(args[2]);
    transfers.copy_id.push_back(args[3]);
    transfers.reason.push_back(static_cast<CopyReason>(std::min<uint64_t>(args[4], 3)));
    transfers.handle.push_back(args[5]);
    return;
  }
  if (event.kind == EventKind::kCopyOnDevice) {
    const uint32_t row = rank.copies.Find(args[0]);
    if (row == IdMap::kAbsent) return;
    transfers.start_ns[row] = static_cast<int64_t>(args[1]);
    transfers.end_ns[row] = static_cast<int64_t>(args[2]);
    return;
  }
  const uint32_t row = rank.copies.Find(args[3]);
  if (row != IdMap::kAbsent && transfers.end_ns[row] == kNever &&
      transfers.start_ns[row] <= event.time_ns)
    transfers.end_ns[row] = event.time_ns;
  else
    early_ends_.push_back({rank.index, args[3], event.time_ns});
}

}  // namespace tasklens::build
