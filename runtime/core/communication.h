// SPDX-License-Identifier: Apache-2.0
// What a library that moves data between processes asks of the runtime, beyond its public
// functions: runtime/mpi is one, and nothing here is about MPI but the names of some events.
//
// The library is another shared object, which sees no C++ of this one: all of it are functions of C
// that libstarpu.so exports. Any thread may call them, the handles must be registered, and without
// a trace the last group costs a load and a branch.
#pragma once

#include <starpu.h>

#include <cstdarg>
#include <cstdint>

extern "C" {

// One line for the user; the second one aborts.
void _starpu_communication_warn(const char* format, ...) __attribute__((format(printf, 1, 2)));
[[noreturn]] void _starpu_communication_fatal(const char* format, ...)
    __attribute__((format(printf, 1, 2)));

// --- Tasks ---
// starpu_task_build() of a list that somebody else has begun to read: a task that nobody has
// submitted, with that line of the program (file nullptr: none), or nullptr after a line that says
// why not.
starpu_task* _starpu_communication_build(const char* file, int line, const char* function,
                                         starpu_codelet* codelet, va_list arguments);

// --- Data ---
// A pointer of the library's at each handle, nullptr at first. The library owns what is behind it.
void* _starpu_communication_slot(starpu_data_handle_t handle);
void _starpu_communication_set_slot(starpu_data_handle_t handle, void* slot);
// `unregistered` is called, without locks, for each handle whose slot is set, when the program
// gives the handle up; the slot is nullptr afterwards. Requests on the handle may still be under
// way. Once for the whole process.
void _starpu_communication_on_unregister(void (*unregistered)(starpu_data_handle_t handle,
                                                              void* slot));
// Whether the handle has a value, here and now.
int _starpu_communication_has_value(starpu_data_handle_t handle);
// What starpu_data_set_reduction_methods() said last; nullptr: nothing. Returned is the codelet
// that adds one value to another.
starpu_codelet* _starpu_communication_reduction(starpu_data_handle_t handle, void** argument);

// --- The trace ---
// The calling thread is the one that communicates, and is no more.
void _starpu_communication_started(unsigned rank, unsigned size);
void _starpu_communication_stopped(unsigned rank, unsigned size);
// A moment that all ranks of the run with that key know: on this one CLOCK_MONOTONIC showed
// `instant_ns`, some milliseconds ago. The calling thread has recorded nothing since.
void _starpu_communication_barrier(unsigned rank, unsigned size, uint64_t run_key,
                                   uint64_t instant_ns);
// `target` and `source` are ranks of the world. `job` is what the sender waited for, or what waits
// for the receiver: the acquisition of the data.
void _starpu_communication_sent(int target, int64_t tag, uint64_t size_bytes, uint64_t job,
                                starpu_data_handle_t handle, int priority);
void _starpu_communication_received(int source, int64_t tag, uint64_t job,
                                    starpu_data_handle_t handle);
// Nothing is sent, as the target has the value.
void _starpu_communication_spared(int target, int64_t tag, starpu_data_handle_t handle);
void _starpu_communication_owner(starpu_data_handle_t handle, int rank);
void _starpu_communication_tag(starpu_data_handle_t handle, int64_t tag);
// A checkpoint begins, or is complete.
void _starpu_communication_checkpoint(int is_end, uint64_t number, uint64_t domain);
// What the calling thread does from now on.
enum _starpu_communication_state {
  _STARPU_COMMUNICATION_SLEEPS,
  _STARPU_COMMUNICATION_POLLS,
  _STARPU_COMMUNICATION_CALLS_BACK,
};
void _starpu_communication_enters(enum _starpu_communication_state state);

}  // extern "C"
