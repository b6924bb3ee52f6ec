// SPDX-License-Identifier: Apache-2.0
// Maps addresses to handles within a region or an explicit task. Contains only handles that this
// scope registered: those of an enclosing task are in use by that task.
//
// Not locked: the owner must guard it.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <vector>

namespace tasklens::runtime::openmp {

class HandleScope {
 public:
  // A later handle of the same address hides an earlier one.
  void Add(const void* address, starpu_data_handle_t handle);
  // Returns whether the handle was in the scope.
  bool Remove(starpu_data_handle_t handle);
  // Returns nullptr if there is none.
  starpu_data_handle_t Find(const void* address) const;
  bool empty() const { return entries_.empty(); }

  // Unregisters the remaining handles after bringing their values home. Waits for the tasks that
  // use them. Called by the owner, once no handle is added any more.
  void End();

 private:
  struct Entry {
    const void* address;
    starpu_data_handle_t handle;
    uint64_t serial;  // equals the handle's serial unless the program has unregistered it
  };
  std::vector<Entry> entries_;
};

}  // namespace tasklens::runtime::openmp
