// SPDX-License-Identifier: Apache-2.0
// Handle: one piece of data as tasks see it: its shape, and the tasks that access it now, and
// accessed it last.
//
// Two mechanisms order accesses. *Ordering* (jobs/access_order.h) happens when a task is submitted:
// the task waits for earlier tasks, as sequential consistency demands. *Arbitration*
// (jobs/access_holders.h) happens when a task is ready: it grants the data to one writer or many
// readers. Arbitration alone separates tasks that are not ordered: commuting tasks, reductions, and
// tasks without sequential consistency.
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
  starpu_data_interface_ops* ops = nullptr;  // first: StarPU's own tests read it there
  void* interface = nullptr;  // for the main memory; ops->interface_size bytes, owned
  int home_node = STARPU_MAIN_RAM;
  uint32_t written_through = 0;  // a bit per memory node that gets a copy of each written value
  bool internal = false;         // a worker's copy in a reduction, invisible to the program
  std::atomic<bool> allocated{false};  // the memory behind `interface` is allocated
  bool owns_memory = false;            // that memory was allocated by the runtime
  bool sequential = true;
  uint32_t footprint = 0;
  uint64_t size_bytes = 0;
  std::atomic<uint32_t> shape_id{0};  // StrId of the shape's text in the trace; 0: not interned yet

  // Whether the memory holds a value. Written by the thread that holds the data exclusively.
  std::atomic<bool> initialized{false};

  // --- Ordering, away from what workers read ---
  alignas(tasklens::runtime::kCacheLine) tasklens::runtime::AccessOrder order;

  // --- Arbitration ---
  alignas(tasklens::runtime::kCacheLine) tasklens::runtime::AccessHolders holders;
  // Control jobs of starpu_data_acquire() that hold the data.
  std::vector<Job*> acquirers GUARDED_BY(holders.lock);
  starpu_arbiter* arbiter = nullptr;  // for its commuting accesses

  // --- Whether its value is in the main memory; see residency.h ---
  bool movable = false;                 // home_node is not the main memory
  std::atomic<uint32_t> pins{0};        // number of users in the main memory
  std::atomic<bool> away{false};        // the main memory does not have the value
  std::atomic<bool> has_copies{false};  // a device or a disk has the value
  std::atomic<uint64_t> arrives{0};  // Arrival (carrier.h) of the last transfer to the main memory
  bool is_computed = false;          // simulations: a function runs for real on the data
  std::atomic<bool> used_lately{false};
  tasklens::runtime::Whereabouts whereabouts;

  std::atomic<int32_t> users{1};  // reference count: see core/lifetime.h

  // --- Reductions and scratch, by worker ---
  starpu_codelet* redux_codelet = nullptr;
  starpu_codelet* init_codelet = nullptr;
  void* redux_argument = nullptr;
  void* init_argument = nullptr;
  std::vector<_starpu_data_state*> replicates;  // worker i's contribution, or nullptr
  struct Scratch {
    void* interface = nullptr;  // nullptr: not allocated
    bool is_used = false;       // in use by a task; if not, it may be freed to make room
  };
  std::vector<Scratch> scratch;  // by ScratchSlot(); guarded by holders.lock

  // --- Partitioning ---
  _starpu_data_state* parent = nullptr;
  unsigned index_in_parent = 0;
  bool pins_parent = false;  // the parent is pinned, as this part lies in its memory
  // From starpu_data_partition(); empty: not partitioned.
  std::vector<_starpu_data_state*> children;
  std::vector<std::unique_ptr<tasklens::runtime::Plan>> plans;  // from starpu_data_partition_plan()
  std::atomic<uint32_t> plans_on{0};        // number of plans that are switched on
  bool switches_itself = true;              // tasks that use the data or parts switch plans
  tasklens::runtime::Plan* plan = nullptr;  // the parent's plan to which this part belongs

  // --- Duplicates; see core/duplicates.h ---
  std::atomic<_starpu_data_state*> duplicate{nullptr};  // has the same value; or nullptr
  _starpu_data_state* duplicate_of = nullptr;  // the handle with the original value; or nullptr
  bool is_duplicate = false;
  int owners = 1;  // number of unregistrations to come

  // Interfaces for the other memory nodes, each made on first use.
  std::vector<void*> other_interfaces;

  // --- What the program attaches ---
  std::string name;
  std::vector<int> coordinates;
  void* user_data = nullptr;
  void* sched_data = nullptr;
  unsigned out_of_core = 1;
  uint64_t openmp_serial = 0;  // of its last registration by address; 0: none
};

namespace tasklens::runtime {

class Residency;

// Handles may outlive a run of the runtime: `residency` is nullptr if no run is active.

// Creates a handle with a copy of *data_interface, which describes memory on the home node. Home
// node -1: the runtime allocates the memory on first use. `parent` may be nullptr.
Handle* NewHandle(Residency* residency, int home_node, const void* data_interface,
                  starpu_data_interface_ops* ops, Handle* parent);
// Frees the handle and everything it owns. REQUIRES: the handle has no users (see core/lifetime.h).
void DeleteHandle(Residency* residency, Handle* handle);
// Adds a user. The handle lives until the last user has called LetGo() (core/lifetime.h).
inline void KeepAlive(Handle* handle) { handle->users.fetch_add(1, std::memory_order_relaxed); }

// Allocates the handle's main memory if needed. Ends the program with a message if there is no
// room.
void EnsureAllocated(Residency& residency, Handle* handle);
// The same, but returns false if there is no room.
bool TryAllocate(Residency& residency, Handle* handle);
// Whether users must pin the handle through Residency.
inline bool Travels(const Handle* handle) { return handle->movable || handle->has_copies; }
// Frees the memory if the runtime allocated it; the value is lost.
void ReleaseMemory(Residency* residency, Handle* handle);

// Returns the handle's interface for a memory node.
void* InterfaceOn(Handle* handle, unsigned node);

// Unpacks the value from `piece`, which pack_data made, and frees the piece. Returns 0 or an error
// of the interface.
int TakePiece(Handle* handle, void* piece, size_t bytes);

// Create and free a second interface of the same shape, with memory of its own.
void* NewInterfaceLike(Residency& residency, const Handle* handle, unsigned node);
void FreeInterfaceLike(Residency* residency, const Handle* handle, void* interface, unsigned node);
// The index of a worker's scratch buffer on a memory node. Those on the worker's own node come
// first, as others are rare.
inline size_t ScratchSlot(int worker, unsigned own_node, unsigned node) {
  const size_t row = node == own_node ? 0 : node + 1;
  return row * STARPU_NMAXWORKERS + static_cast<size_t>(worker);
}
// Returns the scratch buffer, allocated on first use and marked as used until ReleaseScratch().
// Called only by the worker of the slot.
void* ScratchInterface(Residency& residency, Handle* handle, size_t slot);
void ReleaseScratch(Handle* handle, size_t slot);
bool HasScratch(Handle* handle, size_t slot);
// Frees the unused scratch buffers on a memory node; returns whether there were any. REQUIRES: the
// caller has claimed the handle.
bool FreeUnusedScratch(Residency& residency, Handle* handle, unsigned node);

// Returns the handle's text for messages: "handle 0x... 'name'".
std::string Describe(const Handle* handle);
// Returns the interface's own short text, such as "V5x4".
std::string DescribeShape(const Handle* handle);
// Recomputes size and footprint after the interface changed.
void UpdateShape(Handle* handle);
// Returns the CRC of interface id and shape.
uint32_t DataFootprint(const Handle* handle);

}  // namespace tasklens::runtime
