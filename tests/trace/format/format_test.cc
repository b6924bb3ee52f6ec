// SPDX-License-Identifier: Apache-2.0
// The format does not change by accident.
#include "trace/format/format.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tasklens {
namespace {

TEST(Format, TheHeaderIsAsThePageSays) {
  EXPECT_EQ(offsetof(tlt::FileHeader, magic), 0u);
  EXPECT_EQ(offsetof(tlt::FileHeader, byte_order), 8u);
  EXPECT_EQ(offsetof(tlt::FileHeader, version_major), 12u);
  EXPECT_EQ(offsetof(tlt::FileHeader, version_minor), 14u);
  EXPECT_EQ(offsetof(tlt::FileHeader, header_bytes), 16u);
  EXPECT_EQ(offsetof(tlt::FileHeader, flags), 20u);
  EXPECT_EQ(offsetof(tlt::FileHeader, file_bytes), 24u);
  EXPECT_EQ(offsetof(tlt::FileHeader, dropped), 32u);
  EXPECT_EQ(offsetof(tlt::FileHeader, pid), 40u);
  EXPECT_EQ(offsetof(tlt::FileHeader, rank), 44u);
  EXPECT_EQ(offsetof(tlt::FileHeader, category_mask), 48u);
  EXPECT_EQ(offsetof(tlt::FileHeader, ns_per_tick), 56u);
  EXPECT_EQ(offsetof(tlt::FileHeader, start), 64u);
  EXPECT_EQ(offsetof(tlt::FileHeader, end), 88u);
  EXPECT_EQ(offsetof(tlt::FileHeader, host), 128u);
  EXPECT_EQ(offsetof(tlt::FileHeader, program), 384u);
}

TEST(Format, TheChunkIsAsThePageSays) {
  EXPECT_EQ(offsetof(tlt::ChunkHeader, magic), 0u);
  EXPECT_EQ(offsetof(tlt::ChunkHeader, chunk_bytes), 8u);
  EXPECT_EQ(offsetof(tlt::ChunkHeader, used_bytes), 12u);
  EXPECT_EQ(offsetof(tlt::ChunkHeader, tid), 16u);
  EXPECT_EQ(offsetof(tlt::ChunkHeader, thread_serial), 24u);
  EXPECT_EQ(offsetof(tlt::ChunkHeader, sequence), 28u);
  EXPECT_EQ(offsetof(tlt::ChunkHeader, base_ticks), 32u);
  EXPECT_EQ(offsetof(tlt::ChunkHeader, dropped), 40u);
  EXPECT_EQ(sizeof(tlt::ChunkHeader), 64u);
  EXPECT_EQ(std::memcmp(&tlt::kChunkMagic, "TTCHUNK1", 8), 0);
}

TEST(Format, ARecordIsAsThePageSays) {
  EXPECT_EQ(tlt::RecordWord(tlt::RecordKind(EventKind::kTaskSite), 4, 256'490),
            0x00000003e9ea2030u);
  EXPECT_EQ(tlt::RecordWords(Decl(EventKind::kTaskSite)), 4u);
  EXPECT_EQ(tlt::RecordWords(Decl(EventKind::kDataCoordinates), 2), 4u);
}

}  // namespace
}  // namespace tasklens
