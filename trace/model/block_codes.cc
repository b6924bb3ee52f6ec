// SPDX-License-Identifier: Apache-2.0
// The same loops for any processor of this kind, and for those with wider vectors.
#include "trace/model/block_codes.h"

namespace tasklens {
namespace {

constexpr size_t kRows = BlockCodes::kRows;

namespace plain {
#include "trace/model/block_codes.inc"
}  // namespace plain

#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace avx2 {
#include "trace/model/block_codes.inc"
}  // namespace avx2
#pragma GCC pop_options
#define TASKLENS_HAS_AVX2 1
#endif

}  // namespace

const BlockCodes& CodesAnywhere() { return plain::kCodes; }

const BlockCodes& CodesHere() {
#ifdef TASKLENS_HAS_AVX2
  static const BlockCodes& codes = __builtin_cpu_supports("avx2") ? avx2::kCodes : plain::kCodes;
  return codes;
#else
  return plain::kCodes;
#endif
}

}  // namespace tasklens
