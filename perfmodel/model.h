// SPDX-License-Identifier: Apache-2.0
// A perfmodel: what the tasks of one codelet took, for each combination of devices that ran them,
// each implementation of the codelet, and each footprint of their data. Values; no files (file.h),
// no rules about when a value can be trusted (history.h).
//
// Times are in microseconds (of an energy model: joules), sizes in bytes.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tasklens {

// A kind of device, as StarPU numbers and calls them.
struct DeviceKind {
  int number;
  std::string_view name;   // "CUDA"
  std::string_view label;  // "cuda", within the names of architectures
};
std::span<const DeviceKind> DeviceKinds();
inline constexpr int kCpuDevice = 0;
inline constexpr int kCudaDevice = 1;

struct PerfmodelDevice {
  int kind = kCpuDevice;  // a number of DeviceKinds(), or one that we do not know
  int number = 0;
  int cores = 1;
  bool operator==(const PerfmodelDevice&) const = default;
};

// What is known of one footprint.
struct PerfmodelEntry {
  uint32_t footprint = 0;
  uint64_t size_bytes = 0;
  double flops = 0;  // NaN when tasks of this footprint had different ones
  double mean = 0, deviation = 0;
  double sum = 0, sum2 = 0;  // of the measures and of their squares
  uint64_t samples = 0;
};

// duration = alpha * size ^ beta, by least squares of the logarithms.
struct PowerLaw {
  double sum_ln_x = 0, sum_ln_x2 = 0, sum_ln_y = 0, sum_ln_x_ln_y = 0;
  double alpha = NAN, beta = NAN;
  uint64_t samples = 0;
  uint64_t min_x = 0, max_x = 0;
};

// duration = a * size ^ b + c
struct ShiftedPowerLaw {
  double a = NAN, b = NAN, c = NAN;
};

// duration = coefficients[0] + the sum of coefficients[i + 1] * terms[i]
struct MultipleRegression {
  std::vector<std::string> terms;    // "M^2*N"; empty where the program gave none
  std::vector<double> coefficients;  // empty: the model is not of this type
};

struct PerfmodelImplementation {
  PowerLaw power_law;
  ShiftedPowerLaw shifted;
  MultipleRegression multiple;
  std::vector<PerfmodelEntry> entries;  // in the file's order: the last one first in StarPU's texts
};

struct PerfmodelCombination {
  int number = 0;  // "Comb0": whatever the process that wrote it counted
  std::vector<PerfmodelDevice> devices;
  std::vector<PerfmodelImplementation> implementations;
};

struct Perfmodel {
  std::vector<PerfmodelCombination> combinations;
};

enum class PerfmodelType { kHistory, kPowerLaw, kShiftedPowerLaw, kMultiple };

// What the model was, as far as its numbers tell: files do not say it.
PerfmodelType GuessType(const PerfmodelImplementation& implementation);

// "cpu0", "cuda0_cpu0"; "cpu0_impl0 (Comb0)".
std::string DevicesName(std::span<const PerfmodelDevice> devices);
std::string ArchName(std::span<const PerfmodelDevice> devices, unsigned implementation,
                     int combination);

}  // namespace tasklens
