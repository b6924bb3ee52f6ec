// SPDX-License-Identifier: Apache-2.0
// Loops with all schedules, ordered parts, and sections.
#include "runtime/openmp/worksharing.h"

#include <starpu.h>

#include <algorithm>

#include "runtime/openmp/state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime::openmp {
namespace {

struct Schedule {
  starpu_omp_sched_value kind;
  uint64_t chunk;  // for static, 0: equal shares; else at least 1
};

Schedule ScheduleOf(const Task& task, int schedule, uint64_t chunk) {
  auto kind = static_cast<starpu_omp_sched_value>(schedule);
  if (kind == starpu_omp_sched_runtime) {
    kind = task.icvs.schedule;
    chunk = static_cast<uint64_t>(task.icvs.schedule_chunk);
  } else if (kind == starpu_omp_sched_undefined) {
    kind = starpu_omp_sched_auto;
  }
  switch (kind) {
    case starpu_omp_sched_auto: return {starpu_omp_sched_static, 0};
    case starpu_omp_sched_static: return {kind, chunk};
    case starpu_omp_sched_dynamic:
    case starpu_omp_sched_guided: return {kind, std::max<uint64_t>(chunk, 1)};
    default: Fatal("starpu_omp_for(): there is no schedule %d", schedule);
  }
}

// The thread enters its next construct. The first thread creates the shared state.
void Enter(Task& task, bool is_shared) {
  Share& share = task.share;
  const uint64_t number = share.sharings++;
  share.sharing = nullptr;
  if (!is_shared) return;
  MutexLock guard(task.region->lock);
  share.sharing = &task.region->sharings[number];
}

void Leave(Task& task) {
  Share& share = task.share;
  if (!share.sharing) return;
  MutexLock guard(task.region->lock);
  if (++share.sharing->left == task.region->threads)
    task.region->sharings.erase(share.sharings - 1);
  share.sharing = nullptr;
}

// Takes the next iterations, at most most(left) of them. Returns how many, 0 if none is left.
template <class Most>
uint64_t TakeNext(Task& task, uint64_t iterations, Most&& most, uint64_t& first) {
  MutexLock guard(task.region->lock);
  Sharing& sharing = *task.share.sharing;
  const uint64_t left = iterations - sharing.next;
  first = sharing.next;
  const uint64_t count = std::min(left, most(left));
  sharing.next += count;
  return count;
}

// Sets the thread's next chunk, or its first one.
void NextChunk(Task& task, uint64_t iterations, const Schedule& schedule, bool is_first) {
  Share& share = task.share;
  const auto threads = static_cast<uint64_t>(task.region->threads);
  const auto rank = static_cast<uint64_t>(task.rank);
  const uint64_t chunk = schedule.chunk;
  if (schedule.kind == starpu_omp_sched_dynamic) {
    share.count = TakeNext(
        task, iterations, [&](uint64_t) { return chunk; }, share.first);
  } else if (schedule.kind == starpu_omp_sched_guided) {
    share.count = TakeNext(
        task, iterations, [&](uint64_t left) { return std::max(left / threads, chunk); },
        share.first);
  } else if (chunk == 0) {
    const uint64_t each = iterations / threads, longer = iterations % threads;
    share.first = rank * each + std::min(rank, longer);
    share.count = is_first ? each + (rank < longer) : 0;
  } else {
    // (Tested first, as products and sums may overflow if no chunk is left.)
    const uint64_t step = is_first ? rank : threads;
    const uint64_t from = is_first ? 0 : share.first;
    const uint64_t left = iterations - from;
    const bool is_any_left = step == 0 || (left - 1) / chunk >= step;
    share.count = left && is_any_left ? std::min(chunk, left - step * chunk) : 0;
    if (share.count) share.first = from + step * chunk;
  }
}

// --- Ordered -----------------------------------------------------------------------------------

// Marks the ordered parts below `until` as over, and chunks behind them that ended out of turn.
// Returns the Waiter whose turn it is now, or nullptr. REQUIRES: the region's lock.
Waiter* Advance(Sharing& sharing, uint64_t until) {
  sharing.ordered = until;
  for (auto next = sharing.passed.find(sharing.ordered); next != sharing.passed.end();
       next = sharing.passed.find(sharing.ordered)) {
    sharing.ordered = next->second;
    sharing.passed.erase(next);
  }
  const auto turn = sharing.waiting.find(sharing.ordered);
  if (turn == sharing.waiting.end()) return nullptr;
  Waiter* const waiter = turn->second;
  sharing.waiting.erase(turn);
  return waiter;
}

// Ends the thread's chunk: iterations that had no ordered part must not block other threads.
void EndChunk(Task& task) {
  Share& share = task.share;
  if (!share.is_ordered || share.count == 0) return;
  const uint64_t reached = share.first + share.ordered_calls, end = share.first + share.count;
  share.ordered_calls = 0;
  if (reached == end) return;
  Waiter* turn = nullptr;
  {
    MutexLock guard(task.region->lock);
    Sharing& sharing = *share.sharing;
    if (sharing.ordered == reached)
      turn = Advance(sharing, end);
    else
      sharing.passed.emplace(reached, end);
  }
  if (turn) turn->Wake();
}

Task& Ordered(const char* function) {
  Task& task = State::Get(function).CurrentOfTeam(function);
  const Share& share = task.share;
  if (!share.sharing || !share.is_ordered)
    Fatal("%s() was called outside of a loop with `ordered`", function);
  return task;
}

void BeginOrdered() {
  constexpr const char* kName = "starpu_omp_ordered_inline_begin";
  Task& task = Ordered(kName);
  if (task.share.ordered_calls == task.share.count)
    Fatal("%s() was called twice in one iteration", kName);
  const uint64_t iteration = task.share.first + task.share.ordered_calls;
  Waiter waiter;
  {
    MutexLock guard(task.region->lock);
    Sharing& sharing = *task.share.sharing;
    if (sharing.ordered == iteration) return;
    sharing.waiting.emplace(iteration, &waiter);
  }
  waiter.Wait();
}

void EndOrdered() {
  Task& task = Ordered("starpu_omp_ordered_inline_end");
  Waiter* turn;
  {
    MutexLock guard(task.region->lock);
    turn = Advance(*task.share.sharing, task.share.first + ++task.share.ordered_calls);
  }
  if (turn) turn->Wake();
}

// --- Loops -------------------------------------------------------------------------------------

struct Loop {
  unsigned long long iterations, chunk;
  int schedule, ordered;
};

// Whether the thread has a chunk; if not, it leaves the construct.
bool HasChunk(Task& task) {
  if (task.share.count > 0) return true;
  Leave(task);
  return false;
}

bool FirstChunk(Task& task, const Loop& loop) {
  const Schedule schedule = ScheduleOf(task, loop.schedule, loop.chunk);
  Enter(task, loop.ordered || schedule.kind != starpu_omp_sched_static);
  task.share.is_ordered = loop.ordered != 0;
  task.share.ordered_calls = 0;
  NextChunk(task, loop.iterations, schedule, /*is_first=*/true);
  return HasChunk(task);
}

bool AnotherChunk(Task& task, const Loop& loop) {
  if (task.share.count == 0) return false;
  EndChunk(task);
  NextChunk(task, loop.iterations, ScheduleOf(task, loop.schedule, loop.chunk),
            /*is_first=*/false);
  return HasChunk(task);
}

// Gives the chunk that take() returns for the calling thread.
int GiveChunk(const char* function, bool (*take)(Task&, const Loop&), const Loop& loop,
              unsigned long long* first, unsigned long long* count) {
  Task& task = State::Get(function).CurrentOfTeam(function);
  const bool has = take(task, loop);
  *first = task.share.first;
  *count = task.share.count;
  return has;
}

// Calls run(first, count) for all chunks of the thread.
template <class Run>
void RunLoop(const char* function, const Loop& loop, int nowait, Run&& run) {
  Task& task = State::Get(function).CurrentOfTeam(function);
  for (bool has = FirstChunk(task, loop); has; has = AnotherChunk(task, loop))
    run(task.share.first, task.share.count);
  if (!nowait) starpu_omp_barrier();
}

template <class Run>
void RunSections(const char* function, uint64_t sections, int nowait, Run&& run) {
  Task& task = State::Get(function).CurrentOfTeam(function);
  Enter(task, /*is_shared=*/true);
  uint64_t section;
  while (TakeNext(
             task, sections, [](uint64_t) { return uint64_t{1}; }, section) > 0)
    run(section);
  Leave(task);
  if (!nowait) starpu_omp_barrier();
}

}  // namespace
}  // namespace tasklens::runtime::openmp

using namespace tasklens::runtime;          // NOLINT: the definitions below are all of them short
using namespace tasklens::runtime::openmp;  // NOLINT

using Number = unsigned long long;

extern "C" {

int starpu_omp_for_inline_first(Number nb_iterations, Number chunk, int schedule, int ordered,
                                Number* first, Number* count) {
  return GiveChunk(__func__, FirstChunk, {nb_iterations, chunk, schedule, ordered}, first, count);
}
int starpu_omp_for_inline_next(Number nb_iterations, Number chunk, int schedule, int ordered,
                               Number* first, Number* count) {
  return GiveChunk(__func__, AnotherChunk, {nb_iterations, chunk, schedule, ordered}, first, count);
}
int starpu_omp_for_inline_first_alt(Number nb_iterations, Number chunk, int schedule, int ordered,
                                    Number* begin, Number* end) {
  const int has = starpu_omp_for_inline_first(nb_iterations, chunk, schedule, ordered, begin, end);
  *end += *begin;
  return has;
}
int starpu_omp_for_inline_next_alt(Number nb_iterations, Number chunk, int schedule, int ordered,
                                   Number* begin, Number* end) {
  const int has = starpu_omp_for_inline_next(nb_iterations, chunk, schedule, ordered, begin, end);
  *end += *begin;
  return has;
}
void starpu_omp_for(void (*f)(Number, Number, void*), void* arg, Number nb_iterations, Number chunk,
                    int schedule, int ordered, int nowait) {
  RunLoop(__func__, {nb_iterations, chunk, schedule, ordered}, nowait,
          [&](uint64_t first, uint64_t count) { f(first, count, arg); });
}
void starpu_omp_for_alt(void (*f)(Number, Number, void*), void* arg, Number nb_iterations,
                        Number chunk, int schedule, int ordered, int nowait) {
  RunLoop(__func__, {nb_iterations, chunk, schedule, ordered}, nowait,
          [&](uint64_t first, uint64_t count) { f(first, first + count, arg); });
}

void starpu_omp_ordered_inline_begin(void) { BeginOrdered(); }
void starpu_omp_ordered_inline_end(void) { EndOrdered(); }
void starpu_omp_ordered(void (*f)(void*), void* arg) {
  BeginOrdered();
  f(arg);
  EndOrdered();
}

void starpu_omp_sections(Number nb_sections, void (**section_f)(void*), void** section_arg,
                         int nowait) {
  RunSections(__func__, nb_sections, nowait, [&](uint64_t section) {
    section_f[section](section_arg ? section_arg[section] : nullptr);
  });
}
void starpu_omp_sections_combined(Number nb_sections, void (*section_f)(Number, void*),
                                  void* section_arg, int nowait) {
  RunSections(__func__, nb_sections, nowait,
              [&](uint64_t section) { section_f(section, section_arg); });
}

}  // extern "C"
