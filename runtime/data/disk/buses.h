// SPDX-License-Identifier: Apache-2.0
// A bus is one direction between two memory nodes; Buses counts the bytes carried on each.
//
// Nodes 0 to n have a bus for each ordered pair. Those of node 1 come first, then those that node 2
// adds, and so on, so a bus keeps its number when another disk is registered.
//
// Threads: any.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <vector>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

class Buses {
 public:
  struct Ends {
    unsigned source, target;
  };
  // Traffic since a point in time.
  struct Load {
    uint64_t since_ns = 0, bytes = 0, transfers = 0;
  };

  static int CountFor(unsigned nodes) { return static_cast<int>(nodes * (nodes - 1)); }
  // REQUIRES: source != target.
  static int IdOf(Ends ends) {
    const unsigned low = ends.source < ends.target ? ends.source : ends.target;
    const unsigned high = ends.source + ends.target - low;
    return static_cast<int>(high * (high - 1) + 2 * low + (ends.source > ends.target));
  }
  // REQUIRES: id >= 0.
  static Ends EndsOf(int id) {
    unsigned high = 1;
    while (high * (high + 1) <= static_cast<unsigned>(id)) ++high;
    const unsigned rest = static_cast<unsigned>(id) - high * (high - 1);
    return rest % 2 ? Ends{high, rest / 2} : Ends{rest / 2, high};
  }

  // Called when a node was added: there are `nodes` nodes now.
  void Opened(unsigned nodes, uint64_t now_ns);
  void Carried(Ends ends, uint64_t bytes);
  // Returns the traffic of a bus. `restart`: count from `now_ns` on afterwards.
  //  REQUIRES: 0 <= id < CountFor(nodes).
  Load Look(int id, bool restart, uint64_t now_ns);

 private:
  Mutex lock_;
  std::vector<Load> loads_ GUARDED_BY(lock_);
};

}  // namespace tasklens::runtime
