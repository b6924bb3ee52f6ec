// SPDX-License-Identifier: Apache-2.0
// Which handle stands for which address, within a region or an explicit task: those that it
// registered itself, and no others, as the handles of an enclosing task are in use by that task.
//
// Threads: guarded by the owner.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <vector>

namespace tasklens::runtime::openmp {

class HandleScope {
 public:
  // A later one of the same address hides an earlier one.
  void Add(const void* address, starpu_data_handle_t handle);
  // Whether it was there.
  bool Remove(starpu_data_handle_t handle);
  // nullptr: there is none.
  starpu_data_handle_t Find(const void* address) const;
  bool empty() const { return entries_.empty(); }

  // Unregisters what is left, with the values where they are at home. Waits for the tasks that use
  // them; by the owner, when nobody adds any more.
  void End();

 private:
  struct Entry {
    const void* address;
    starpu_data_handle_t handle;
    uint64_t serial;  // the handle has it, too, unless the program has unregistered it meanwhile
  };
  std::vector<Entry> entries_;
};

}  // namespace tasklens::runtime::openmp
