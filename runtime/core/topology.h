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

  // Numbers of the operating system, one thread of each core before the second of any.
  const std::vector<int>& units() const { return units_; }
  hwloc_topology_t hwloc() const { return hwloc_.get(); }
  // Of the whole machine, with one thread or several each.
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
