// SPDX-License-Identifier: Apache-2.0
// The trace points: how the runtime records what happens.
//
//   Record<EventKind::kTaskStart>(job, worker, node, ctx);
//   Record<EventKind::kTaskSite>(job, line, file, function);      // const char*: interned
//
// The compiler checks number and types of the arguments against trace/events/events.inc. A trace
// point costs one load and one branch while its category is off, and some 12 ns (most of it the
// time-stamp counter) while it is on: no lock, no system call, no allocation. Each text argument
// given as const char* adds some 4 ns; give a StrId where that matters.
//
// There is one trace per process, because trace points need a place that every thread knows without
// being told. Threads register themselves with their first event and may end at any time. After
// fork() the child records nothing until it calls Start() itself; its file is then its own.
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
// What STARPU_FXT_EVENTS stands for when it is not set: all but those that cost the program much.
inline constexpr uint32_t kDefaultCategories =
    kAllCategories &
    ~(CategoryBit(Category::kTaskVerboseExtra) | CategoryBit(Category::kMpiVerboseExtra));

// A text that the trace knows by number. Valid in this process from Recorder::Intern() to its end,
// also across Stop() and Start(). 0 is "".
struct StrId {
  uint32_t value = 0;
};

struct RecorderOptions {
  std::string path;                      // of the file; its folder is created when missing
  int rank = -1;                         // as MPI numbers it; -1: the process is alone
  uint32_t categories = kAllCategories;  // CategoryBit()s; Category::kMeta is always recorded
  bool paused = false;                   // only Category::kMeta until Resume()
  bool never_pauses = false;             // `paused` and Pause() are to no effect
  bool keeps_older = false;              // a file of the path's name; see tlt::WriterOptions
  size_t max_chunk_bytes = 256 * 1024;   // of the buffer of each thread, which lies in the file
  bool steady_ticks = tlt::HasSteadyTicks();  // false: CLOCK_MONOTONIC, 10 ns slower
  uint64_t (*clock_ns)() = nullptr;           // another clock, instead of both
};

// The rank that mpirun, srun or the like gave to this process, by the variables that they set for
// it (Open MPI's, PMIx', PMI's, MVAPICH's, Slurm's); -1: none.
int RankFromEnvironment();

// What StarPU's variables ask for; `id` is starpu_profiling_set_id()'s or the rank, -1: none.
// `run`: which one of that name in this process: later ones have that number in their name,
// "_<id>.<run>.tlt".
//   STARPU_FXT_PREFIX  folder, default /tmp
//   STARPU_FXT_SUFFIX  name, default prof_file_$USER; "_<id>.tlt" (id at least 0) is appended
//   STARPU_FXT_EVENTS  categories joined by '|' or ',', default kDefaultCategories. One line on
//   standard error
//                      names those that do not exist; they are ignored.
//   STARPU_TRACE_BUFFER_SIZE  MiB of the buffer of each thread: 1 to 64, default a quarter. (StarPU
//                      keeps the whole trace in memory of that size. Ours needs no such memory;
//                      larger buffers are rarely faster.)
// And what `tasklens run` asks for:
//   TASKLENS_KEEP_TRACES  not 0: no file is replaced, so that each process of a run has its own
//   TASKLENS_RECORD_ALL   not 0: also what the program switches recording off for
RecorderOptions RecorderOptionsFromEnvironment(int id, int run = 1);
// STARPU_FXT_TRACE is set and not 0.
bool EnvironmentWantsTrace();

// Now, for several events that tell of one moment: reading the clock is half of what an event
// costs.
struct RecordMoment {
  uint64_t ticks;
};

class Recorder {
 public:
  // Creates the file and begins to record, first how the program was called and in which folder
  // (its path, its process and the host are in the file's header). The error's line says why there
  // is no trace; the program can go on. REQUIRES: not started.
  static Status Start(const RecorderOptions& options);

  // Ends the trace and closes its file. One line on standard error says when events were lost.
  // Events recorded by other threads during Stop() may be lost; later ones are ignored.
  static void Stop();

  static bool Started();
  // The file of this or the last trace; "" before the first.
  static std::string Path();

  // Around a region that is to be left out: everything but Category::kMeta (without which the rest
  // could not be read). The trace says when recording was on.
  static void Pause();
  static void Resume();

  // Whether Record<kind>() records now. For trace points whose arguments cost something.
  static bool Enabled(EventKind kind);
  template <EventKind kKind>
  static bool Enabled();
  // Whether any of these CategoryBit()s is recorded now.
  static bool EnabledIn(uint32_t categories);
  // Whether all of them are.
  static bool EnabledInAll(uint32_t categories);

  static RecordMoment Now();

  // The number of `text` in this process; 0 for "" and null. Works before Start(), too. Texts are
  // remembered, at most kMaxInternedTexts of them: more are recorded anew each time, and without a
  // trace they are "". Texts longer than 16 KiB are cut.
  static StrId Intern(std::string_view text);
  static constexpr uint32_t kMaxInternedTexts = 1u << 20;

  // Forces what was recorded to the disk, against a power failure; readers do not need it.
  static Status Flush();
};

// Records one event now. Arguments as declared: integers (also enums, bool and, for hex, pointers)
// that fit the declared width, floating point for f64, and for str a StrId, a const char* (null is
// "") or a std::string_view. A repeated last argument is a std::span of its type with 1 to
// max_args of the declaration - (number of arguments before it) elements.
template <EventKind kKind, class... Args>
void Record(const Args&... args);
// The same when any of these categories is recorded, instead of the event's own: for an event that
// stands for several of StarPU's.
template <EventKind kKind, class... Args>
void RecordIn(uint32_t categories, const Args&... args);
// Records an event of a moment ago, on the thread that asked for it and before any later event of
// that thread.
template <EventKind kKind, class... Args>
void RecordAt(RecordMoment moment, const Args&... args);
// The same of several events at once (trace/format/joint_records.h). Whether these are wanted, all
// of them, is asked before.
template <tlt::Joint kJoint, class... Args>
void RecordJointAt(RecordMoment moment, const Args&... args);

}  // namespace tasklens

#include "runtime/recorder/record_inline.h"
