// SPDX-License-Identifier: Apache-2.0
// Operations of a packed column (column.h) on a block of rows. A row is a word of 64 bits; its code
// has 1, 2, 4 or 8 bytes: 0 for an empty row, else the word minus the base of the block.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tasklens {

// The range of the codes of a block, without the code 0; meaningless if all codes are 0.
struct CodeRange {
  uint64_t least, most;
  bool any_empty;
};

// The range of the words of a block, without empty ones; least > most if all are empty.
struct WordRange {
  uint64_t least = ~uint64_t{0}, most = 0;
  bool any_empty = false;
};

// `width`: the bytes of a code. Pointers to codes are aligned for it.
struct BlockCodes {
  static constexpr size_t kRows = 1024;  // of a block

  void (*unpack)(unsigned width, const std::byte* codes, uint64_t empty, uint64_t base,
                 uint64_t* words);
  // REQUIRES: every word is `empty` or fits.
  void (*encode)(unsigned width, const uint64_t* words, uint64_t empty, uint64_t base,
                 std::byte* codes);
  CodeRange (*range_of)(unsigned width, const std::byte* codes);
  // Whether none of the first `count` codes is smaller than the one before.
  bool (*never_fall)(unsigned width, const std::byte* codes, size_t count);
  WordRange (*range_of_words)(const uint64_t* words, uint64_t empty);
  // Whether none of `count` words is larger than its limit.
  bool (*at_most)(const uint64_t* words, const uint64_t* limits, size_t count);
};

// Returns the operations for the processor that this program runs on.
const BlockCodes& CodesHere();
// Returns the operations that run on any processor.
const BlockCodes& CodesAnywhere();

}  // namespace tasklens
