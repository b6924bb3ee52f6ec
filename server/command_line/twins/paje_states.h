// SPDX-License-Identifier: Apache-2.0
// The states of a Paje file, as pajeng's pj_dump lists them for StarPU's scripts.
//
// PajeSetState ends all states of its container and type and begins one, PajePushState begins one
// within the one that is open, PajePopState ends that, PajeResetState ends all. What is open when
// the container is destroyed, or when the file ends, ends there. Lines need no order: they are
// sorted by time, equals as they stand, as StarPU's scripts do it.
//
// Threads: none; pure. Memory: a state takes 40 bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

struct PajeState {
  uint32_t container = 0, value = 0;  // rows of PajeStates
  double start_ms = 0, end_ms = 0;    // in the file's unit, which StarPU has as ms
  double duration_ms() const { return end_ms - start_ms; }
};

struct PajeStates {
  std::vector<std::string> containers, values;
  std::vector<PajeState> states;
};

// What StarPU's scripts read differently.
enum class PajeScript : uint8_t {
  kStates,   // with marks start_profiling and stop_profiling, what lies between them alone
  kSummary,  // all of it; "Sc" and "E" have their long names as well
};
// Of a Paje file, or of what our writer makes of another trace.
Result<PajeStates> PajeStatesOf(const std::string& path, PajeScript script);

// "-r FROM:TO" and "-n A,B" of StarPU's scripts.
struct PajeChoice {
  double from_ms = 0, to_ms = 0;  // times since the first state that is chosen by name
  bool has_end = false;
  std::vector<std::string> names;  // none: all
};
Result<PajeChoice> ParsePajeChoice(const std::string& range, const std::string& names);
// Times then begin at 0.
PajeStates ChosenStates(const PajeStates& states, const PajeChoice& choice);

}  // namespace tasklens
