// SPDX-License-Identifier: Apache-2.0
// One input that two threads read at once, each from beginning to end. The distance between the two
// is limited to a part that stays in memory, so that a large file is fetched once.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>

#include "trace/support/source.h"

namespace tasklens {

class PairedSource {
 public:
  // `source` must outlive this.
  explicit PairedSource(const Source& source) : source_(source) {}

  // The input for one of the readers, 0 or 1; the reader is done when this object is destroyed. A
  // reader that forgets bytes waits for the other if that is far behind.
  class Reading : public Source {
   public:
    Reading(PairedSource& pair, size_t reader) : pair_(pair), reader_(reader) {
      path_ = pair.source_.path();
      bytes_ = pair.source_.bytes();
    }
    ~Reading() override { pair_.Reached(reader_, kEnd); }
    Result<std::span<const std::byte>> Read(size_t begin,
                                            std::span<std::byte> room) const override {
      return pair_.source_.Read(begin, room);
    }
    void Forget(size_t, size_t end) const override { pair_.Reached(reader_, end); }

   private:
    PairedSource& pair_;
    const size_t reader_;
  };

 private:
  static constexpr size_t kEnd = ~size_t{0};

  void Reached(size_t reader, size_t offset);

  const Source& source_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::array<size_t, 2> reached_{};  // guarded by mutex_
  size_t forgotten_ = 0;             // guarded by mutex_
};

}  // namespace tasklens
