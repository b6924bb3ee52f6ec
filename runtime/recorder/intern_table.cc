// SPDX-License-Identifier: Apache-2.0
// An open-addressed hash table. A larger table replaces it when it grows; old tables stay readable.
#include "runtime/recorder/intern_table.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>

namespace tasklens {
namespace {

constexpr uint32_t kFirstSlots = 1024;
constexpr size_t kBlockBytes = 64 * 1024;

uint64_t Hash(std::string_view text) { return std::hash<std::string_view>{}(text); }

}  // namespace

// One allocation: this struct, then the slots.
struct InternTable::Slots {
  uint32_t mask;
  std::atomic<InternedText*>* at;
  const Slots* older;  // not freed, see Grow()
};

InternedText* InternTable::FindIn(const Slots* slots, std::string_view text, uint64_t hash) {
  for (uint64_t i = hash;; ++i) {
    InternedText* found = slots->at[i & slots->mask].load(std::memory_order_acquire);
    if (found == nullptr) return nullptr;
    if (found->hash == hash && std::string_view(found->text, found->size) == text) return found;
  }
}

InternedText* InternTable::Find(std::string_view text) const {
  const Slots* slots = slots_.load(std::memory_order_acquire);
  return slots == nullptr ? nullptr : FindIn(slots, text, Hash(text));
}

InternedText* InternTable::Insert(std::string_view text) {
  const uint64_t hash = Hash(text);
  const std::lock_guard lock(mutex_);
  Slots* slots = slots_.load(std::memory_order_relaxed);
  if (slots != nullptr)
    if (InternedText* found = FindIn(slots, text, hash)) return found;
  if (count_ >= max_texts_) return nullptr;
  if ((slots == nullptr || count_ * 2 > slots->mask) && !Grow()) return nullptr;
  slots = slots_.load(std::memory_order_relaxed);
  InternedText* added = NewText(text, hash);
  if (added == nullptr) return nullptr;
  added->next = newest_.load(std::memory_order_relaxed);
  newest_.store(added, std::memory_order_release);
  uint64_t i = hash;
  while (slots->at[i & slots->mask].load(std::memory_order_relaxed) != nullptr) ++i;
  slots->at[i & slots->mask].store(added, std::memory_order_release);
  ++count_;
  return added;
}

// The old slots are not freed, as another thread may be reading them. All old slots together are no
// larger than the new ones.
bool InternTable::Grow() {
  const Slots* old = slots_.load(std::memory_order_relaxed);
  const uint32_t size = old == nullptr ? kFirstSlots : (old->mask + 1) * 2;
  using Cell = std::atomic<InternedText*>;
  void* memory = std::malloc(sizeof(Slots) + size * sizeof(Cell));
  if (memory == nullptr) return false;
  Cell* cells = reinterpret_cast<Cell*>(static_cast<char*>(memory) + sizeof(Slots));
  for (uint32_t i = 0; i < size; ++i) new (&cells[i]) Cell(nullptr);
  Slots* slots = new (memory) Slots{size - 1, cells, old};
  ForEach([slots](InternedText& text) {
    uint64_t i = text.hash;
    while (slots->at[i & slots->mask].load(std::memory_order_relaxed) != nullptr) ++i;
    slots->at[i & slots->mask].store(&text, std::memory_order_relaxed);
  });
  slots_.store(slots, std::memory_order_release);
  return true;
}

InternedText* InternTable::NewText(std::string_view text, uint64_t hash) {
  constexpr size_t kAlign = alignof(InternedText);
  const size_t bytes = (sizeof(InternedText) + text.size() + 1 + kAlign - 1) / kAlign * kAlign;
  if (bytes > block_left_) {
    const size_t block = std::max(kBlockBytes, bytes);
    block_ = static_cast<char*>(std::malloc(block));
    block_left_ = block_ == nullptr ? 0 : block;
    if (block_ == nullptr) return nullptr;
  }
  char* copy = block_ + sizeof(InternedText);
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  auto* added = new (block_)
      InternedText{hash, NewId(), static_cast<uint32_t>(text.size()), {0}, {false}, copy, nullptr};
  block_ += bytes;
  block_left_ -= bytes;
  return added;
}

}  // namespace tasklens
