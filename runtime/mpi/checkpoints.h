// SPDX-License-Identifier: Apache-2.0
// Checkpoints: values of one moment, copied to the memory of other ranks.
//
// A template lists data and the ranks that keep copies of them. Each checkpoint of a template is a
// cut through the tasks: it has the values after the tasks that were submitted before it. Copies
// are sent asynchronously while the program goes on. A checkpoint is complete when a barrier tells
// every rank that all have received their copies; older checkpoints of the same domain are then
// freed. All ranks submit the same checkpoints in the same order; a rank's template has at least
// the entries in which it takes part.
#pragma once

#include <starpu_mpi.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace tasklens::mpi {

// An entry of a template: a handle or a value.
struct CheckpointEntry {
  starpu_data_handle_t handle = nullptr;  // nullptr: the entry is a value
  void* value = nullptr;                  // the program's memory; each rank has a value of its own
  size_t bytes = 0;
  int64_t tag = -1;
  int keeper = -1;           // rank that keeps the handle, or this rank's value
  std::vector<int> sources;  // ranks for which this rank keeps the value
};

class Checkpoints {
 public:
  // Returns the instance of the process.
  static Checkpoints& Instance();

  // Frees all checkpoints. REQUIRES: the engine runs, and no request is in progress.
  void Stop();
  void TurnOn(bool is_on) { is_on_ = is_on; }

  starpu_mpi_checkpoint_template_t NewTemplate(int id, int domain);
  const char* WhyNotFrozen(const _starpu_mpi_checkpoint_template& made);
  // Called by all ranks.
  void Submit(const _starpu_mpi_checkpoint_template& made, int priority);
  void Print(const _starpu_mpi_checkpoint_template& made);

 private:
  struct Copy;
  struct Checkpoint {
    const _starpu_mpi_checkpoint_template* of;
    uint64_t number;  // from 1 on
    int missing = 1;  // copies still to arrive, plus 1 until Submit() is done
    bool is_complete = false;
    std::vector<std::shared_ptr<Copy>> copies;  // kept by this rank
  };

  void Keep(Checkpoint* checkpoint, size_t entry, int source, int priority);
  static void Arrived(void* checkpoint);
  static void Completed(void* checkpoint);

  std::mutex lock_;
  std::list<Checkpoint> checkpoints_;  // ordered by number
  uint64_t last_with_barrier_ = 0;
  std::vector<std::unique_ptr<_starpu_mpi_checkpoint_template>> templates_;
  // Used only by the submitting thread:
  uint64_t last_number_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool is_on_ = true;
};

}  // namespace tasklens::mpi

struct _starpu_mpi_checkpoint_template {
  int id;
  int domain;
  bool is_frozen = false;
  std::vector<tasklens::mpi::CheckpointEntry> entries;
};
