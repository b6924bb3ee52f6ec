// SPDX-License-Identifier: Apache-2.0
// Converts between our states and Paraver's.
#include "converters/paraver_numbers.h"

namespace tasklens {
namespace {

// Above Extrae's last number.
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

// Further states of Extrae, mapped to our nearest.
constexpr std::pair<int64_t, StateKind> kExtraeStates[] = {
    {3, StateKind::kCommUserWaiting},  // Waiting a message
    {4, StateKind::kSendSubmitted},    // Blocking Send
    {5, StateKind::kParallelSync},     // Synchronization
    {6, StateKind::kCommTest},         // Test/Probe
    {8, StateKind::kCommUserWaiting},  // Wait/WaitAll
    {13, StateKind::kCommProcessing},  // Group Communication
    {14, StateKind::kNone},            // Tracing Disabled
    {16, StateKind::kCommProcessing},  // Send Receive
    {18, StateKind::kOverhead},        // Profiling
    {20, StateKind::kCommProcessing},  // Remote memory access
    {32, StateKind::kInitializing},    // Configuring accelerator
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

StateKind KindOfParaverState(int64_t number) {
  for (const auto& [extrae, kind] : kExtraeStates)
    if (extrae == number) return kind;
  for (const StateDecl& decl : AllStates())
    if (decl.kind != StateKind::kNone && ParaverState(decl.kind, ParaverDialect::kToday) == number)
      return decl.kind;
  return StateKind::kUserDefined;
}

std::vector<uint32_t> ParaverStatesLike(StateKind kind) {
  std::vector<uint32_t> numbers;
  const auto add = [&](uint32_t number, StateKind read_as) {
    if (KindOfParaverState(number) == read_as) numbers.push_back(number);
  };
  // Extrae calls work "running" if its task is unknown.
  if (kind == StateKind::kExecuting)
    add(ParaverState(StateKind::kTask, ParaverDialect::kToday), StateKind::kTask);
  if (kind != StateKind::kNone) add(ParaverState(kind, ParaverDialect::kToday), kind);
  for (const auto& [extrae, meant] : kExtraeStates)
    if (meant == kind) numbers.push_back(static_cast<uint32_t>(extrae));
  return numbers;
}

}  // namespace tasklens
