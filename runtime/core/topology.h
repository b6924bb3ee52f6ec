// SPDX-License-Identifier: Apache-2.0
// The processing units of this machine that this process may use.
#pragma once

#include <hwloc.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tasklens::runtime {

class Topology {
 public:
  // Asks hwloc. Never fails: a machine that cannot be read has one processing unit.
  static Topology Load();

  // The units by their operating system number: one thread of each core first, then the second
  // threads, and so on.
  const std::vector<int>& units() const { return units_; }
  hwloc_topology_t hwloc() const { return hwloc_.get(); }
  // The number of physical cores of the whole machine.
  uint32_t cores() const;
  // Binds the calling thread; false when the system refuses.
  bool BindThisThread(int os_index) const;

 private:
  struct Destroy {
    void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
  };
  std::unique_ptr<hwloc_topology, Destroy> hwloc_;
  std::vector<int> units_;
};

}  // namespace tasklens::runtime
