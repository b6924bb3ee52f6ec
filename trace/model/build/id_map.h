// SPDX-License-Identifier: Apache-2.0
// From the ids of a trace (jobs, threads, addresses, tags) to rows of our tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tasklens {

// Ids that are small compared with their number lie in a plain array, all others in an open
// addressing table. Memory is proportional to the number of ids, whatever their values; the hash is
// seeded at random, so that no file can force collisions. Threads: one.
class IdMap {
 public:
  static constexpr uint32_t kAbsent = 0xffffffff;

  uint32_t Find(uint64_t id) const {
    if (id < dense_.size()) return dense_[id];
    return slots_.empty() ? kAbsent : slots_[SlotOf(id)].row;
  }

  // REQUIRES: Find(id) == kAbsent, row != kAbsent.
  void Insert(uint64_t id, uint32_t row);

  // Returns the row of `id`. One that is absent gets the row `next`, which add() appends to its
  // table.
  template <class Add>
  uint32_t FindOrAdd(uint64_t id, size_t next, const Add& add) {
    if (const uint32_t row = Find(id); row != kAbsent) return row;
    const auto row = static_cast<uint32_t>(next);
    add();
    Insert(id, row);
    return row;
  }

  // Inserts, or replaces the row that is there.
  void Set(uint64_t id, uint32_t row);

  size_t size() const { return size_; }

 private:
  struct Slot {
    uint64_t id;
    uint32_t row;
  };

  static uint64_t Seed();
  size_t SlotOf(uint64_t id) const {
    uint64_t hash = (id ^ seed_) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u;
    hash ^= hash >> 32;
    const size_t mask = slots_.size() - 1;
    size_t slot = hash & mask;
    while (slots_[slot].row != kAbsent && slots_[slot].id != id) slot = (slot + 1) & mask;
    return slot;
  }
  void InsertHashed(uint64_t id, uint32_t row);
  void GrowDense(uint64_t id);
  void GrowSlots(size_t slots);

  uint64_t seed_ = Seed();
  size_t size_ = 0;
  size_t hashed_ = 0;
  std::vector<uint32_t> dense_;
  std::vector<Slot> slots_;  // power of two; row kAbsent: free
};

}  // namespace tasklens
