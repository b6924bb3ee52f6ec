// SPDX-License-Identifier: Apache-2.0
// Carrier: copies values between memory nodes and knows when they arrive. Device drivers implement
// it; Residency decides which value goes where. A simulation computes dates; a driver of real
// devices enqueues copies into streams.
//
// An *arrival* identifies a transfer in progress: a date, or the number of a copy. 0: already
// arrived.
//
// Threads: any. In a simulation Carry() is called under the lock of Residency.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "runtime/data/rows.h"
#include "runtime/jobs/job.h"
#include "trace/events/events.h"

namespace tasklens::runtime {

using Arrival = uint64_t;

// One transfer of a value between the main memory and a device, or between devices.
struct Shipment {
  Handle* handle;
  unsigned source, target;  // memory nodes
  uint64_t size_bytes;
  uint64_t number;  // of the copy, in the trace
  CopyReason reason;
};

class Carrier {
 public:
  virtual ~Carrier() = default;

  // Starts the transfer, which begins once all of `after` have arrived. `copy` copies the value
  // piece by piece; its parameter is the `async_data` for starpu_interface_copy(). Returns nullopt
  // if `copy` returned false.
  virtual std::optional<Arrival> Carry(const Shipment& shipment, std::span<const Arrival> after,
                                       const std::function<bool(void* async_data)>& copy) = 0;
  // Copies bytes at once, or as part of the shipment identified by `async_data`; returns false if
  // that is impossible.
  virtual bool CopyRows(void* async_data, unsigned source, unsigned target, const Rows& rows) = 0;
  // For copy methods of the program's own interfaces: NativeOf() returns the driver's stream that
  // carries the shipment, Settle() waits until that stream is empty.
  virtual void* NativeOf(void* async_data) = 0;
  virtual void Settle(void* async_data) = 0;
  // Waits for `arrival`.
  virtual void WaitFor(Arrival arrival) = 0;
  virtual bool IsThere(Arrival arrival) = 0;
  // Returns an arrival that is reached when both are.
  virtual Arrival Both(Arrival one, Arrival other) = 0;
  // Memory is free for other data once `gone` has been reached. Returns the arrival from which on
  // the memory may be used.
  virtual Arrival Vacated(Arrival gone) = 0;
  // TransferUs() returns the expected duration of a transfer in microseconds, 0 if unknown.
  // SoonestUs() compares sources: a simulation adds the time until the value arrives at the source.
  virtual double TransferUs(unsigned source, unsigned target, uint64_t bytes) const = 0;
  virtual double SoonestUs(unsigned source, unsigned target, uint64_t bytes,
                           Arrival source_arrives) const = 0;
};

}  // namespace tasklens::runtime
