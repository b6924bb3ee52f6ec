// SPDX-License-Identifier: Apache-2.0
#include "converters/paired_source.h"

#include <algorithm>

namespace tasklens {
namespace {

constexpr size_t kMostAheadBytes = size_t{64} << 20;
// Dropping pages interrupts the other thread, so it is done for many at a time.
constexpr size_t kForgetBytes = size_t{16} << 20;

}  // namespace

void PairedSource::Reached(size_t reader, size_t offset) {
  std::unique_lock lock(mutex_);
  const size_t& other = reached_[1 - reader];
  reached_[reader] = offset;
  moved_.notify_all();
  const size_t both = std::min({offset, other, source_.bytes().size()});
  if (both >= forgotten_ + kForgetBytes) {
    source_.Forget(forgotten_, both);
    forgotten_ = both;
  }
  if (offset != kEnd)
    moved_.wait(lock, [&] { return other >= offset || offset - other <= kMostAheadBytes; });
}

}  // namespace tasklens
