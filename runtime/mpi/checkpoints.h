// SPDX-License-Identifier: Apache-2.0
// Checkpoints: values of one moment, copied into the memory of other ranks.
//
// A template says which data are kept by which rank. Each checkpoint of it is a cut through the
// tasks: it has the values that the tasks before it leave. The copies travel on their own, and the
// program goes on. A checkpoint is complete when every rank has got what it keeps, which a barrier
// tells them; then older ones of its domain are forgotten. All ranks make the same checkpoints in
// the same order; of a template each has the entries at least that it has a part in.
#pragma once

#include <starpu_mpi.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace tasklens::mpi {

// One of a template.
struct CheckpointEntry {
  starpu_data_handle_t handle = nullptr;  // or else
  void* value = nullptr;                  // of the program's, of each rank
  size_t bytes = 0;
  int64_t tag = -1;
  int keeper = -1;           // of the handle, or of this rank's value
  std::vector<int> sources;  // ranks whose value this one keeps
};

class Checkpoints {
 public:
  // Of the process.
  static Checkpoints& Instance();

  // The engine still runs; nothing is under way.
  void Stop();
  void TurnOn(bool is_on) { is_on_ = is_on; }

  starpu_mpi_checkpoint_template_t NewTemplate(int id, int domain);
  const char* WhyNotFrozen(const _starpu_mpi_checkpoint_template& made);
  // By all ranks.
  void Submit(const _starpu_mpi_checkpoint_template& made, int priority);
  void Print(const _starpu_mpi_checkpoint_template& made);

 private:
  struct Copy;
  struct Checkpoint {
    const _starpu_mpi_checkpoint_template* of;
    uint64_t number;  // from 1 on
    int missing = 1;  // copies that have not come, and its submission
    bool is_complete = false;
    std::vector<std::shared_ptr<Copy>> copies;  // that this rank keeps
  };

  void Keep(Checkpoint* checkpoint, size_t entry, int source, int priority);
  static void Arrived(void* checkpoint);
  static void Completed(void* checkpoint);

  std::mutex lock_;
  std::list<Checkpoint> checkpoints_;  // in the order of their numbers
  uint64_t last_with_barrier_ = 0;
  std::vector<std::unique_ptr<_starpu_mpi_checkpoint_template>> templates_;
  // The rest is of the thread that submits.
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
