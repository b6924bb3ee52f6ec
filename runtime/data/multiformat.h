// SPDX-License-Identifier: Apache-2.0
// The two layouts of a multiformat interface; see runtime/data/conversion.h. `foreign` is set if
// the value has the other layout than the interface's node.
#pragma once

#include <starpu.h>

#include <atomic>
#include <cstddef>

namespace tasklens::runtime {

inline bool IsCudaNode(unsigned node) { return starpu_node_get_kind(node) == STARPU_CUDA_RAM; }

inline bool IsForeign(const starpu_multiformat_interface& data) {
  return std::atomic_ref(const_cast<uint32_t&>(data.foreign)).load(std::memory_order_acquire) != 0;
}
inline void SetForeign(starpu_multiformat_interface& data, bool is_foreign) {
  std::atomic_ref(data.foreign).store(is_foreign, std::memory_order_release);
}
inline bool HasCudaLayout(const starpu_multiformat_interface& data, unsigned node) {
  return IsCudaNode(node) != IsForeign(data);
}
inline size_t BytesOf(const starpu_multiformat_interface& data, bool cuda_layout) {
  return data.nx * (cuda_layout ? data.ops->cuda_elemsize : data.ops->cpu_elemsize);
}
// Memory for both layouts: the offset of the CUDA layout, and the total size.
inline size_t OffsetOfCuda(const starpu_multiformat_interface& data) {
  constexpr size_t kAligned = 256;  // like allocations of devices
  return (BytesOf(data, false) + kAligned - 1) / kAligned * kAligned;
}
inline size_t BytesOfBoth(const starpu_multiformat_interface& data) {
  return OffsetOfCuda(data) + BytesOf(data, true);
}

}  // namespace tasklens::runtime
