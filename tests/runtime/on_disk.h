// SPDX-License-Identifier: Apache-2.0
// Disks in folders, and vectors that count, for tests of what goes to a disk and comes back.
#pragma once

#include <gtest/gtest.h>
#include <starpu.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace tasklens::testing::on_disk {

inline constexpr size_t kMebibyte = 1 << 20;
inline constexpr uint32_t kWords = kMebibyte / sizeof(uint64_t);  // of a vector of one

// A folder for a disk, empty and gone at the end.
class Folder {
 public:
  Folder() : path_(::testing::TempDir() + "/disk_XXXXXX") {
    EXPECT_NE(nullptr, mkdtemp(path_.data()));
  }
  ~Folder() { EXPECT_EQ(0, rmdir(path_.c_str())) << path_ << " is not empty: " << strerror(errno); }
  char* path() { return path_.data(); }

 private:
  std::string path_;
};

// A disk that keeps in memory what it is given, without the operations that read and write.
inline starpu_disk_ops MemoryDisk() {
  starpu_disk_ops ops = {};
  ops.plug = [](void* base, starpu_ssize_t) { return base; };
  ops.unplug = [](void*) {};
  ops.alloc = [](void*, size_t bytes) { return calloc(1, bytes); };
  ops.free = [](void*, void* object, size_t) { free(object); };
  return ops;
}
inline char* At(void* object, off_t offset) { return static_cast<char*>(object) + offset; }

inline starpu_codelet MakeCodelet(starpu_cpu_func_t function,
                                  std::vector<starpu_data_access_mode> modes) {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = static_cast<int>(modes.size());
  for (size_t i = 0; i < modes.size(); ++i) codelet.modes[i] = modes[i];
  return codelet;
}

inline uint64_t* Words(void* buffer) {
  return reinterpret_cast<uint64_t*>(STARPU_VECTOR_GET_PTR(buffer));
}
inline size_t Count(void* buffer) { return STARPU_VECTOR_GET_NX(buffer); }

// A vector that counts from its argument.
inline starpu_codelet* Fill() {
  static starpu_codelet codelet = MakeCodelet(
      [](void** buffers, void* argument) {
        uint64_t first;
        starpu_codelet_unpack_args(argument, &first);
        std::iota(Words(buffers[0]), Words(buffers[0]) + Count(buffers[0]), first);
      },
      {STARPU_W});
  return &codelet;
}
inline starpu_codelet* Increment() {
  static starpu_codelet codelet = MakeCodelet(
      [](void** buffers, void*) {
        for (size_t i = 0; i < Count(buffers[0]); ++i) ++Words(buffers[0])[i];
      },
      {STARPU_RW});
  return &codelet;
}
inline void ExpectCountsFrom(uint64_t first, starpu_data_handle_t handle) {
  ASSERT_EQ(0, starpu_data_acquire(handle, STARPU_R));
  const auto* words = static_cast<uint64_t*>(starpu_data_get_local_ptr(handle));
  const size_t count = starpu_vector_get_nx(handle);
  for (size_t i = 0; i < count; ++i) ASSERT_EQ(first + i, words[i]) << "word " << i;
  starpu_data_release(handle);
}

}  // namespace tasklens::testing::on_disk
