// SPDX-License-Identifier: Apache-2.0
// starpu_bitmap, stored as words of 64 bits.
#include <starpu_bitmap.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>

#include "runtime/support/message.h"

namespace {

constexpr int kBits = 64;

uint64_t Bit(int e) { return uint64_t{1} << (e % kBits); }
bool IsInside(int e) { return e >= 0 && e < STARPU_BITMAP_NUMBERS; }

}  // namespace

extern "C" {

starpu_bitmap* starpu_bitmap_create(void) { return new starpu_bitmap{}; }
void starpu_bitmap_init(starpu_bitmap* b) { *b = {}; }
void starpu_bitmap_destroy(starpu_bitmap* b) { delete b; }

void starpu_bitmap_set(starpu_bitmap* b, int e) {
  if (!IsInside(e))
    tasklens::runtime::Fatal("starpu_bitmap_set(): %d is not below %d", e, STARPU_BITMAP_NUMBERS);
  b->words[e / kBits] |= Bit(e);
}
void starpu_bitmap_unset(starpu_bitmap* b, int e) {
  if (IsInside(e)) b->words[e / kBits] &= ~Bit(e);
}
void starpu_bitmap_unset_all(starpu_bitmap* b) { *b = {}; }
int starpu_bitmap_get(starpu_bitmap* b, int e) {
  return IsInside(e) && (b->words[e / kBits] & Bit(e)) != 0;
}

void starpu_bitmap_unset_and(starpu_bitmap* a, starpu_bitmap* b, starpu_bitmap* c) {
  for (size_t i = 0; i < std::size(a->words); ++i) a->words[i] = b->words[i] & c->words[i];
}
void starpu_bitmap_or(starpu_bitmap* a, starpu_bitmap* b) {
  for (size_t i = 0; i < std::size(a->words); ++i) a->words[i] |= b->words[i];
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
  for (int i = static_cast<int>(std::size(b->words)) - 1; i >= 0; --i) {
    if (b->words[i]) return i * kBits + kBits - 1 - std::countl_zero(b->words[i]);
  }
  return -1;
}
int starpu_bitmap_next(starpu_bitmap* b, int e) {
  for (int next = std::max(0, e + 1); next < STARPU_BITMAP_NUMBERS;
       next = (next / kBits + 1) * kBits) {
    const uint64_t word = b->words[next / kBits] >> (next % kBits);
    if (word) return next + std::countr_zero(word);
  }
  return -1;
}
int starpu_bitmap_has_next(starpu_bitmap* b, int e) { return starpu_bitmap_next(b, e) >= 0; }

}  // extern "C"
