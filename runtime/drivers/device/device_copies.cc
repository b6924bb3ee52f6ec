// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/device/device_copies.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/data/handle.h"
#include "runtime/data/movement.h"
#include "runtime/support/clock.h"

namespace tasklens::runtime {

DeviceCopies::DeviceCopies(Accelerators& accelerators, Devices& devices, FailOnDevice* fail)
    : accelerators_(accelerators), devices_(devices), fail_(fail) {
  if (Result<Bus> bus = FindBus(PlacesFromEnvironment()); bus.ok()) bus_.emplace(std::move(*bus));
}

void DeviceCopies::Failed(const Shipment& copy, const std::string& why) {
  fail_(("copying " + Describe(copy.handle) + " from memory node " + std::to_string(copy.source) +
         " to " + std::to_string(copy.target) + " failed: " + why +
         "; a kernel that ran before may be at fault")
            .c_str());
  std::abort();  // fail_() does not return
}

DeviceCopies::UnderWay::~UnderWay() {
  if (begun) accelerators.Forget(begun);
  if (ended) accelerators.Forget(ended);
}

DeviceCopies::~DeviceCopies() {
  for (const auto& [way, stream] : streams_) accelerators_.Finish(stream);
  Tend();
  for (const auto& [way, stream] : streams_) accelerators_.Close(stream);
}

int DeviceCopies::DeviceOf(unsigned node) const {
  return node == STARPU_MAIN_RAM ? Accelerators::kMainMemory : devices_.NumberOf(node);
}

// One stream per direction, so that copies to a device, from it and between peers overlap.
Accelerators::Stream* DeviceCopies::StreamFor(unsigned source, unsigned target) {
  Accelerators::Stream*& stream = streams_[{source, target}];
  const unsigned at = target == STARPU_MAIN_RAM ? source : target;
  if (!stream) stream = accelerators_.Open(devices_.NumberOf(at), Accelerators::Use::kCopies);
  return stream;
}

DeviceCopies::Copies DeviceCopies::Find(Arrival arrival) {
  Copies found;
  MutexLock guard(lock_);
  AddTo(found, arrival);
  return found;
}

void DeviceCopies::AddTo(Copies& found, Arrival arrival) {
  if (const auto both = both_.find(arrival); both != both_.end()) {
    AddTo(found, both->second.first);
    AddTo(found, both->second.second);
  } else if (const auto it = under_way_.find(arrival); it != under_way_.end()) {
    found.push_back(it->second);
  }
}

std::optional<Arrival> DeviceCopies::Carry(const Shipment& shipment, std::span<const Arrival> after,
                                           const std::function<bool(void* async_data)>& copy) {
  Accelerators::Stream* stream;
  {
    MutexLock guard(lock_);
    stream = StreamFor(shipment.source, shipment.target);
  }
  const unsigned at = shipment.target == STARPU_MAIN_RAM ? shipment.source : shipment.target;
  for (const Arrival arrival : after) Await(stream, arrival);
  auto under_way = std::make_shared<UnderWay>(accelerators_, shipment);
  RecordCopyStart(shipment);
  under_way->begun = accelerators_.Put(stream);
  void* const before = accelerators_.Enter(DeviceOf(at));
  const bool could = copy(stream);
  accelerators_.Return(before);
  if (!could) return std::nullopt;
  under_way->ended = accelerators_.Put(stream);
  MutexLock guard(lock_);
  under_way_.emplace(++last_, std::move(under_way));
  return last_;
}

bool DeviceCopies::CopyRows(void* async_data, unsigned source, unsigned target, const Rows& rows) {
  const auto is_ours = [this](unsigned node) {
    return node == STARPU_MAIN_RAM || devices_.At(node);
  };
  if (!is_ours(source) || !is_ours(target)) return false;
  const Accelerators::Way way{DeviceOf(source), DeviceOf(target)};
  if (async_data) {
    accelerators_.Copy(static_cast<Accelerators::Stream*>(async_data), way, rows);
    return true;
  }
  Accelerators::Stream* stream;
  {
    MutexLock guard(lock_);
    stream = StreamFor(source, target);
  }
  accelerators_.Copy(stream, way, rows);
  accelerators_.Finish(stream);
  return true;
}

void DeviceCopies::CopyInto(void* native, unsigned source, unsigned target, const Rows& rows) {
  const unsigned at = target == STARPU_MAIN_RAM ? source : target;
  accelerators_.CopyInto(native, DeviceOf(at), {DeviceOf(source), DeviceOf(target)}, rows);
}

void DeviceCopies::Await(Accelerators::Stream* stream, Arrival arrival) {
  for (const auto& copy : Find(arrival)) accelerators_.Await(stream, copy->ended);
}

void DeviceCopies::WaitFor(Arrival arrival) {
  const Copies copies = Find(arrival);
  std::string why;
  for (const auto& copy : copies) {
    if (accelerators_.WaitFor(copy->ended, why) == Accelerators::State::kFailed)
      Failed(copy->shipment, why);
  }
  if (!copies.empty()) Tend();
}

bool DeviceCopies::IsThere(Arrival arrival) {
  const Copies copies = Find(arrival);
  return std::all_of(copies.begin(), copies.end(), [&](const auto& copy) {
    std::string why;
    const Accelerators::State state = accelerators_.Look(copy->ended, why);
    if (state == Accelerators::State::kFailed) Failed(copy->shipment, why);
    return state == Accelerators::State::kPassed;
  });
}

Arrival DeviceCopies::Both(Arrival one, Arrival other) {
  MutexLock guard(lock_);
  const auto is_over = [this](Arrival arrival) NO_THREAD_SAFETY_ANALYSIS {  // under the lock
    return !under_way_.contains(arrival) && !both_.contains(arrival);
  };
  if (one == other || is_over(other)) return one;
  if (is_over(one)) return other;
  both_.emplace(++last_, std::pair(one, other));
  return last_;
}

void* DeviceCopies::NativeOf(void* async_data) {
  return accelerators_.NativeOf(static_cast<Accelerators::Stream*>(async_data));
}
void DeviceCopies::Settle(void* async_data) {
  accelerators_.Finish(static_cast<Accelerators::Stream*>(async_data));
}

Arrival DeviceCopies::Vacated(Arrival gone) {
  WaitFor(gone);
  return 0;
}

double DeviceCopies::TransferUs(unsigned source, unsigned target, uint64_t bytes) const {
  return bus_ ? bus_->TransferUs(source, target, bytes) : 0;
}

double DeviceCopies::SoonestUs(unsigned source, unsigned target, uint64_t bytes, Arrival) const {
  return TransferUs(source, target, bytes);
}

void DeviceCopies::Tend() {
  std::vector<std::shared_ptr<UnderWay>> over;
  {
    MutexLock guard(lock_);
    std::string why;
    for (auto it = under_way_.begin(); it != under_way_.end();) {
      switch (accelerators_.Look(it->second->ended, why)) {
        case Accelerators::State::kFailed: Failed(it->second->shipment, why);
        case Accelerators::State::kAhead: ++it; break;
        case Accelerators::State::kPassed:
          over.push_back(std::move(it->second));
          it = under_way_.erase(it);
      }
    }
    // An arrival for two others has a larger number than these, so one pass suffices.
    std::erase_if(both_, [this](const auto& row) NO_THREAD_SAFETY_ANALYSIS {  // under the lock
      Copies left;
      AddTo(left, row.first);
      return left.empty();
    });
  }
  for (const auto& copy : over) IsOver(*copy);
}

void DeviceCopies::IsOver(const UnderWay& copy) {
  RecordCopyEnd(copy.shipment);
  const uint64_t now_ns = NowNs();
  const uint64_t begun_ns = accelerators_.PassedNs(copy.begun);
  const uint64_t ended_ns = begun_ns + accelerators_.BetweenNs(copy.begun, copy.ended);
  Record<EventKind::kCopyOnDevice>(copy.shipment.number, now_ns - std::min(now_ns, begun_ns),
                                   now_ns - std::min(now_ns, ended_ns));
}

}  // namespace tasklens::runtime
