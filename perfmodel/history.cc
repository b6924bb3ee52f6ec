// SPDX-License-Identifier: Apache-2.0
// Measures in, estimates out.
#include "perfmodel/history.h"

#include <algorithm>
#include <cmath>

#include "perfmodel/regression.h"

namespace tasklens {
namespace {

// A task that does not tell its operations says nothing of those of others.
void AddFlops(PerfmodelEntry& entry, double flops) {
  constexpr double kSameFlops = 1e-5;
  if (flops == 0) return;
  if (entry.flops == 0) {
    entry.flops = flops;
  } else if (std::fabs(entry.flops - flops) > kSameFlops * std::fabs(entry.flops)) {
    entry.flops = NAN;
  }
}

void Add(PerfmodelEntry& entry, const Measure& measure) {
  if (entry.samples == 0) entry.size_bytes = measure.size_bytes;
  AddFlops(entry, measure.flops);
  entry.sum += measure.duration;
  entry.sum2 += measure.duration * measure.duration;
  ++entry.samples;
  const double n = static_cast<double>(entry.samples);
  entry.mean = entry.sum / n;
  entry.deviation = std::sqrt(std::fabs(entry.sum2 - entry.sum * entry.sum / n) / n);
}

bool IsFar(double duration, double mean, const CalibrationRules& rules) {
  return duration > mean * (1 + rules.largest_error) || mean > duration * (1 + rules.largest_error);
}

}  // namespace

Fed FeedEntry(PerfmodelEntry& entry, FeedState& state, const Measure& measure, PerfmodelType type,
              const CalibrationRules& rules) {
  if (entry.samples == 0) {
    if (type == PerfmodelType::kHistory && !state.is_warm) {
      state.is_warm = true;
      entry.size_bytes = measure.size_bytes;
      entry.flops = measure.flops;
      return Fed::kWarmUp;
    }
  } else if (IsFar(measure.duration, entry.mean, rules)) {
    if (++state.outliers < entry.samples) return Fed::kOutlier;
    const uint32_t footprint = entry.footprint;
    entry = PerfmodelEntry{.footprint = footprint, .size_bytes = measure.size_bytes};
    state = FeedState{.is_warm = true};
    return Fed::kFlushed;
  }
  state.is_warm = true;
  Add(entry, measure);
  return Fed::kTaken;
}

void FeedRegression(PowerLaw& law, const Measure& measure, PerfmodelType type) {
  if (type != PerfmodelType::kPowerLaw && type != PerfmodelType::kShiftedPowerLaw) return;
  AddToPowerLaw(law, measure.size_bytes, measure.duration);
  SolvePowerLaw(law);
}

bool IsSpread(const PowerLaw& law, const CalibrationRules& rules) {
  return law.samples >= rules.least_samples &&
         static_cast<double>(law.min_x) < 0.9 * static_cast<double>(law.max_x);
}

bool Covers(const PowerLaw& law, double size_bytes, const CalibrationRules& rules) {
  return IsSpread(law, rules) && size_bytes >= 0.9 * static_cast<double>(law.min_x) &&
         size_bytes <= 1.1 * static_cast<double>(law.max_x);
}

double Expect(const PerfmodelImplementation& implementation, PerfmodelType type,
              const PerfmodelEntry* entry, uint64_t size_bytes, const CalibrationRules& rules) {
  const double size = static_cast<double>(size_bytes);
  const PowerLaw& law = implementation.power_law;
  const ShiftedPowerLaw& shifted = implementation.shifted;
  const bool is_known = entry && entry->samples >= rules.least_samples;
  if (type == PerfmodelType::kPowerLaw && Covers(law, size, rules))
    return law.alpha * std::pow(size, law.beta);
  // A measured size is known better than any curve tells.
  if (type == PerfmodelType::kShiftedPowerLaw && !is_known && Covers(law, size, rules))
    return shifted.a * std::pow(size, shifted.b) + shifted.c;
  if (type == PerfmodelType::kPowerLaw) return NAN;
  return is_known ? entry->mean : NAN;
}

double ExpectMultiple(const MultipleRegression& multiple, std::span<const double> terms) {
  if (multiple.coefficients.size() != terms.size() + 1) return NAN;
  double expected = multiple.coefficients[0];
  for (size_t i = 0; i < terms.size(); ++i) expected += multiple.coefficients[i + 1] * terms[i];
  return std::max(expected, 0.0);
}

}  // namespace tasklens
