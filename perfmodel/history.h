// SPDX-License-Identifier: Apache-2.0
// The rules by which measures become a model and a model an estimate: those of StarPU's handbook.
#pragma once

#include <cstdint>
#include <span>

#include "perfmodel/model.h"

namespace tasklens {

struct CalibrationRules {
  uint64_t least_samples = 10;  // STARPU_CALIBRATE_MINIMUM
  double largest_error = 0.5;   // STARPU_HISTORY_MAX_ERROR, as a part of the mean
  bool operator==(const CalibrationRules&) const = default;
};

struct Measure {
  uint32_t footprint = 0;
  uint64_t size_bytes = 0;
  double flops = 0;
  double duration = 0;  // as everywhere in a model: microseconds or joules
};

// What became of a measure.
enum class Fed {
  kTaken,
  kWarmUp,   // the first of a footprint, which often is longer than all others: not in the mean
  kOutlier,  // too far from the mean; counted only
  kFlushed,  // as many outliers as samples: what was known of the footprint is forgotten
};

// What of a footprint is known besides its entry, for this process only.
struct FeedState {
  uint32_t outliers = 0;
  bool is_warm = false;  // a measure has come already
};

// Adds a measure to `entry`, which is the footprint's.
Fed FeedEntry(PerfmodelEntry& entry, FeedState& state, const Measure& measure, PerfmodelType type,
              const CalibrationRules& rules);
// Adds it to the sums of the regression, for the types that have one, and solves it.
void FeedRegression(PowerLaw& law, const Measure& measure, PerfmodelType type);

// What a task is expected to take: NaN where the model does not know it well enough, and more
// measures are wanted. `entry` is its footprint's, or nullptr. `parameters` are the values of the
// terms of a multiple regression.
double Expect(const PerfmodelImplementation& implementation, PerfmodelType type,
              const PerfmodelEntry* entry, uint64_t size_bytes, const CalibrationRules& rules);
double ExpectMultiple(const MultipleRegression& multiple, std::span<const double> terms);

// The sizes cover enough for a regression to mean something.
bool IsSpread(const PowerLaw& law, const CalibrationRules& rules);
// And the size is among them, or nearly: a curve says nothing of what is far from its points. (The
// handbook does not tell; StarPU's limits are 0.9 of the smallest and 1.1 of the largest as well.)
bool Covers(const PowerLaw& law, double size_bytes, const CalibrationRules& rules);

}  // namespace tasklens
