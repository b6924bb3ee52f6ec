// SPDX-License-Identifier: Apache-2.0
// Trace points: record the events of the runtime.
//
//   Record<EventKind::kTaskStart>(job, worker, node, ctx);
//   Record<EventKind::kTaskSite>(job, line, file, function);      // const char*: interned
//
// The compiler checks number and types of the arguments against trace/events/events.inc. A trace
// point costs one load and one branch while its category is off, and some 12 ns (most of it for the
// time-stamp counter) while it is on: no lock, no system call, no allocation. Each text argument
// given as const char* adds some 4 ns; pass a StrId where that matters.
//
// There is one trace per process, so that every thread can reach it without a parameter. Threads
// register with their first event and may end at any time. After fork() the child records nothing
// until it calls Start() itself; it then writes a file of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "trace/format/writer.h"

namespace tasklens {

inline constexpr uint32_t kAllCategories = (1u << static_cast<unsigned>(Category::kCount)) - 1;
constexpr uint32_t CategoryBit(Category category) { return 1u << static_cast<unsigned>(category); }
// The default of STARPU_FXT_EVENTS: all categories but those that slow the program down much.
inline constexpr uint32_t kDefaultCategories =
    kAllCategories &
    ~(CategoryBit(Category::kTaskVerboseExtra) | CategoryBit(Category::kMpiVerboseExtra));

// The number of a text in the trace. Valid in this process from Recorder::Intern() to its end, also
// across Stop() and Start(). 0 is "".
struct StrId {
  uint32_t value = 0;
};

struct RecorderOptions {
  std::string path;                      // of the file; its folder is created if missing
  int rank = -1;                         // MPI rank; -1: a single process
  uint32_t categories = kAllCategories;  // CategoryBit()s; Category::kMeta is always recorded
  bool paused = false;                   // only Category::kMeta until Resume()
  bool never_pauses = false;             // `paused` and Pause() have no effect
  bool keeps_older = false;              // an existing file of that name; see tlt::WriterOptions
  size_t max_chunk_bytes =
      256 * 1024;  // size of each thread's buffer, which is mapped from the file
  bool steady_ticks = tlt::HasSteadyTicks();  // false: CLOCK_MONOTONIC, 10 ns slower
  uint64_t (*clock_ns)() = nullptr;           // replaces both clocks
};

// Returns the rank that mpirun, srun or the like gave to this process, from the variables of Open
// MPI, PMIx, PMI, MVAPICH or Slurm; -1: none.
int RankFromEnvironment();

// Returns the options of StarPU's variables. `id` is starpu_profiling_set_id()'s or the rank, -1:
// none. `run` counts the traces of that name in this process; from the second on it is part of the
// name, "_<id>.<run>.tlt".
//   STARPU_FXT_PREFIX  folder, default /tmp
//   STARPU_FXT_SUFFIX  name, default prof_file_$USER; "_<id>.tlt" (id at least 0) is appended
//   STARPU_FXT_EVENTS  categories joined by '|' or ',', default kDefaultCategories. Unknown
//                      names are reported in one line on standard error, and ignored.
//   STARPU_TRACE_BUFFER_SIZE  MiB of each thread's buffer: 1 to 64, default a quarter. (StarPU
//                      keeps the whole trace in memory of that size. TaskLens needs no such
//                      memory; larger buffers are rarely faster.)
// And the variables of `tasklens run`:
//   TASKLENS_KEEP_TRACES  not 0: replaces no file, so that each process of a run has its own
//   TASKLENS_RECORD_ALL   not 0: ignores the program's calls that pause recording
RecorderOptions RecorderOptionsFromEnvironment(int id, int run = 1);
// Whether STARPU_FXT_TRACE is set and not 0.
bool EnvironmentWantsTrace();

// A point in time, for several events of the same moment: reading the clock is half of the cost of
// an event.
struct RecordMoment {
  uint64_t ticks;
};

class Recorder {
 public:
  // Creates the file and starts to record, first the command line and the working directory (the
  // program's path, its process and the host are in the file's header). On error there is no trace,
  // and the program can go on. REQUIRES: not started.
  static Status Start(const RecorderOptions& options);

  // Ends the trace and closes its file. Prints a line on standard error if events were lost. Events
  // that other threads record during Stop() may be lost; later ones are ignored.
  static void Stop();

  static bool Started();
  // Returns the file of the current or last trace; "" before the first.
  static std::string Path();

  // Exclude a region from the trace: only Category::kMeta is recorded, without which the rest could
  // not be read. The trace tells when recording was on.
  static void Pause();
  static void Resume();

  // Whether Record<kind>() records now. For trace points with costly arguments.
  static bool Enabled(EventKind kind);
  template <EventKind kKind>
  static bool Enabled();
  // Whether any of these CategoryBit()s is recorded now.
  static bool EnabledIn(uint32_t categories);
  // Whether all of them are.
  static bool EnabledInAll(uint32_t categories);

  static RecordMoment Now();

  // Returns the number of `text` in this process; 0 for "" and null. Works before Start(), too. At
  // most kMaxInternedTexts texts are kept: further ones are recorded anew each time, and are ""
  // without a trace. Texts longer than 16 KiB are cut.
  static StrId Intern(std::string_view text);
  static constexpr uint32_t kMaxInternedTexts = 1u << 20;

  // Forces the recorded events to the disk, in case of a power failure; readers do not need it.
  static Status Flush();
};

// Records one event now. Arguments as declared: integers (also enums, bool and, for hex, pointers)
// that fit the declared width, floating point for f64, and for str a StrId, a const char* (null is
// "") or a std::string_view. A repeated last argument is a std::span of its type with 1 to
// max_args of the declaration - (number of arguments before it) elements.
template <EventKind kKind, class... Args>
void Record(const Args&... args);
// The same if any of these categories is recorded, instead of the event's own category: for an
// event that represents several events of StarPU.
template <EventKind kKind, class... Args>
void RecordIn(uint32_t categories, const Args&... args);
// Records an event at an earlier moment, on the thread that called Recorder::Now() and before any
// later event of that thread.
template <EventKind kKind, class... Args>
void RecordAt(RecordMoment moment, const Args&... args);
// The same for several events in one record (trace/format/joint_records.h). The caller has checked
// that all of them are enabled.
template <tlt::Joint kJoint, class... Args>
void RecordJointAt(RecordMoment moment, const Args&... args);

}  // namespace tasklens

#include "runtime/recorder/record_inline.h"
