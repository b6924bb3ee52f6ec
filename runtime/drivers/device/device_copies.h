// SPDX-License-Identifier: Apache-2.0
// Carries data to and from real devices, and between them: each copy waits in a stream of its way
// for what it needs, and is told of in the trace when it is over, with the device's own times.
//
// An arrival is the number of a copy that may be under way.
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
  // Expects of transfers what the host's bus files say, if there are any.
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

  // Into a stream of the program's own.
  void CopyInto(void* native, unsigned source, unsigned target, const Rows& rows);
  // What follows in the stream comes after it.
  void Await(Accelerators::Stream* stream, Arrival arrival);
  // Tells of what is over.
  void Tend();

 private:
  // The device of a memory node.
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
  // The copies that an arrival stands for, of those under way.
  using Copies = std::vector<std::shared_ptr<UnderWay>>;
  Copies Find(Arrival arrival);
  void AddTo(Copies& found, Arrival arrival) REQUIRES(lock_);  // under the lock
  void IsOver(const UnderWay& copy);
  [[noreturn]] void Failed(const Shipment& copy, const std::string& why);

  Accelerators& accelerators_;
  Devices& devices_;
  FailOnDevice* const fail_;
  Mutex lock_;  // guards the rest
  std::map<std::pair<unsigned, unsigned>, Accelerators::Stream*> streams_ GUARDED_BY(lock_);
  std::map<Arrival, std::shared_ptr<UnderWay>> under_way_ GUARDED_BY(lock_);
  std::map<Arrival, std::pair<Arrival, Arrival>> both_
      GUARDED_BY(lock_);  // that stand for two others
  Arrival last_ GUARDED_BY(lock_) = 0;
  std::optional<BusTimes> bus_;
};

}  // namespace tasklens::runtime
