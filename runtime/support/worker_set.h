// SPDX-License-Identifier: Apache-2.0
// Sets of workers, by number: WorkerSet is a value, SharedWorkerSet may be changed by several
// threads.
#pragma once

#include <starpu.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tasklens::runtime {

class WorkerSet {
 public:
  static constexpr size_t kWords = (STARPU_NMAXWORKERS + 63) / 64;

  WorkerSet() = default;
  // Returns the set of the first `count` workers.
  static WorkerSet First(int count) {
    WorkerSet set;
    for (int id = 0; id < count; ++id) set.Add(id);
    return set;
  }
  static WorkerSet Of(int id) {
    WorkerSet set;
    set.Add(id);
    return set;
  }

  void Add(int id) { words_[Word(id)] |= Bit(id); }
  bool Has(int id) const { return words_[Word(id)] & Bit(id); }
  bool empty() const { return *this == WorkerSet(); }
  int size() const {
    int size = 0;
    for (const uint64_t word : words_) size += std::popcount(word);
    return size;
  }
  // Calls function(id) for each worker, the lowest first.
  template <class Function>
  void ForEach(Function&& function) const {
    for (size_t i = 0; i < kWords; ++i)
      for (uint64_t word = words_[i]; word; word &= word - 1)
        function(static_cast<int>(64 * i) + std::countr_zero(word));
  }
  std::vector<int> Ids() const {
    std::vector<int> ids;
    ForEach([&ids](int id) { ids.push_back(id); });
    return ids;
  }

  friend WorkerSet operator&(WorkerSet a, const WorkerSet& b) {
    for (size_t i = 0; i < kWords; ++i) a.words_[i] &= b.words_[i];
    return a;
  }
  friend WorkerSet operator-(WorkerSet a, const WorkerSet& b) {
    for (size_t i = 0; i < kWords; ++i) a.words_[i] &= ~b.words_[i];
    return a;
  }
  friend bool operator==(const WorkerSet&, const WorkerSet&) = default;

 private:
  friend class SharedWorkerSet;
  static size_t Word(int id) { return static_cast<size_t>(id) / 64; }
  static uint64_t Bit(int id) { return uint64_t{1} << (id % 64); }

  std::array<uint64_t, kWords> words_{};
};

// A set for at most `workers` workers; the number is fixed, so that a machine with up to 64 workers
// uses one word. Each call is sequentially consistent in each word; none is atomic across words.
class SharedWorkerSet {
 public:
  explicit SharedWorkerSet(int workers)
      : used_((static_cast<size_t>(workers) + 63) / 64),
        words_(std::make_unique<std::atomic<uint64_t>[]>(used_)) {}

  void Add(int id) { words_[WorkerSet::Word(id)].fetch_or(WorkerSet::Bit(id)); }
  void Add(const WorkerSet& set) {
    for (size_t i = 0; i < used_; ++i) words_[i].fetch_or(set.words_[i]);
  }
  void Remove(int id) { words_[WorkerSet::Word(id)].fetch_and(~WorkerSet::Bit(id)); }
  // Removes the workers of `set`; returns those that were there.
  WorkerSet Remove(const WorkerSet& set) {
    WorkerSet removed;
    for (size_t i = 0; i < used_; ++i)
      removed.words_[i] = words_[i].fetch_and(~set.words_[i]) & set.words_[i];
    return removed;
  }
  bool Has(int id) const { return words_[WorkerSet::Word(id)].load() & WorkerSet::Bit(id); }
  bool empty() const {
    for (size_t i = 0; i < used_; ++i)
      if (words_[i].load()) return false;
    return true;
  }
  WorkerSet Load() const {
    WorkerSet set;
    for (size_t i = 0; i < used_; ++i) set.words_[i] = words_[i].load();
    return set;
  }
  // Removes and returns a worker that is not in `but`; -1: there is none.
  int TakeOne(const SharedWorkerSet& but) {
    for (size_t i = 0; i < used_; ++i) {
      uint64_t word = words_[i].load();
      while (const uint64_t able = word & ~but.words_[i].load()) {
        if (words_[i].compare_exchange_weak(word, word & ~(able & -able)))
          return static_cast<int>(64 * i) + std::countr_zero(able);
      }
    }
    return -1;
  }

 private:
  const size_t used_;
  const std::unique_ptr<std::atomic<uint64_t>[]> words_;
};

}  // namespace tasklens::runtime
