// SPDX-License-Identifier: Apache-2.0
// How values get from one memory node to another, and when they are there: what a driver of devices
// does for Residency, which decides what goes where. A simulation computes dates; a driver of real
// devices puts copies into streams.
//
// An *arrival* stands for something under way: a date, or the number of a copy. 0: it is there.
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

// A value on its way between the main memory and a device, or between devices.
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

  // Carries the value as soon as all of `after` is there. `copy` copies it piece by piece, and gets
  // what starpu_interface_copy() wants as `async_data`. nullopt when it says that it could not.
  virtual std::optional<Arrival> Carry(const Shipment& shipment, std::span<const Arrival> after,
                                       const std::function<bool(void* async_data)>& copy) = 0;
  // Copies bytes at once, or as part of the shipment that `async_data` is; false when it cannot.
  virtual bool CopyRows(void* async_data, unsigned source, unsigned target, const Rows& rows) = 0;
  // For methods of the program's own interfaces: the driver's stream that carries the shipment, and
  // waiting until that stream is empty.
  virtual void* NativeOf(void* async_data) = 0;
  virtual void Settle(void* async_data) = 0;
  // Returns when it is there; whether it is.
  virtual void WaitFor(Arrival arrival) = 0;
  virtual bool IsThere(Arrival arrival) = 0;
  // Stands for both.
  virtual Arrival Both(Arrival one, Arrival other) = 0;
  // A value has left memory that is to be used for others: from when on.
  virtual Arrival Vacated(Arrival gone) = 0;
  // What a transfer is expected to take: microseconds, 0 when nobody knows; how soon it can be over
  // where the source's value is still on its way, to compare sources.
  virtual double TransferUs(unsigned source, unsigned target, uint64_t bytes) const = 0;
  virtual double SoonestUs(unsigned source, unsigned target, uint64_t bytes,
                           Arrival source_arrives) const = 0;
};

}  // namespace tasklens::runtime
