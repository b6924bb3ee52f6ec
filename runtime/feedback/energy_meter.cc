// SPDX-License-Identifier: Apache-2.0
#include "runtime/feedback/energy_meter.h"

#include <starpu.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

constexpr char kPowercap[] = "/sys/class/powercap";

std::optional<uint64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  uint64_t number;
  if (file >> number) return number;
  return std::nullopt;
}

// Returns the folders of packages, such as "intel-rapl:0"; their subdomains have a second colon.
std::vector<std::string> PackagesIn(const std::string& folder) {
  std::vector<std::string> packages;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    const size_t colon = name.find(':');
    if (name.rfind("intel-rapl:", 0) == 0 && name.find(':', colon + 1) == std::string::npos)
      packages.push_back(entry.path());
  }
  return packages;
}

int Refuse(const std::string& why) {
  Warn("starpu_energy_start(): %s", why.c_str());
  return -ENOSYS;
}

}  // namespace

int EnergyMeter::Start() {
  MutexLock guard(lock_);
  if (!counters_.empty()) return -EBUSY;
  const char* const given = getenv("TASKLENS_POWERCAP");
  const std::string folder = given ? given : kPowercap;
  const std::vector<std::string> packages = PackagesIn(folder);
  if (packages.empty())
    return Refuse("the processors count no energy: " + folder + " has no intel-rapl:0");
  std::vector<Counter> counters;
  for (const std::string& package : packages) {
    const std::string path = package + "/energy_uj";
    const auto start = NumberIn(path), range = NumberIn(package + "/max_energy_range_uj");
    if (!start || !range) return Refuse(path + " cannot be read by this user");
    counters.push_back({path, *range, *start});
  }
  counters_ = std::move(counters);
  return 0;
}

int EnergyMeter::Stop(double& joules) {
  MutexLock guard(lock_);
  if (counters_.empty()) return -EINVAL;
  const std::vector<Counter> counters = std::move(counters_);
  counters_.clear();
  uint64_t total_uj = 0;
  for (const Counter& counter : counters) {
    const auto now = NumberIn(counter.path);
    if (!now) return Refuse(counter.path + " can no longer be read");
    total_uj += *now >= counter.start_uj ? *now - counter.start_uj
                                         : counter.range_uj - counter.start_uj + *now;
  }
  joules = static_cast<double>(total_uj) * 1e-6;
  return 0;
}

}  // namespace tasklens::runtime
