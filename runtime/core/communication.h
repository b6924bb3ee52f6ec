// SPDX-License-Identifier: Apache-2.0
// The interface for libraries that move data between processes, beyond the public functions.
// runtime/mpi is one; nothing here is specific to MPI but the names of some events.
//
// The library is another shared object and sees no C++ of this one, so these are C functions that
// libstarpu.so exports. Any thread may call them. REQUIRES: the handles are registered. Without a
// trace, a call of the last group costs a load and a branch.
#pragma once

#include <starpu.h>

#include <cstdarg>
#include <cstdint>

extern "C" {

// Print one line for the user; the second one aborts.
void _starpu_communication_warn(const char* format, ...) __attribute__((format(printf, 1, 2)));
[[noreturn]] void _starpu_communication_fatal(const char* format, ...)
    __attribute__((format(printf, 1, 2)));

// --- Tasks ---
// starpu_task_build() with an argument list whose beginning the caller has read. Returns a task
// that is not submitted yet, with the given source line (file nullptr: none), or nullptr after
// printing the reason.
starpu_task* _starpu_communication_build(const char* file, int line, const char* function,
                                         starpu_codelet* codelet, va_list arguments);

// --- Data ---
// A pointer that each handle keeps for the library, nullptr at first. The library owns the object
// behind it.
void* _starpu_communication_slot(starpu_data_handle_t handle);
void _starpu_communication_set_slot(starpu_data_handle_t handle, void* slot);
// Sets the function that is called, without locks, for each handle with a slot when the program
// gives the handle up; the slot is nullptr then. Requests on the handle may still be under way.
// There is one function for the whole process.
void _starpu_communication_on_unregister(void (*unregistered)(starpu_data_handle_t handle,
                                                              void* slot));
// Whether the handle has a value, here and now.
int _starpu_communication_has_value(starpu_data_handle_t handle);
// Returns the reduction codelet (which adds one value to another) last set by
// starpu_data_set_reduction_methods(), and its argument; nullptr: none.
starpu_codelet* _starpu_communication_reduction(starpu_data_handle_t handle, void** argument);

// --- The trace ---
// The calling thread begins, or ends, to be the communication thread.
void _starpu_communication_started(unsigned rank, unsigned size);
void _starpu_communication_stopped(unsigned rank, unsigned size);
// Records a moment that all ranks of the run `run_key` share: on this rank CLOCK_MONOTONIC showed
// `instant_ns`, some milliseconds ago. REQUIRES: the calling thread has recorded nothing since.
void _starpu_communication_barrier(unsigned rank, unsigned size, uint64_t run_key,
                                   uint64_t instant_ns);
// `target` and `source` are ranks of the world. `job` is the acquisition of the data: the send
// waited for it, or it waits for the receipt.
void _starpu_communication_sent(int target, int64_t tag, uint64_t size_bytes, uint64_t job,
                                starpu_data_handle_t handle, int priority);
void _starpu_communication_received(int source, int64_t tag, uint64_t job,
                                    starpu_data_handle_t handle);
// Nothing is sent, as the target has the value.
void _starpu_communication_spared(int target, int64_t tag, starpu_data_handle_t handle);
void _starpu_communication_owner(starpu_data_handle_t handle, int rank);
void _starpu_communication_tag(starpu_data_handle_t handle, int64_t tag);
// A checkpoint begins (is_end 0) or is complete.
void _starpu_communication_checkpoint(int is_end, uint64_t number, uint64_t domain);
// The activity of the calling thread from now on.
enum _starpu_communication_state {
  _STARPU_COMMUNICATION_SLEEPS,
  _STARPU_COMMUNICATION_POLLS,
  _STARPU_COMMUNICATION_CALLS_BACK,
};
void _starpu_communication_enters(enum _starpu_communication_state state);

}  // extern "C"
