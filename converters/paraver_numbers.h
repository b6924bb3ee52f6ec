// SPDX-License-Identifier: Apache-2.0
// The numbers by which Paraver's files call states and types of events.
//
// They are Extrae's wherever Extrae has one for the same thing, so that configurations made for its
// traces find theirs in ours; the document of 2001 ("Paraver: Parallel Program Visualization and
// Analysis tool, Tracefile Description") numbers some states differently. What neither of them
// knows has a number of our own. A label never names two states: of several of ours that resemble
// one of theirs, the closest has its number.
//
// Threads: constants.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/events/events.h"

namespace tasklens {

// Which conventions a .prv follows.
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
inline constexpr uint32_t kParaverSubmitted = 92000004;  // how long before its start it was
// In how many others, tasks not counted, the state of a thread lies from now on; 0 where nothing
// was said yet.
inline constexpr uint32_t kParaverDepth = 92000005;
// How often the task ran before, where it did: it does not go on after a pause, it runs again.
inline constexpr uint32_t kParaverRepeated = 92000006;
inline constexpr uint32_t kParaverSubmittedTasks = 92000011;
inline constexpr uint32_t kParaverReadyTasks = 92000012;
inline constexpr uint32_t kParaverMemoryUsed = 92000013;  // bytes
inline constexpr uint32_t kParaverUserEvent = 92000021;   // the program's number
inline constexpr uint32_t kParaverMessage = 92000022;     // a text, by its label
inline constexpr uint32_t kParaverCounters = 93000000;    // + a number of each counter of rows

// The type of a PAPI counter.
constexpr uint32_t ParaverPapiType(int64_t code) {
  constexpr uint32_t kNativeBit = 0x40000000;
  const auto bits = static_cast<uint32_t>(code);
  return (bits & kNativeBit ? kParaverPapiNative : kParaverPapiPreset) + (bits & 0xffff);
}

// A thread before it exists; it has no StateKind.
inline constexpr uint32_t kParaverNotCreated = 2;

// How the row of a memory node is called: with its number, then ": " and its name if it has one.
inline constexpr std::string_view kParaverMemoryNode = "memory node ";

// REQUIRES: kind is neither kNone nor kCount. Never kParaverNotCreated, and less than
// kParaverTaskTypes.
uint32_t ParaverState(StateKind kind, ParaverDialect dialect);

// What Extrae's traces mean by a number that no label explains, as the nearest of ours.
StateKind KindOfParaverState(int64_t number);

// The numbers that such a trace is read back by as states of this kind, the best first; none where
// it has none.
std::vector<uint32_t> ParaverStatesLike(StateKind kind);

// Types of tasks are numbered from here, above all states: Paraver has one palette for both.
inline constexpr uint32_t kParaverTaskTypes = 101;

}  // namespace tasklens
