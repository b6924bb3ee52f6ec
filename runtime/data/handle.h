// SPDX-License-Identifier: Apache-2.0
// Handle: one piece of data as tasks see it - its shape, who may access it now, who accessed it
// last.
//
// Two mechanisms order accesses. *Ordering* (jobs/access_order.h) is done when a task is submitted
// and makes it wait for earlier tasks, as sequential consistency asks. *Arbitration*
// (jobs/access_holders.h) is done when a task could start and gives the data to one writer or many
// readers; it alone separates tasks that are not ordered: commuting ones, reductions, and those
// without sequential consistency.
#pragma once

#include <starpu.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "runtime/data/handle_memory.h"
#include "runtime/data/parts.h"
#include "runtime/data/whereabouts.h"
#include "runtime/jobs/access_holders.h"
#include "runtime/jobs/access_order.h"
#include "runtime/jobs/job.h"
#include "runtime/support/sync.h"

struct _starpu_data_state {
  using Job = tasklens::runtime::Job;

  static void* operator new(size_t) { return tasklens::runtime::TakeHandleMemory(); }
  static void operator delete(void* memory) { tasklens::runtime::GiveHandleMemory(memory); }

  // --- Shape, constant after registration ---
  starpu_data_interface_ops* ops = nullptr;  // first: StarPU's own tests look at it there
  void* interface = nullptr;                 // of the main memory, ops->interface_size bytes, owned
  int home_node = STARPU_MAIN_RAM;
  uint32_t written_through = 0;        // a bit for each memory node that gets what is written
  bool internal = false;               // a worker's copy in a reduction: not seen by the user
  std::atomic<bool> allocated{false};  // the memory behind `interface` is there
  bool owns_memory = false;            // and was allocated by the runtime
  bool sequential = true;
  uint32_t footprint = 0;
  uint64_t size_bytes = 0;
  std::atomic<uint32_t> shape_id{0};  // the shape's text in the trace, 0: not asked for yet

  // The memory holds a value. Written by whoever has the data exclusively.
  std::atomic<bool> initialized{false};

  // --- Ordering, away from what workers read ---
  alignas(tasklens::runtime::kCacheLine) tasklens::runtime::AccessOrder order;

  // --- Arbitration ---
  alignas(tasklens::runtime::kCacheLine) tasklens::runtime::AccessHolders holders;
  // Control jobs of starpu_data_acquire() that hold the data.
  std::vector<Job*> acquirers GUARDED_BY(holders.lock);
  starpu_arbiter* arbiter = nullptr;  // of its commuting accesses

  // --- Whether its value is in the main memory; see residency.h ---
  bool movable = false;                 // its home is not the main memory
  std::atomic<uint32_t> pins{0};        // who uses it there
  std::atomic<bool> away{false};        // its value is elsewhere, and not in the main memory
  std::atomic<bool> has_copies{false};  // a device or a disk has its value, too
  std::atomic<uint64_t> arrives{0};     // what was sent there: an Arrival (carrier.h)
  bool is_computed = false;             // in a simulation: some function runs for real on it
  std::atomic<bool> used_lately{false};
  tasklens::runtime::Whereabouts whereabouts;

  std::atomic<int32_t> users{1};  // who keeps it alive: see core/lifetime.h

  // --- Reductions and scratch, by worker ---
  starpu_codelet* redux_codelet = nullptr;
  starpu_codelet* init_codelet = nullptr;
  void* redux_argument = nullptr;
  void* init_argument = nullptr;
  std::vector<_starpu_data_state*> replicates;  // worker i's contribution, or nullptr
  struct Scratch {
    void* interface = nullptr;  // nullptr: there is none
    bool is_used = false;       // by a task; else it may go when room is needed
  };
  std::vector<Scratch> scratch;  // worker i's; under holders.lock

  // --- Partitioning ---
  _starpu_data_state* parent = nullptr;
  unsigned index_in_parent = 0;
  bool pins_parent = false;  // which must stay where it is, as this lies in its memory
  std::vector<_starpu_data_state*> children;  // of starpu_data_partition(), empty when whole
  std::vector<std::unique_ptr<tasklens::runtime::Plan>> plans;  // of starpu_data_partition_plan()
  std::atomic<uint32_t> plans_on{0};                            // of them are switched on
  bool switches_itself = true;  // plans are switched by the tasks that use data and parts
  tasklens::runtime::Plan* plan = nullptr;  // of the parent, that this is a part of

  // --- Duplicates; see core/duplicates.h ---
  std::atomic<_starpu_data_state*> duplicate{nullptr};  // with the same value, or nullptr
  _starpu_data_state* duplicate_of = nullptr;           // whose value it has, or nullptr
  bool is_duplicate = false;
  int owners = 1;  // who will unregister it

  // Of the other memory nodes: made when somebody asks, as interfaces of the program's own do.
  std::vector<void*> other_interfaces;

  // --- What the program attaches ---
  std::string name;
  std::vector<int> coordinates;
  void* user_data = nullptr;
  void* sched_data = nullptr;
  unsigned out_of_core = 1;
  uint64_t openmp_serial = 0;  // of its latest registration by address, 0: none
};

namespace tasklens::runtime {

class Residency;

// Handles may outlive a run of the runtime: `residency` is nullptr where there is none.

// Makes a handle of a copy of *data_interface, which describes memory of the home node (-1: the
// runtime's, made when it is needed); `parent` may be nullptr.
Handle* NewHandle(Residency* residency, int home_node, const void* data_interface,
                  starpu_data_interface_ops* ops, Handle* parent);
// Frees the handle and what it owns. Nobody may use it any more: see core/lifetime.h.
void DeleteHandle(Residency* residency, Handle* handle);
// One more user of the handle, which stays until LetGo() (core/lifetime.h) has ended the last one.
inline void KeepAlive(Handle* handle) { handle->users.fetch_add(1, std::memory_order_relaxed); }

// Makes sure that the main memory of the handle is there; aborts with a line when it cannot be.
void EnsureAllocated(Residency& residency, Handle* handle);
// The same, unless there is no room.
bool TryAllocate(Residency& residency, Handle* handle);
// Whether its use has to be told to Residency.
inline bool Travels(const Handle* handle) { return handle->movable || handle->has_copies; }
// Frees the memory if the runtime allocated it; the value is lost.
void ReleaseMemory(Residency* residency, Handle* handle);

// The interface of a memory node.
void* InterfaceOn(Handle* handle, unsigned node);

// The value out of what pack_data made, which is freed; 0 or an error of the interface.
int TakePiece(Handle* handle, void* piece, size_t bytes);

// A second interface of the same shape with memory of its own, and its end.
void* NewInterfaceLike(Residency& residency, const Handle* handle, unsigned node);
void FreeInterfaceLike(Residency* residency, const Handle* handle, void* interface, unsigned node);
// The scratch buffer of a worker, made when there is none, and kept until it is released. Only by
// that worker.
void* ScratchInterface(Residency& residency, Handle* handle, int worker);
void ReleaseScratch(Handle* handle, int worker);
bool HasScratch(Handle* handle, int worker);
// Frees those on a memory node that nobody uses; whether there were any. The caller has claimed the
// handle.
bool FreeUnusedScratch(Residency& residency, Handle* handle, unsigned node);

// Text of a handle for messages: "handle 0x... 'name'".
std::string Describe(const Handle* handle);
// The interface's own short text, "V5x4".
std::string DescribeShape(const Handle* handle);
// Recomputes size and footprint after the interface changed.
void UpdateShape(Handle* handle);
// CRC of interface id and shape.
uint32_t DataFootprint(const Handle* handle);

}  // namespace tasklens::runtime
