// SPDX-License-Identifier: Apache-2.0
// Compiled by toolkit_test.sh where there is a cuda.h: what we declare of libcuda is what that
// says.
#include <cuda.h>

#include <cstddef>
#include <type_traits>

#include "runtime/drivers/cuda/libcuda.h"

namespace {

using tasklens::cuda::Copy2D;
using tasklens::cuda::Side;

// Enumerations are numbers here.
template <class Ours, class Theirs>
constexpr bool Fits() {
  if constexpr (std::is_same_v<Ours, Theirs>) {
    return true;
  } else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using A = std::remove_pointer_t<Ours>;
    using B = std::remove_pointer_t<Theirs>;
    return std::is_const_v<A> == std::is_const_v<B> &&
           Fits<std::remove_const_t<A>, std::remove_const_t<B>>();
  } else if constexpr (std::is_same_v<Ours, Copy2D>) {
    return std::is_same_v<Theirs, CUDA_MEMCPY2D>;
  } else {
    constexpr bool are_numbers = (std::is_integral_v<Ours> || std::is_enum_v<Ours>)&&(
        std::is_integral_v<Theirs> || std::is_enum_v<Theirs>);
    if constexpr (are_numbers) return sizeof(Ours) == sizeof(Theirs);
    return false;
  }
}
template <class Ours, class Theirs>
struct Match : std::false_type {};
template <class... A, class... B>
requires(sizeof...(A) == sizeof...(B)) struct Match<int (*)(A...), CUresult (*)(B...)> {
  static constexpr bool value = (Fits<A, B>() && ...);
};

#define ENTRY(name, symbol, arguments) \
  static_assert(Match<decltype(tasklens::cuda::LibCuda::name), decltype(&symbol)>::value, #symbol);
#include "runtime/drivers/cuda/entry_points.inc"
#undef ENTRY

static_assert(tasklens::cuda::kSuccess == CUDA_SUCCESS);
static_assert(tasklens::cuda::kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(tasklens::cuda::kNotReady == CUDA_ERROR_NOT_READY);
static_assert(tasklens::cuda::kPeerAccessAlreadyEnabled == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
static_assert(tasklens::cuda::kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(tasklens::cuda::kEventBlockingSync == CU_EVENT_BLOCKING_SYNC);
static_assert(tasklens::cuda::kHostRegisterPortable == CU_MEMHOSTREGISTER_PORTABLE);
static_assert(int{tasklens::cuda::kHost} == CU_MEMORYTYPE_HOST);
static_assert(int{tasklens::cuda::kDevice} == CU_MEMORYTYPE_DEVICE);

static_assert(sizeof(Copy2D) == sizeof(CUDA_MEMCPY2D));
static_assert(offsetof(Side, type) == offsetof(CUDA_MEMCPY2D, srcMemoryType));
static_assert(offsetof(Side, host) == offsetof(CUDA_MEMCPY2D, srcHost));
static_assert(offsetof(Side, device) == offsetof(CUDA_MEMCPY2D, srcDevice));
static_assert(offsetof(Side, pitch_bytes) == offsetof(CUDA_MEMCPY2D, srcPitch));
static_assert(offsetof(Copy2D, target) == offsetof(CUDA_MEMCPY2D, dstXInBytes));
static_assert(offsetof(Copy2D, width_bytes) == offsetof(CUDA_MEMCPY2D, WidthInBytes));
static_assert(offsetof(Copy2D, height) == offsetof(CUDA_MEMCPY2D, Height));

}  // namespace
