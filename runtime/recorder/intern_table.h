// SPDX-License-Identifier: Apache-2.0
// InternTable: numbers for all texts of the process's trace. Lookups take no lock.
//
// Texts are identified by their bytes, never by their address: programs reuse buffers for names,
// and a wrong name in a trace is worse than 4 ns. Each thread's cache by address (PointerCache)
// therefore compares the bytes with its copy at every hit.
//
// Texts are never freed, so readers of the table need no protection, and a number means the same
// text in every trace of the process. Their number is bounded; see Insert().
//
// Threads: all functions from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace tasklens {

struct InternedText {
  uint64_t hash;
  uint32_t id;
  uint32_t size;
  std::atomic<uint32_t> session;  // the trace that contains it, by Writer::session()
  std::atomic<bool> keep;         // its number is held outside: every trace must contain it
  const char* text;               // zero-terminated
  InternedText* next;             // the next older text; for ForEach()
};

class InternTable {
 public:
  constexpr explicit InternTable(uint32_t max_texts) : max_texts_(max_texts) {}
  InternTable(const InternTable&) = delete;
  InternTable& operator=(const InternTable&) = delete;

  // Returns nullptr if the text is not in the table.
  InternedText* Find(std::string_view text) const;
  // Finds or adds the text. Returns nullptr if there are max_texts already, or no memory.
  InternedText* Insert(std::string_view text);
  // Returns a number that no text of the table has or will have.
  uint32_t NewId() { return next_id_.fetch_add(1, std::memory_order_relaxed); }

  template <class Function>
  void ForEach(Function function) const {
    for (InternedText* at = newest_.load(std::memory_order_acquire); at != nullptr; at = at->next)
      function(*at);
  }

  // Called before and after fork().
  void Lock() { mutex_.lock(); }
  void Unlock() { mutex_.unlock(); }

 private:
  struct Slots;
  static InternedText* FindIn(const Slots* slots, std::string_view text, uint64_t hash);
  bool Grow();
  InternedText* NewText(std::string_view text, uint64_t hash);

  const uint32_t max_texts_;
  std::atomic<Slots*> slots_{nullptr};
  std::atomic<InternedText*> newest_{nullptr};
  std::atomic<uint32_t> next_id_{1};
  std::mutex mutex_;
  uint32_t count_ = 0;
  char* block_ = nullptr;
  size_t block_left_ = 0;
};

// A thread's cache of texts by address. A plain array, so that a thread_local one needs no
// constructor.
struct PointerCache {
  static constexpr size_t kSlots = 256;
  struct Slot {
    const char* pointer;
    InternedText* text;
  };
  Slot slots[kSlots];

  Slot& SlotOf(const char* pointer) {
    const uint64_t address = reinterpret_cast<uintptr_t>(pointer);
    return slots[(address * 0x9E3779B97F4A7C15u) >> 56];
  }
};
static_assert(PointerCache::kSlots == 256, "SlotOf() takes 8 bits");

}  // namespace tasklens
