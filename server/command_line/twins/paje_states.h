// SPDX-License-Identifier: Apache-2.0
// The states of a Paje file, as pajeng's pj_dump lists them for StarPU's scripts.
//
// PajeSetState ends all states of its container and type and begins one. PajePushState begins a
// state within the open one, PajePopState ends it, PajeResetState ends all. States that are open
// when their container is destroyed or the file ends, end there. Lines may be in any order: like
// StarPU's scripts, this sorts them by time, and keeps the order of the file for equal times.
//
// Threads: functions without state; they read files. Memory: 24 bytes for each state; while a file
// is read, its text and more than 100 bytes for each change of a state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

struct PajeState {
  uint32_t container = 0, value = 0;  // rows of PajeStates
  double start_ms = 0, end_ms = 0;    // in the unit of the file, which is ms in StarPU's files
  double duration_ms() const { return end_ms - start_ms; }
};

struct PajeStates {
  std::vector<std::string> containers, values;
  std::vector<PajeState> states;
};

// The variants in which StarPU's scripts read a file.
enum class PajeScript : uint8_t {
  kStates,   // only between the marks start_profiling and stop_profiling, if any
  kSummary,  // the whole file; also replaces the short names "Sc" and "E" by long ones
};
// Reads a Paje file, or converts another trace to one first.
Result<PajeStates> PajeStatesOf(const std::string& path, PajeScript script);

// "-r FROM:TO" and "-n A,B" of StarPU's scripts.
struct PajeChoice {
  double from_ms = 0, to_ms = 0;  // times since the first state with a chosen name
  bool has_end = false;
  std::vector<std::string> names;  // empty: all
};
Result<PajeChoice> ParsePajeChoice(const std::string& range, const std::string& names);
// Returns the chosen states. Their times begin at 0 with the first state that has a chosen name.
PajeStates ChosenStates(const PajeStates& states, const PajeChoice& choice);

}  // namespace tasklens
