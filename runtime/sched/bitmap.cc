// SPDX-License-Identifier: Apache-2.0
// starpu_bitmap: words of 64 bits, as many as the largest number asks for.
#include <starpu_bitmap.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/core/message.h"

struct starpu_bitmap {
  std::vector<uint64_t> words;
};

namespace {

constexpr int kBits = 64;

uint64_t Bit(int e) { return uint64_t{1} << (e % kBits); }

}  // namespace

extern "C" {

starpu_bitmap* starpu_bitmap_create(void) { return new starpu_bitmap; }
void starpu_bitmap_destroy(starpu_bitmap* b) { delete b; }

void starpu_bitmap_set(starpu_bitmap* b, int e) {
  if (e < 0) tasklens::runtime::Fatal("starpu_bitmap_set(): %d is below 0", e);
  const size_t word = static_cast<size_t>(e / kBits);
  if (word >= b->words.size()) b->words.resize(word + 1);
  b->words[word] |= Bit(e);
}
void starpu_bitmap_unset(starpu_bitmap* b, int e) {
  if (starpu_bitmap_get(b, e)) b->words[static_cast<size_t>(e / kBits)] &= ~Bit(e);
}
void starpu_bitmap_unset_all(starpu_bitmap* b) { b->words.clear(); }
int starpu_bitmap_get(starpu_bitmap* b, int e) {
  const size_t word = static_cast<size_t>(e / kBits);
  return e >= 0 && word < b->words.size() && (b->words[word] & Bit(e)) != 0;
}

void starpu_bitmap_unset_and(starpu_bitmap* a, starpu_bitmap* b, starpu_bitmap* c) {
  std::vector<uint64_t> both(std::min(b->words.size(), c->words.size()));
  for (size_t i = 0; i < both.size(); ++i) both[i] = b->words[i] & c->words[i];
  a->words = std::move(both);
}
void starpu_bitmap_or(starpu_bitmap* a, starpu_bitmap* b) {
  a->words.resize(std::max(a->words.size(), b->words.size()));
  for (size_t i = 0; i < b->words.size(); ++i) a->words[i] |= b->words[i];
}
int starpu_bitmap_and_get(starpu_bitmap* a, starpu_bitmap* b, int e) {
  return starpu_bitmap_get(a, e) && starpu_bitmap_get(b, e);
}

int starpu_bitmap_cardinal(starpu_bitmap* b) {
  int count = 0;
  for (const uint64_t word : b->words) count += std::popcount(word);
  return count;
}
int starpu_bitmap_first(starpu_bitmap* b) { return starpu_bitmap_next(b, -1); }
int starpu_bitmap_last(starpu_bitmap* b) {
  for (size_t i = b->words.size(); i-- > 0;) {
    if (b->words[i]) {
      return static_cast<int>(i) * kBits + kBits - 1 - std::countl_zero(b->words[i]);
    }
  }
  return -1;
}
int starpu_bitmap_next(starpu_bitmap* b, int e) {
  const int end = static_cast<int>(b->words.size()) * kBits;
  for (int i = e + 1; i < end; ++i) {
    if (starpu_bitmap_get(b, i)) return i;
  }
  return -1;
}
int starpu_bitmap_has_next(starpu_bitmap* b, int e) { return starpu_bitmap_next(b, e) >= 0; }

}  // extern "C"
