// SPDX-License-Identifier: Apache-2.0
// A run that is not there, for data: memories of a few bytes each, a carrier that copies at once,
// and no workers. The functions that methods of interfaces call (starpu_malloc_on_node() and so on)
// use it while it lives; there is one at a time.
#pragma once

#include <gtest/gtest.h>
#include <starpu.h>

#include <utility>
#include <vector>

#include "runtime/data/carrier.h"
#include "runtime/data/devices.h"
#include "runtime/data/disk/disks.h"
#include "runtime/data/handle.h"
#include "runtime/data/residency.h"

namespace tasklens::runtime {

class FakeRun : public ResidencyHost, public Carrier {
 public:
  FakeRun();
  ~FakeRun() override;
  static FakeRun& Now();  // REQUIRES: there is one

  // Their memory nodes. Devices come first.
  unsigned AddDevice(size_t limit_bytes);
  unsigned AddDisk();
  // One that ends with this.
  Handle* Register(int home_node, const void* interface, starpu_data_interface_ops* ops);

  MemoryAccount memory;
  Devices devices;
  Disks disks;
  Residency residency;

  // Copies to and from devices, as they came: source and target.
  std::vector<std::pair<unsigned, unsigned>> carried;

  Carrier* carrier() override { return devices.count() ? this : nullptr; }
  bool IsPinned(const void*) override { return false; }
  unsigned NodeOf(int) override { return STARPU_MAIN_RAM; }
  std::atomic<bool>* StuckMark() override { return nullptr; }
  bool IsAnyOtherBusy() override { return false; }
  bool Wants(starpu_prof_tool_event) override { return false; }
  void Tell(starpu_prof_tool_event, unsigned, uint64_t) override {}

  std::optional<Arrival> Carry(const Shipment& shipment, std::span<const Arrival> after,
                               const std::function<bool(void* async_data)>& copy) override;
  bool CopyRows(void* async_data, unsigned source, unsigned target, const Rows& rows) override;
  void* NativeOf(void*) override { return nullptr; }
  void Settle(void*) override {}
  void WaitFor(Arrival) override {}
  bool IsThere(Arrival) override { return true; }
  Arrival Both(Arrival, Arrival) override { return 0; }
  Arrival Vacated(Arrival) override { return 0; }
  double TransferUs(unsigned, unsigned, uint64_t) const override { return 1; }
  double SoonestUs(unsigned, unsigned, uint64_t, Arrival) const override { return 1; }

 private:
  std::vector<Handle*> handles_;
};

}  // namespace tasklens::runtime
