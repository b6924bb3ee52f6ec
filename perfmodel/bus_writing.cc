// SPDX-License-Identifier: Apache-2.0
// The files of buses that were measured here.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "perfmodel/bus.h"
#include "perfmodel/file.h"
#include "trace/support/plain_numbers.h"

namespace tasklens {
namespace {

// StarPU's own matrices have a place for every memory node that it was built for, and take files
// of other sizes.
constexpr size_t kNodes = 32;

BusMatrix MatrixOf(const std::vector<std::vector<double>>& measured) {
  BusMatrix matrix;
  matrix.heading = "# to NUMA 0\t";
  for (size_t i = 1; i < measured.size(); ++i)
    matrix.heading += "to CUDA " + std::to_string(i - 1) + "\t";
  const size_t nodes = std::max(kNodes, measured.size());
  matrix.rows.assign(nodes, std::vector<double>(nodes, NAN));
  for (size_t from = 0; from < measured.size(); ++from)
    std::copy(measured[from].begin(), measured[from].end(), matrix.rows[from].begin());
  return matrix;
}

// What the two versions of SimGrid's format call the same.
struct PlatformWords {
  const char *version, *schema, *speed, *speed_unit, *bandwidth_unit, *time_unit;
  char hyphen;
};
constexpr PlatformWords kVersion3 = {
    "3", "http://simgrid.gforge.inria.fr/simgrid.dtd", "power", "", "", "", '_'};
constexpr PlatformWords kVersion4 = {
    "4", "http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd", "speed", "f", "Bps", "s", '-'};

class Platform {
 public:
  Platform(const Bus& bus, std::span<const MeasuredDevice> devices, const PlatformWords& words)
      : bus_(bus), devices_(devices), words_(words) {}

  std::string Text() {
    Head();
    Host("MAIN", "1", "/");
    for (uint32_t i = 0; i < bus_.Count("CPU"); ++i) Host("CPU" + std::to_string(i), kSpeed, "/");
    for (size_t i = 0; i < devices_.size(); ++i) Device(i);
    text_ += '\n';
    Host("RAM", "1", "/");
    Link("NUMA0", FastestOf(0) * kBytes, 0);
    Link("Interconnect", FastestOf(0) * kBytes, 0);
    text_ += '\n';
    Ways([this](size_t from, size_t to) {
      Link(Name(from) + "-" + Name(to), bus_.bandwidth.rows[from][to] * kBytes,
           bus_.latency.rows[from][to] * 1e-6);
    });
    Ways([this](size_t from, size_t to) {
      text_ += "   <route src=\"" + Name(from) + "\" dst=\"" + Name(to) +
               "\" symmetrical=\"NO\"><link_ctn id=\"" + Name(from) + "-" + Name(to) +
               "\"/><link_ctn id=\"NUMA0\"/></route>\n";
    });
    return text_ + " </AS>\n </platform>\n";
  }

 private:
  static constexpr const char* kSpeed = "2000000000";  // nobody asks SimGrid for it
  static constexpr double kBytes = 1e6;                // of a MB/s

  static std::string Name(size_t node) {
    return node == 0 ? "RAM" : "CUDA" + std::to_string(node - 1);
  }
  void Head() {
    text_ = std::string("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM '") + words_.schema +
            "'>\n <platform version=\"" + words_.version + "\">\n <config id=\"General\">\n";
    const char* const properties[][2] = {{"TCP?gamma", "-1"},
                                         {"latency?factor", "1"},
                                         {"bandwidth?factor", "1"},
                                         {"crosstraffic", "0"},
                                         {"weight?S", "0.0"}};
    for (const auto& [property, value] : properties) {
      std::string name = property;
      std::replace(name.begin(), name.end(), '?', words_.hyphen);
      text_ += "   <prop id=\"network/" + name + "\" value=\"" + value + "\"></prop>\n";
    }
    text_ += " </config>\n <AS  id=\"AS0\"  routing=\"Full\">\n";
  }
  void Host(const std::string& name, const std::string& speed, const char* end) {
    text_ += "   <host id=\"" + name + "\" " + words_.speed + "=\"" + speed + words_.speed_unit +
             "\"" + end + ">\n";
  }
  void Device(size_t i) {
    Host(Name(i + 1), kSpeed, "");
    const MeasuredDevice& device = devices_[i];
    if (device.memory_bytes)
      text_ +=
          "     <prop id=\"memsize\" value=\"" + std::to_string(device.memory_bytes) + "\"/>\n";
    text_ += std::string("     <prop id=\"memcpy_peer\" value=\"") +
             (device.reaches_peers ? "1" : "0") + "\"/>\n   </host>\n";
  }
  void Link(const std::string& name, double bytes_per_s, double latency_s) {
    const PlainNumbers plain;
    char numbers[128];
    std::snprintf(numbers, sizeof(numbers), "bandwidth=\"%f%s\" latency=\"%f%s\"", bytes_per_s,
                  words_.bandwidth_unit, latency_s, words_.time_unit);
    text_ += "   <link id=\"" + name + "\" " + numbers + "/>\n";
  }
  // From one node to another, where it was measured.
  template <class Visit>
  void Ways(const Visit& visit) {
    const size_t nodes = devices_.size() + 1;
    for (size_t from = 0; from < nodes; ++from)
      for (size_t to = 0; to < nodes; ++to)
        if (from != to && std::isfinite(bus_.bandwidth.rows[from][to])) visit(from, to);
    if (nodes > 1) text_ += '\n';
  }
  double FastestOf(size_t node) const {
    double fastest = 0;
    for (size_t i = 0; i <= devices_.size(); ++i)
      for (const double way : {bus_.bandwidth.rows[i][node], bus_.bandwidth.rows[node][i]})
        if (std::isfinite(way)) fastest = std::max(fastest, way);
    return fastest;
  }

  const Bus& bus_;
  const std::span<const MeasuredDevice> devices_;
  const PlatformWords& words_;
  std::string text_;
};

}  // namespace

Bus MeasuredBus(uint32_t cpus, const std::vector<std::vector<double>>& bandwidth,
                const std::vector<std::vector<double>>& latency) {
  const auto devices = static_cast<uint32_t>(bandwidth.size() - 1);
  Bus bus;
  bus.config = {
      {cpus, "Number of CPUs"}, {1, "Number of NUMA nodes"}, {devices, "Number of CUDA nodes"}};
  for (const char* kind : {"OpenCL", "FPGA", "Disk", "MPI_MS", "TCPIP_MS", "HIP"})
    bus.config.push_back({0, "Number of " + std::string(kind) + " nodes"});
  bus.bandwidth = MatrixOf(bandwidth);
  bus.latency = MatrixOf(latency);
  bus.affinity.heading = "# GPU\tNUMA0\t";
  for (uint32_t device = 0; device < devices; ++device) bus.affinity.rows.push_back({device, 0});
  return bus;
}

std::string BusPlatformText(const Bus& bus, std::span<const MeasuredDevice> devices, int version) {
  return Platform(bus, devices, version == 3 ? kVersion3 : kVersion4).Text();
}

Status WriteBus(const PerfmodelPlaces& places, const Bus& bus,
                std::span<const MeasuredDevice> devices) {
  if (places.folders.empty())
    return {ErrorCode::kNotFound, "there is no folder for bus files; see STARPU_HOME"};
  const std::pair<const char*, std::string> files[] = {
      {"affinity", BusAffinityText(bus.affinity)},
      {"bandwidth", BusMatrixText(bus.bandwidth)},
      {"latency", BusMatrixText(bus.latency)},
      {"platform.xml", BusPlatformText(bus, devices, 3)},
      {"platform.v4.xml", BusPlatformText(bus, devices, 4)},
      {"config", BusConfigText(bus.config)},  // the last: with it the others count
  };
  for (const auto& [kind, text] : files)
    if (Status s = WriteLocked(BusPath(places.folders[0], places.host, kind), text); !s.ok())
      return s;
  return Status::Ok();
}

}  // namespace tasklens
