// SPDX-License-Identifier: Apache-2.0
// The states of a Paje file, in the form in which pajeng's pj_dump lists them for StarPU's scripts.
//
// PajeSetState ends all states of its container and type and begins one. PajePushState begins a
// state within the open one, PajePopState ends that, PajeResetState ends all. States that are open
// when their container is destroyed or the file ends, end there. Lines may have any order: they are
// sorted by time, equal times in the order of the file, as StarPU's scripts do.
//
// Threads: pure functions. Memory: 40 bytes a state.
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
  kSummary,  // the whole file; "Sc" and "E" get their long names as well
};
// Reads a Paje file, or converts another trace to one first.
Result<PajeStates> PajeStatesOf(const std::string& path, PajeScript script);

// "-r FROM:TO" and "-n A,B" of StarPU's scripts.
struct PajeChoice {
  double from_ms = 0, to_ms = 0;  // times since the first state with a chosen name
  bool has_end = false;
  std::vector<std::string> names;  // none: all
};
Result<PajeChoice> ParsePajeChoice(const std::string& range, const std::string& names);
// Selects states; times then begin at 0.
PajeStates ChosenStates(const PajeStates& states, const PajeChoice& choice);

}  // namespace tasklens
