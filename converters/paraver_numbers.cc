// SPDX-License-Identifier: Apache-2.0
// Our states and theirs.
#include "converters/paraver_numbers.h"

namespace tasklens {
namespace {

// Above the last of Extrae's.
constexpr uint32_t kOwnStates = 34;
static_assert(kOwnStates + static_cast<uint32_t>(StateKind::kCount) <= kParaverTaskTypes);

struct Counterpart {
  StateKind kind;
  uint32_t today;  // Extrae's
  uint32_t in_2001;
};
constexpr uint32_t kNoNumber = ~uint32_t{0};
constexpr Counterpart kCounterparts[] = {
    {StateKind::kIdle, 0, 0},                    // Idle
    {StateKind::kTask, 1, 1},                    // Running
    {StateKind::kParallelSync, 5, 5},            // Synchronization
    {StateKind::kCommTest, 6, 8},                // Test/Probe
    {StateKind::kScheduling, 7, 7},              // Scheduling and Fork/Join
    {StateKind::kWaitingAllTasks, 8, 6},         // Wait/WaitAll
    {StateKind::kSleeping, 9, 4},                // Blocked
    {StateKind::kSendSubmitted, 10, 10},         // Immediate Send
    {StateKind::kReceiveSubmitted, 11, 11},      // Immediate Receive
    {StateKind::kFetchingInput, 17, kNoNumber},  // Memory transfer
    {StateKind::kOverhead, 24, kNoNumber},       // Overhead
    {StateKind::kInitializing, 26, kNoNumber},   // Startup latency
    {StateKind::kDriverCopy, 28, kNoNumber},     // Data copy
    {StateKind::kAllocating, 30, kNoNumber},     // Allocating memory
    {StateKind::kFreeing, 31, kNoNumber},        // Freeing memory
};

}  // namespace

uint32_t ParaverState(StateKind kind, ParaverDialect dialect) {
  for (const Counterpart& counterpart : kCounterparts) {
    if (counterpart.kind != kind) continue;
    const uint32_t number =
        dialect == ParaverDialect::kToday ? counterpart.today : counterpart.in_2001;
    if (number != kNoNumber) return number;
  }
  return kOwnStates + static_cast<uint32_t>(kind);
}

}  // namespace tasklens
