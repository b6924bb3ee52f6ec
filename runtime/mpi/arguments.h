// SPDX-License-Identifier: Apache-2.0
// Arguments: the parts of starpu_mpi_task_insert()'s arguments that tell where the task runs and
// which data it uses. The rank that runs the task parses the list again for the rest.
#pragma once

#include <starpu_mpi.h>

#include <cstdarg>
#include <memory>

#include "runtime/mpi/data.h"

namespace tasklens::mpi {

class Arguments {
 public:
  // Parses the arguments; `list` itself is not advanced. Ends the program with a message for an
  // unknown kind of argument.
  Arguments(const starpu_codelet* codelet, va_list list);
  Arguments() = default;
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  starpu_data_descr* data() { return data_; }
  int count() const { return count_; }
  // The Data of each handle, or nullptr.
  Data* const* known() const { return known_; }
  void Add(starpu_data_handle_t handle, unsigned mode) {
    if (count_ == room_) MakeRoom();
    known_[count_] = FindData(handle);
    data_[count_++] = {handle, static_cast<starpu_data_access_mode>(mode)};
  }

  int priority = 0;
  int policy = STARPU_MPI_NODE_SELECTION_CURRENT_POLICY;
  int64_t number = -1;                     // STARPU_TAG or STARPU_TAG_ONLY
  int on_node = -1;                        // STARPU_EXECUTE_ON_NODE
  starpu_data_handle_t on_data = nullptr;  // STARPU_EXECUTE_ON_DATA

 private:
  void MakeRoom();

  // Each rank parses the arguments of all tasks, so usual lists allocate no memory.
  static constexpr int kFew = 16;
  starpu_data_descr few_[kFew];
  Data* few_known_[kFew];
  std::unique_ptr<starpu_data_descr[]> many_;
  std::unique_ptr<Data*[]> many_known_;
  starpu_data_descr* data_ = few_;  // in few_ or many_
  Data** known_ = few_known_;
  int count_ = 0;
  int room_ = kFew;
};

}  // namespace tasklens::mpi
