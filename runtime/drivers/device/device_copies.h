// SPDX-License-Identifier: Apache-2.0
// DeviceCopies: the Carrier of real devices. Each copy is enqueued in the stream of its direction
// and waits there for the arrivals it needs; its end is recorded in the trace with the device's own
// times.
//
// An arrival is the number of a copy, which may have ended.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/data/carrier.h"
#include "runtime/data/devices.h"
#include "runtime/drivers/accelerators.h"
#include "runtime/drivers/bus_times.h"
#include "runtime/drivers/device/fail_on_device.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

class DeviceCopies : public Carrier {
 public:
  // Expected transfer times come from the host's bus files, if there are any.
  DeviceCopies(Accelerators& accelerators, Devices& devices, FailOnDevice* fail);
  ~DeviceCopies() override;

  std::optional<Arrival> Carry(const Shipment& shipment, std::span<const Arrival> after,
                               const std::function<bool(void* async_data)>& copy) override;
  bool CopyRows(void* async_data, unsigned source, unsigned target, const Rows& rows) override;
  void* NativeOf(void* async_data) override;
  void Settle(void* async_data) override;
  void WaitFor(Arrival arrival) override;
  bool IsThere(Arrival arrival) override;
  Arrival Both(Arrival one, Arrival other) override;
  Arrival Vacated(Arrival gone) override;
  double TransferUs(unsigned source, unsigned target, uint64_t bytes) const override;
  double SoonestUs(unsigned source, unsigned target, uint64_t bytes,
                   Arrival source_arrives) const override;

  // Copies rows in a native stream of the program's own.
  void CopyInto(void* native, unsigned source, unsigned target, const Rows& rows);
  // Operations that are enqueued in the stream later wait for `arrival`.
  void Await(Accelerators::Stream* stream, Arrival arrival);
  // Records the copies that have ended.
  void Tend();

 private:
  // Returns the device of a memory node.
  int DeviceOf(unsigned node) const;
  Accelerators::Stream* StreamFor(unsigned source, unsigned target) REQUIRES(lock_);
  struct UnderWay {
    UnderWay(Accelerators& accelerators, const Shipment& shipment)
        : accelerators(accelerators), shipment(shipment) {}
    ~UnderWay();
    Accelerators& accelerators;
    const Shipment shipment;
    Accelerators::Mark *begun = nullptr, *ended = nullptr;
  };
  // The copies in progress that an arrival stands for.
  using Copies = std::vector<std::shared_ptr<UnderWay>>;
  Copies Find(Arrival arrival);
  void AddTo(Copies& found, Arrival arrival) REQUIRES(lock_);
  void IsOver(const UnderWay& copy);
  [[noreturn]] void Failed(const Shipment& copy, const std::string& why);

  Accelerators& accelerators_;
  Devices& devices_;
  FailOnDevice* const fail_;
  Mutex lock_;  // guards the rest
  std::map<std::pair<unsigned, unsigned>, Accelerators::Stream*> streams_ GUARDED_BY(lock_);
  std::map<Arrival, std::shared_ptr<UnderWay>> under_way_ GUARDED_BY(lock_);
  // Arrivals that stand for two others; see Both().
  std::map<Arrival, std::pair<Arrival, Arrival>> both_ GUARDED_BY(lock_);
  Arrival last_ GUARDED_BY(lock_) = 0;
  std::optional<BusTimes> bus_;
};

}  // namespace tasklens::runtime
