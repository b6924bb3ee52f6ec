// SPDX-License-Identifier: Apache-2.0
// What hangs on a starpu_perfmodel: for the two files of this folder. All with ModelsLock().
#pragma once

#include <starpu.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "perfmodel/history.h"
#include "perfmodel/model.h"
#include "perfmodel/places.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

// Kind, number and cores of each.
using PerfmodelDevices = std::vector<std::tuple<int, int, int>>;

struct ModelImplementation {
  // Entries in the order of their first measures: files have them the other way round.
  PerfmodelImplementation known;
  std::unordered_map<uint32_t, size_t> index;  // of an entry, by footprint
  std::unordered_map<uint32_t, FeedState> feeding;
  std::vector<double> parameters, durations;  // of a multiple regression's measures
};

// What of a model is needed to write it, when the program may have freed it.
struct ModelDescription {
  explicit ModelDescription(const starpu_perfmodel& model);

  starpu_perfmodel_type type;
  std::optional<std::string> symbol;
  unsigned parameters;                           // of a multiple regression
  std::vector<std::string> names;                // of the parameters; empty: the program gave none
  std::vector<std::vector<unsigned>> exponents;  // of the parameters, by term
};

// What is known by a symbol, for a run: models with the same symbol share it.
struct ModelKnowledge {
  explicit ModelKnowledge(const starpu_perfmodel& model) : of(model) {}

  ModelDescription of;
  CalibrationRules rules;
  std::map<std::pair<PerfmodelDevices, unsigned>, ModelImplementation> implementations;
  size_t flushed = 0;       // how often the measures of a footprint were forgotten
  bool has_file = false;    // one was read
  bool is_broken = false;   // its file cannot be read
  bool is_fed = false;      // there is something to write
  bool is_wanting = false;  // it was asked for what it does not know
  bool is_of_one = false;   // the program loaded it into a model of its choice: not shared
};

}  // namespace tasklens::runtime

// What a starpu_perfmodel points to. It belongs to the runtime, as does all that is measured: the
// program frees a model when no task uses it any more, and need not say so.
struct _starpu_perfmodel_state {
  // Of the program; they outlive runs.
  std::map<std::pair<tasklens::runtime::PerfmodelDevices, unsigned>, starpu_perfmodel_per_arch>
      settings;
  std::shared_ptr<tasklens::runtime::ModelKnowledge> knows;  // from the first use in a run on
};

namespace tasklens::runtime {

Mutex& ModelsLock();
// The model's state, made when there is none.
_starpu_perfmodel_state& StateOf(starpu_perfmodel* model);
// What was measured stays, to be written at the end of the run.
void DropState(starpu_perfmodel* model);
// What the model knows; looks for its file at the first call of a run.
ModelKnowledge& KnowledgeOf(starpu_perfmodel* model);
// Puts what was found into the model.
Status LoadFrom(starpu_perfmodel* model, const Result<FoundPerfmodel>& found);
Status SaveModel(ModelKnowledge& knowledge);
// As files have it.
Perfmodel Contents(const ModelKnowledge& knowledge);

PerfmodelDevices DevicesOf(const PerfmodelCombination& combination);
PerfmodelDevices DevicesOf(const starpu_perfmodel_arch& arch);
// "Comb0" is the first combination that this process met. Unknown ones get the next number.
int CombinationNumber(const PerfmodelDevices& devices);
// -1: it was not met yet.
int KnownCombination(const PerfmodelDevices& devices);
int CombinationCount();
// It lasts; nullptr where there is none of the number.
starpu_perfmodel_arch* CombinationArch(int number);

}  // namespace tasklens::runtime
