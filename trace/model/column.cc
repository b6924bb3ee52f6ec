// SPDX-License-Identifier: Apache-2.0
// Packing of blocks: see column.h.
#include "trace/model/column.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tasklens {
namespace {

// Returns the mask of codes of `width` bytes.
uint64_t MaskOf(unsigned width) { return ~uint64_t{0} >> (64 - 8 * width); }

// Returns the fewest bytes for the codes of `least .. most` and the code 0.
unsigned WidthOf(uint64_t least, uint64_t most) {
  for (const unsigned width : {1, 2, 4})
    if (most - least < MaskOf(width)) return width;
  return 8;
}

// After the last code, so that each code can be read as 8 bytes.
constexpr size_t kPaddingBytes = 7;

}  // namespace

void PackedWords::Block::Free() {
  if (width != 0 && !borrowed) std::free(data);
  borrowed = false;
  data = NoData();
  width = 0;
  mask = 0;
}

// All rows are empty.
void PackedWords::Block::Allocate(unsigned bytes) {
  Free();
  void* zeros = std::calloc(kRows * bytes + kPaddingBytes, 1);
  if (zeros == nullptr) throw std::bad_alloc();
  data = static_cast<std::byte*>(zeros);
  width = static_cast<uint8_t>(bytes);
  mask = MaskOf(bytes);
}

void PackedWords::AddBlocks(size_t rows) {
  while (rows > blocks_.size() * kRows) {
    blocks_.emplace_back(empty_);
    if (blocks_.size() < 3) continue;
    Block& done = blocks_[blocks_.size() - 3];
    if (done.width == 0) continue;
    PackAnew(done);
    usual_width_ = std::max<unsigned>(done.width, 1);
  }
}

void PackedWords::AppendBlock(const uint64_t* words, size_t rows) {
  Pack(blocks_.emplace_back(empty_), words);
  size_ += rows;
}

void PackedWords::RemoveRows(size_t rows) {
  const size_t blocks = (rows + kRows - 1) / kRows;
  for (size_t i = rows; i < std::min(size_, blocks * kRows); ++i) Set(i, empty_);
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(blocks), blocks_.end());
}

void PackedWords::SetSlow(Block& block, size_t row, uint64_t word) {
  if (block.width == 0 && word == block.empty) return;
  if (block.width != 0 && word == empty_) return block.Store(row, 0);
  if (block.width == 0 && block.empty == empty_) {
    Reserve(block, {word, word}, usual_width_);
    return block.Store(row, word - block.base);
  }
  uint64_t words[kRows];
  Unpack(block, words);
  words[row] = word;
  const WordRange range = CodesHere().range_of_words(words, empty_);
  Reserve(block, range, block.width == 0 ? usual_width_ : std::min(2u * block.width, 8u));
  Encode(block, words);
}

// Allocates at least `width` bytes per row for `range`, with room for later values near it. All
// rows are empty.
void PackedWords::Reserve(Block& block, const WordRange& range, unsigned width) {
  width = std::max(width, WidthOf(range.least, range.most));
  const uint64_t mask = MaskOf(width);
  const uint64_t low = std::min(range.least, zero_), high = std::max(range.most, zero_);
  block.Allocate(width);
  block.empty = empty_;
  if (width == 8)
    block.base = empty_;  // whatever the word, its code is 0 only if it is empty
  else if (high - low < mask)
    block.base = low - 1;
  else
    block.base = range.least - 1 - (mask - 1 - (range.most - range.least)) / 8;
}

void PackedWords::Unpack(const Block& block, uint64_t* words) const {
  if (block.width == 0) return std::fill_n(words, kRows, block.empty), void();
  CodesHere().unpack(block.width, block.data, block.empty, block.base, words);
}

// REQUIRES: every word fits.
void PackedWords::Encode(const Block& block, const uint64_t* words) const {
  CodesHere().encode(block.width, words, empty_, block.base, block.data);
}

// Mostly the codes have the right width already, and are not changed.
void PackedWords::PackAnew(Block& block) {
  if (block.width < 8) {
    const CodeRange codes = CodesHere().range_of(block.width, block.data);
    const bool all_same = codes.most == 0 || (!codes.any_empty && codes.least == codes.most);
    if (!all_same && WidthOf(codes.least, codes.most) == block.width) {
      if (store_ != nullptr && !block.borrowed) MoveIntoStore(block);
      return;
    }
  }
  uint64_t words[kRows];
  Unpack(block, words);
  Pack(block, words);
}

// Keeps the block where it is if the store has no room.
void PackedWords::MoveIntoStore(Block& block) {
  std::byte* const data = store_->Store(block.data, kRows * block.width);
  if (data == nullptr) return;
  std::free(block.data);
  block.data = data;
  block.borrowed = true;
}

// Packs `words` into as few bytes as possible.
void PackedWords::Pack(Block& block, const uint64_t* words) {
  const WordRange range = CodesHere().range_of_words(words, empty_);
  const bool all_empty = range.least > range.most;
  if (all_empty || (!range.any_empty && range.least == range.most)) {
    block.Free();
    block.empty = all_empty ? empty_ : range.least;
    return;
  }
  const unsigned width = WidthOf(range.least, range.most);
  const uint64_t base = width == 8 ? empty_ : range.least - 1;
  block.empty = empty_;
  block.base = base;
  if (store_ != nullptr && PutIntoStore(block, width, words)) return;
  if (width != block.width || block.borrowed) block.Allocate(width);
  Encode(block, words);
}

// Returns false if there is no room.
bool PackedWords::PutIntoStore(Block& block, unsigned width, const uint64_t* words) {
  std::byte codes[kRows * 8];
  Block packed(empty_);
  packed.data = codes;
  packed.width = static_cast<uint8_t>(width);
  packed.mask = MaskOf(width);
  packed.base = block.base;
  packed.borrowed = true;
  Encode(packed, words);
  if (block.borrowed && block.width == width) {
    if (store_->Replace(block.data, codes, kRows * width)) return true;
    return false;
  }
  packed.data = store_->Store(codes, kRows * width);
  if (packed.data == nullptr) return false;
  block = std::move(packed);
  return true;
}

void PackedWords::Clear() {
  std::vector<Block>().swap(blocks_);
  size_ = 0;
}

void PackedWords::ShrinkToFit() {
  for (Block& block : blocks_) {
    if (block.width != 0 && !block.borrowed) PackAnew(block);
  }
  blocks_.shrink_to_fit();
}

// Changes only the bases; the codes stay as they are.
void PackedWords::AddToAll(uint64_t delta) {
  for (Block& block : blocks_) {
    if (block.width != 0)
      block.base += delta;
    else if (block.empty != empty_)
      block.empty += delta;
  }
}

bool PackedWords::AllEmpty() const {
  return std::all_of(blocks_.begin(), blocks_.end(),
                     [&](const Block& block) { return block.width == 0 && block.empty == empty_; });
}

bool PackedWords::Within(uint64_t least, uint64_t most) const {
  const auto fits = [&](uint64_t word) {
    return (least <= word && word <= most) || word == empty_;
  };
  return std::all_of(blocks_.begin(), blocks_.end(), [&](const Block& block) {
    if (block.width == 0) return fits(block.empty);
    const CodeRange codes = CodesHere().range_of(block.width, block.data);
    if (codes.any_empty && !fits(block.empty)) return false;
    if (codes.most == 0) return true;
    const uint64_t low = block.base + codes.least, high = block.base + codes.most;
    if (low <= high && least <= low && high <= most) return true;
    uint64_t words[kRows];
    Unpack(block, words);
    return std::all_of(words, words + kRows, fits);
  });
}

// If codes are never empty and never fall, neither do the words, unless one of them wraps around.
bool PackedWords::NeverFalls(const Block& block, size_t count) {
  if (block.width == 0) return true;
  if (!CodesHere().never_fall(block.width, block.data, count)) return false;
  const uint64_t first = block.CodeAt(0), last = block.CodeAt(count - 1);
  return first != 0 && block.base + first <= block.base + last;
}

bool PackedWords::AtMost(const PackedWords& other) const {
  for (size_t first = 0; first < size_; first += kRows) {
    uint64_t mine[kRows], theirs[kRows];
    Unpack(blocks_[first / kRows], mine);
    other.Unpack(other.blocks_[first / kRows], theirs);
    if (!CodesHere().at_most(mine, theirs, std::min(kRows, size_ - first))) return false;
  }
  return true;
}

void PackedWords::Borrow(size_t rows, std::span<const Form> forms, const std::byte* codes) {
  blocks_.clear();
  blocks_.reserve(forms.size());
  for (const Form& form : forms) {
    Block& block = blocks_.emplace_back(form.empty);
    if (form.width == 0) continue;
    // Never written to, see the header.
    block.data = const_cast<std::byte*>(codes);
    block.base = form.base;
    block.width = static_cast<uint8_t>(form.width);
    block.mask = MaskOf(block.width);
    block.borrowed = true;
    codes += kRows * form.width;
  }
  size_ = rows;
}

size_t PackedWords::MemoryBytes() const {
  size_t bytes = blocks_.capacity() * sizeof(Block);
  for (const Block& block : blocks_)
    if (block.width != 0) bytes += kRows * block.width + kPaddingBytes;
  return bytes;
}

}  // namespace tasklens
