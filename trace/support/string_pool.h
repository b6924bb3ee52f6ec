// SPDX-License-Identifier: Apache-2.0
// Stores each distinct string once and identifies it by a 32-bit StringId.
//
// Id 0 is always "". Views stay valid as long as the pool (moving the pool keeps them valid).
// Threads: Intern() from one thread at a time; a const pool may be read by any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace tasklens {

using StringId = uint32_t;

// Translates the ids of one pool into ids of another.
class StringIds {
 public:
  // 0 for an id that the pool never gave out.
  StringId operator[](uint64_t id) const { return id < ids_.size() ? ids_[id] : 0; }

 private:
  friend class StringPool;
  std::vector<StringId> ids_;
};

class StringPool {
 public:
  StringPool();
  StringPool(StringPool&&) = default;
  StringPool& operator=(StringPool&&) = default;

  StringId Intern(std::string_view text);

  // Returns the id of `text` if it was interned, else 0 (which is also the id of "").
  StringId Find(std::string_view text) const;

  // Interns all of `other`; returns its ids as ids of this.
  StringIds Adopt(const StringPool& other);

  // "" for an id this pool never gave out.
  std::string_view Get(StringId id) const { return id < texts_.size() ? texts_[id] : ""; }

  size_t size() const { return texts_.size(); }

 private:
  size_t SlotOf(std::string_view text, uint32_t hash) const;
  void Grow();

  std::vector<std::string_view> texts_;
  std::vector<uint32_t> hashes_;
  std::vector<StringId> slots_;  // open addressing, power of two; 0 = free
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_left_ = 0;
  char* block_next_ = nullptr;
};

}  // namespace tasklens
