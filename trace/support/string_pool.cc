// SPDX-License-Identifier: Apache-2.0
// Interning by open addressing over strings that are copied once into large blocks.
#include "trace/support/string_pool.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace tasklens {
namespace {

constexpr size_t kBlockBytes = 64 * 1024;

uint32_t Hash(std::string_view text) {
  const uint64_t h = std::hash<std::string_view>{}(text);
  return static_cast<uint32_t>(h ^ (h >> 32));
}

}  // namespace

StringPool::StringPool() : texts_{""}, hashes_{0}, slots_(64, 0) {}

size_t StringPool::SlotOf(std::string_view text, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  while (slots_[slot] != 0) {
    const StringId id = slots_[slot];
    if (hashes_[id] == hash && texts_[id] == text) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

void StringPool::Grow() {
  slots_.assign(slots_.size() * 2, 0);
  const size_t mask = slots_.size() - 1;
  for (StringId id = 1; id < texts_.size(); ++id) {
    size_t slot = hashes_[id] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = id;
  }
}

StringId StringPool::Intern(std::string_view text) {
  if (text.empty()) return 0;
  const uint32_t hash = Hash(text);
  size_t slot = SlotOf(text, hash);
  if (slots_[slot] != 0) return slots_[slot];

  if (text.size() > block_left_) {
    const size_t bytes = std::max(kBlockBytes, text.size());
    blocks_.push_back(std::make_unique<char[]>(bytes));
    block_next_ = blocks_.back().get();
    block_left_ = bytes;
  }
  std::memcpy(block_next_, text.data(), text.size());
  const StringId id = static_cast<StringId>(texts_.size());
  texts_.emplace_back(block_next_, text.size());
  hashes_.push_back(hash);
  block_next_ += text.size();
  block_left_ -= text.size();
  slots_[slot] = id;
  if (texts_.size() * 2 > slots_.size()) Grow();
  return id;
}

StringIds StringPool::Adopt(const StringPool& other) {
  StringIds ids;
  for (const std::string_view text : other.texts_) ids.ids_.push_back(Intern(text));
  return ids;
}

StringId StringPool::Find(std::string_view text) const {
  return text.empty() ? 0 : slots_[SlotOf(text, Hash(text))];
}

}  // namespace tasklens
