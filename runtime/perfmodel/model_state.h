// SPDX-License-Identifier: Apache-2.0
// What hangs on a starpu_perfmodel: for the two files of this folder. All with ModelsLock().
#pragma once

#include <starpu.h>

#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "perfmodel/history.h"
#include "perfmodel/model.h"
#include "perfmodel/places.h"

namespace tasklens::runtime {

// Kind, number and cores of each.
using PerfmodelDevices = std::vector<std::tuple<int, int, int>>;

struct ModelImplementation {
  starpu_perfmodel_per_arch settings = {};  // of the program; they outlive runs
  // Entries in the order of their first measures: files have them the other way round.
  PerfmodelImplementation known;
  std::unordered_map<uint32_t, size_t> index;  // of an entry, by footprint
  std::unordered_map<uint32_t, FeedState> feeding;
  std::vector<double> parameters, durations;  // of a multiple regression's measures
};

}  // namespace tasklens::runtime

struct _starpu_perfmodel_state {
  std::map<std::pair<tasklens::runtime::PerfmodelDevices, unsigned>,
           tasklens::runtime::ModelImplementation>
      implementations;
  tasklens::CalibrationRules rules;  // of this run
  size_t flushed = 0;                // how often the measures of a footprint were forgotten
  bool is_loaded = false;            // its file was looked for
  bool is_fed = false;
  bool is_broken = false;  // its file cannot be read

  void Forget() {
    is_loaded = is_fed = is_broken = false;
    flushed = 0;
    for (auto& [key, implementation] : implementations) {
      implementation = {.settings = implementation.settings};
    }
  }
};

namespace tasklens::runtime {

std::mutex& ModelsLock();
// The model's state, made when there is none.
_starpu_perfmodel_state& StateOf(starpu_perfmodel* model);
void DropState(starpu_perfmodel* model);
// Looks for the model's file, once a run.
void LoadOnce(starpu_perfmodel* model);
// Puts what was found into the model.
Status LoadFrom(starpu_perfmodel* model, const Result<FoundPerfmodel>& found);
Status SaveModel(starpu_perfmodel* model);
// As files have it.
Perfmodel Contents(const _starpu_perfmodel_state& state);

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
