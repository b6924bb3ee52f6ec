// SPDX-License-Identifier: Apache-2.0
// Dense array plus open addressing.
#include "trace/model/build/id_map.h"

#include <algorithm>
#include <random>

namespace tasklens {
namespace {

constexpr uint64_t kDenseFromStart = 1024;

}  // namespace

uint64_t IdMap::Seed() {
  static const uint64_t seed = (uint64_t{std::random_device{}()} << 32) | std::random_device{}();
  return seed;
}

void IdMap::Insert(uint64_t id, uint32_t row) {
  ++size_;
  if (id >= dense_.size() && id < 2 * uint64_t{size_} + kDenseFromStart) GrowDense(id);
  if (id < dense_.size())
    dense_[id] = row;
  else
    InsertHashed(id, row);
}

void IdMap::Set(uint64_t id, uint32_t row) {
  if (Find(id) == kAbsent) return Insert(id, row);
  if (id < dense_.size())
    dense_[id] = row;
  else
    slots_[SlotOf(id)].row = row;
}

void IdMap::InsertHashed(uint64_t id, uint32_t row) {
  if ((hashed_ + 1) * 2 > slots_.size()) GrowSlots(std::max<size_t>(16, slots_.size() * 2));
  slots_[SlotOf(id)] = {id, row};
  ++hashed_;
}

void IdMap::GrowDense(uint64_t id) {
  const size_t old_size = dense_.size();
  dense_.resize(std::max<size_t>(id + 1, old_size + old_size / 2), kAbsent);
  if (hashed_ == 0) return;
  std::vector<Slot> old;
  old.swap(slots_);
  hashed_ = 0;
  for (const Slot& slot : old) {
    if (slot.row == kAbsent) continue;
    if (slot.id < dense_.size())
      dense_[slot.id] = slot.row;
    else
      InsertHashed(slot.id, slot.row);
  }
}

void IdMap::GrowSlots(size_t slots) {
  std::vector<Slot> old(slots, Slot{0, kAbsent});
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.row != kAbsent) slots_[SlotOf(slot.id)] = slot;
}

}  // namespace tasklens
