// SPDX-License-Identifier: Apache-2.0
// The numbers of states and event types in Paraver's files.
//
// They are Extrae's numbers wherever Extrae has one for the same state or type, so that
// configurations for its traces work with ours; the document of 2001 ("Paraver: Parallel Program
// Visualization and Analysis tool, Tracefile Description") numbers some states differently. States
// that neither has get numbers of our own. A label never names two states: if several of our states
// resemble one of theirs, the closest gets its number.
//
// Threads: constants.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/events/events.h"

namespace tasklens {

// The conventions of a .prv.
enum class ParaverDialect : uint8_t {
  kToday,  // Paraver 4, Extrae: nanoseconds, years of four digits, several values in a record
  k2001,   // the document
};

// Types of events.
inline constexpr uint32_t kParaverApplication = 40000001;   // 1 begins, 0 ends
inline constexpr uint32_t kParaverPapiPreset = 42000000;    // + the code's lower 16 bits
inline constexpr uint32_t kParaverPapiNative = 42001000;    // the same
inline constexpr uint32_t kParaverTaskType = 60000023;      // the task that runs, by name
inline constexpr uint32_t kParaverSiteFunction = 60000024;  // where that task was submitted
inline constexpr uint32_t kParaverSiteLine = 60000124;
// Our own.
inline constexpr uint32_t kParaverTaskId = 92000001;
inline constexpr uint32_t kParaverIteration = 92000002;
inline constexpr uint32_t kParaverSubiteration = 92000003;
inline constexpr uint32_t kParaverSubmitted = 92000004;  // time between submission and start
// The depth of the thread's state from now on: the number of other states, without tasks, around
// it; 0 if there was no event yet.
inline constexpr uint32_t kParaverDepth = 92000005;
// The number of earlier runs of the task, if it runs again (and does not continue after a pause).
inline constexpr uint32_t kParaverRepeated = 92000006;
inline constexpr uint32_t kParaverSubmittedTasks = 92000011;
inline constexpr uint32_t kParaverReadyTasks = 92000012;
inline constexpr uint32_t kParaverMemoryUsed = 92000013;  // bytes
inline constexpr uint32_t kParaverUserEvent = 92000021;   // the program's number
inline constexpr uint32_t kParaverMessage = 92000022;     // a text, by its label
inline constexpr uint32_t kParaverCounters = 93000000;    // + a number of each counter of the rows

// The type of a PAPI counter.
constexpr uint32_t ParaverPapiType(int64_t code) {
  constexpr uint32_t kNativeBit = 0x40000000;
  const auto bits = static_cast<uint32_t>(code);
  return (bits & kNativeBit ? kParaverPapiNative : kParaverPapiPreset) + (bits & 0xffff);
}

// A thread before it exists; it has no StateKind.
inline constexpr uint32_t kParaverNotCreated = 2;

// The name of a memory node's row: this, its number, then ": " and its name if it has one.
inline constexpr std::string_view kParaverMemoryNode = "memory node ";

// REQUIRES: kind is neither kNone nor kCount. Never kParaverNotCreated, and less than
// kParaverTaskTypes.
uint32_t ParaverState(StateKind kind, ParaverDialect dialect);

// Returns our state that is closest to the meaning of `number` in Extrae's traces without a label.
StateKind KindOfParaverState(int64_t number);

// Returns the numbers that are read back as this state from a trace without labels, the best first;
// none if there is none.
std::vector<uint32_t> ParaverStatesLike(StateKind kind);

// Numbers of task types begin here, above all states: Paraver uses one palette for both.
inline constexpr uint32_t kParaverTaskTypes = 101;

}  // namespace tasklens
