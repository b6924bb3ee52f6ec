// SPDX-License-Identifier: Apache-2.0
// Names of devices, and what a model's numbers tell of its type.
#include "perfmodel/model.h"

#include <algorithm>

namespace tasklens {
namespace {

constexpr DeviceKind kDeviceKinds[] = {
    {kCpuDevice, "CPU", "cpu"},  {kCudaDevice, "CUDA", "cuda"},
    {2, "OpenCL", "opencl"},     {3, "MIC", "mic"},
    {4, "MAX_FPGA", "max_fpga"}, {5, "MPI_MS", "mpi_ms"},
    {6, "TCPIP_MS", "tcpip_ms"}, {7, "HIP", "hip"},
};

}  // namespace

std::span<const DeviceKind> DeviceKinds() { return kDeviceKinds; }

PerfmodelType GuessType(const PerfmodelImplementation& implementation) {
  const ShiftedPowerLaw& shifted = implementation.shifted;
  const PowerLaw& law = implementation.power_law;
  if (!implementation.multiple.coefficients.empty()) return PerfmodelType::kMultiple;
  if (std::isfinite(shifted.a) && std::isfinite(shifted.b) && std::isfinite(shifted.c))
    return PerfmodelType::kShiftedPowerLaw;
  if (std::isfinite(law.alpha) && std::isfinite(law.beta)) return PerfmodelType::kPowerLaw;
  return PerfmodelType::kHistory;
}

std::string DevicesName(std::span<const PerfmodelDevice> devices) {
  std::string name;
  for (const PerfmodelDevice& device : devices) {
    const auto kind =
        std::find_if(std::begin(kDeviceKinds), std::end(kDeviceKinds),
                     [&](const DeviceKind& row) { return row.number == device.kind; });
    if (!name.empty()) name += '_';
    name += kind == std::end(kDeviceKinds) ? "unknown" : kind->label;
    name += std::to_string(device.number);
  }
  return name;
}

std::string ArchName(std::span<const PerfmodelDevice> devices, unsigned implementation,
                     int combination) {
  return DevicesName(devices) + "_impl" + std::to_string(implementation) + " (Comb" +
         std::to_string(combination) + ")";
}

}  // namespace tasklens
