// SPDX-License-Identifier: Apache-2.0
// The state behind a starpu_perfmodel, shared by the files of this folder. Everything is guarded by
// ModelsLock().
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

// Kind, number and cores of each device.
using PerfmodelDevices = std::vector<std::tuple<int, int, int>>;

struct ModelImplementation {
  // Entries in the order of their first measurement; files have the reverse order.
  PerfmodelImplementation known;
  std::unordered_map<uint32_t, size_t> index;  // index into known.entries, by footprint
  std::unordered_map<uint32_t, FeedState> feeding;
  std::vector<double> parameters, durations;  // measurements of a multiple regression

  // Returns nullptr if the footprint was never measured.
  const PerfmodelEntry* EntryFor(uint32_t footprint) const {
    const auto at = index.find(footprint);
    return at == index.end() ? nullptr : &known.entries[at->second];
  }
};

// A copy of the parts of a model that are needed to write it, as the program may have freed it.
struct ModelDescription {
  explicit ModelDescription(const starpu_perfmodel& model);

  starpu_perfmodel_type type;
  std::optional<std::string> symbol;
  unsigned parameters;                           // number of parameters of a multiple regression
  std::vector<std::string> names;                // of the parameters; empty: none given
  std::vector<std::vector<unsigned>> exponents;  // of the parameters, by term
};

// The knowledge of a model during a run. Models with the same symbol share it.
struct ModelKnowledge {
  explicit ModelKnowledge(const starpu_perfmodel& model) : of(model) {}

  ModelDescription of;
  CalibrationRules rules;
  std::map<std::pair<PerfmodelDevices, unsigned>, ModelImplementation> implementations;
  size_t flushed = 0;       // number of times that the measurements of a footprint were discarded
  bool has_file = false;    // a file was read
  bool is_broken = false;   // the file cannot be read
  bool is_fed = false;      // there are measurements to write
  bool is_wanting = false;  // it was asked for a size that it does not know
  bool is_of_one = false;   // loaded by the program into this model only: not shared
};

}  // namespace tasklens::runtime

// The `state` of a starpu_perfmodel. It belongs to the runtime, as do all measurements: the program
// may free a model without notice when no task uses it any more.
struct _starpu_perfmodel_state {
  // The program's settings; they outlive runs.
  std::map<std::pair<tasklens::runtime::PerfmodelDevices, unsigned>, starpu_perfmodel_per_arch>
      settings;
  std::shared_ptr<tasklens::runtime::ModelKnowledge> knows;  // set at the first use in a run
};

namespace tasklens::runtime {

Mutex& ModelsLock();
// Returns the model's state, created at the first call.
_starpu_perfmodel_state& StateOf(starpu_perfmodel* model);
// Frees the state. Measurements are kept, and written at the end of the run.
void DropState(starpu_perfmodel* model);
// Returns the model's knowledge; reads its file at the first call of a run.
ModelKnowledge& KnowledgeOf(starpu_perfmodel* model);
// Loads a file into the model.
Status LoadFrom(starpu_perfmodel* model, const Result<FoundPerfmodel>& found);
Status SaveModel(ModelKnowledge& knowledge);
// Returns the knowledge in the form of files.
Perfmodel Contents(const ModelKnowledge& knowledge);

PerfmodelDevices DevicesOf(const PerfmodelCombination& combination);
PerfmodelDevices DevicesOf(const starpu_perfmodel_arch& arch);
// Returns the number of a combination of devices; new ones get the next number. "Comb0" is the
// first combination of this process.
int CombinationNumber(const PerfmodelDevices& devices);
// Returns -1 if the combination has no number yet.
int KnownCombination(const PerfmodelDevices& devices);
int CombinationCount();
// Returns nullptr if there is no such number. The result is never freed.
starpu_perfmodel_arch* CombinationArch(int number);

}  // namespace tasklens::runtime
