// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/disk/disks.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/recorder/recorder.h"
#include "runtime/support/clock.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"

int starpu_disk_swap_node = -1;

namespace tasklens::runtime {
namespace {

struct BackEnd {
  const char* name;  // value of STARPU_DISK_SWAP_BACKEND
  const starpu_disk_ops* ops;
};
constexpr BackEnd kBackEnds[] = {
    {"unistd", &starpu_disk_unistd_ops},
    {"unistd_o_direct", &starpu_disk_unistd_o_direct_ops},
    {"stdio", &starpu_disk_stdio_ops},
};

void NoteUsed(unsigned node, size_t used_bytes) {
  Record<EventKind::kMemoryUsed>(node, uint64_t{used_bytes});
}

}  // namespace

void* Disk::Allocate(size_t bytes) {
  if (used_bytes.fetch_add(bytes) + bytes > size_bytes) {
    used_bytes.fetch_sub(bytes);
    return nullptr;
  }
  void* object = ops->alloc ? ops->alloc(base, bytes) : nullptr;
  if (!object) used_bytes.fetch_sub(bytes);
  return object;
}

void Disk::Free(void* object, size_t bytes) {
  ops->free(base, object, bytes);
  used_bytes.fetch_sub(bytes);
}

Disks::~Disks() {
  for (unsigned i = 0; i < count(); ++i) disks_[i].ops->unplug(disks_[i].base);
  starpu_disk_swap_node = -1;
}

void Disks::ComeAfter(unsigned devices) {
  devices_ = devices;
  if (devices > 0) buses_.Opened(1 + devices, NowNs());
}

int Disks::Register(const starpu_disk_ops* ops, void* parameter, starpu_ssize_t size) {
  if (!ops || (size >= 0 && size < STARPU_DISK_SIZE_MIN)) {
    Warn("starpu_disk_register(): a disk of %zd bytes is smaller than STARPU_DISK_SIZE_MIN", size);
    return -EINVAL;
  }
  MutexLock guard(register_lock_);
  if (registers_ == &ThisThread()) {
    Warn("starpu_disk_register() was called while a disk is plugged: register one after the other");
    return -EBUSY;
  }
  while (registers_) registered_.wait(guard);
  registers_ = &ThisThread();
  guard.unlock();
  const int node = Plug(ops, parameter, size);
  guard.lock();
  registers_ = nullptr;
  registered_.notify_all();
  return node;
}

int Disks::Plug(const starpu_disk_ops* ops, void* parameter, starpu_ssize_t size) {
  const unsigned index = count();
  if (devices_ + index == disks_.size()) {
    Warn("starpu_disk_register(): there are %u disks, and no more memory nodes", index);
    return -ENOSPC;
  }
  const unsigned node = devices_ + index + 1;
  void* base = ops->plug(parameter, size);
  if (!base) return -ENOENT;
  if (ops->bandwidth && !ops->bandwidth(node, base)) {
    ops->unplug(base);
    return -ENOENT;
  }
  Disk& disk = disks_[index];
  disk.ops = ops;
  disk.base = base;
  disk.size_bytes = size < 0 ? SIZE_MAX : static_cast<size_t>(size);
  const bool is_folder = std::any_of(std::begin(kBackEnds), std::end(kBackEnds),
                                     [ops](const BackEnd& known) { return known.ops == ops; });
  if (is_folder) MeasureFolder(base, disk.writing, disk.reading);
  Record<EventKind::kMemoryNodeNew>(node, std::string_view("Disk " + std::to_string(index)));
  NoteUsed(node, 0);
  buses_.Opened(node + 1, NowNs());
  count_.store(index + 1, std::memory_order_release);
  return static_cast<int>(node);
}

const DiskSpeed* Disks::SpeedBetween(unsigned source, unsigned target) {
  const Disk *from = At(source), *to = At(target);
  const DiskSpeed* slowest = nullptr;
  for (const DiskSpeed* speed : {from ? &from->reading : nullptr, to ? &to->writing : nullptr}) {
    if (!speed || !(speed->bandwidth > 0)) continue;
    if (!slowest || speed->bandwidth < slowest->bandwidth) slowest = speed;
  }
  return slowest;
}

void Disks::RegisterFromEnvironment() {
  const char* path = getenv("STARPU_DISK_SWAP");
  if (!path || !*path) return;
  const char* given = getenv("STARPU_DISK_SWAP_BACKEND");
  const std::string name = given && *given ? given : "unistd";
  const auto* back_end = std::find_if(std::begin(kBackEnds), std::end(kBackEnds),
                                      [&](const BackEnd& other) { return name == other.name; });
  if (back_end == std::end(kBackEnds)) {
    Warn(
        "STARPU_DISK_SWAP_BACKEND=%s is none of unistd, unistd_o_direct, stdio: no data are put "
        "on a disk",
        name.c_str());
    return;
  }
  const auto mebibytes = EnvironmentNumber("STARPU_DISK_SWAP_SIZE");
  const starpu_ssize_t size =
      mebibytes ? std::max<starpu_ssize_t>(starpu_ssize_t{*mebibytes} << 20, STARPU_DISK_SIZE_MIN)
                : -1;
  const int node = Register(back_end->ops, const_cast<char*>(path), size);
  if (node < 0) {
    Warn("STARPU_DISK_SWAP=%s cannot be used: %s", path, strerror(-node));
    return;
  }
  starpu_disk_swap_node = node;
}

namespace {

// Asks the disk for an asynchronous copy. Returns false if it cannot, or refuses.
bool Ask(const Disk* from, uintptr_t source, size_t source_offset, const Disk* to, uintptr_t target,
         size_t target_offset, size_t bytes, DiskRequests& requests) {
  const starpu_disk_ops& ops = from ? *from->ops : *to->ops;
  if (!DiskRequests::CanBeAsked(ops) || requests.size() >= DiskRequests::kMost) return false;
  void* const from_object = reinterpret_cast<void*>(source);
  void* const to_object = reinterpret_cast<void*>(target);
  const auto from_offset = static_cast<off_t>(source_offset);
  const auto to_offset = static_cast<off_t>(target_offset);
  void* request = nullptr;
  if (from && to) {
    // A disk copies only to disks of its own kind.
    if (from->ops == to->ops && ops.copy)
      request =
          ops.copy(from->base, from_object, from_offset, to->base, to_object, to_offset, bytes);
  } else if (from && ops.async_read) {
    request = ops.async_read(from->base, from_object,
                             reinterpret_cast<void*>(target + target_offset), from_offset, bytes);
  } else if (to && ops.async_write) {
    request = ops.async_write(to->base, to_object, reinterpret_cast<void*>(source + source_offset),
                              to_offset, bytes);
  }
  if (request) requests.Add(&ops, request);
  return request != nullptr;
}

}  // namespace

bool CopyBetween(Disks* disks, uintptr_t source, size_t source_offset, unsigned source_node,
                 uintptr_t target, size_t target_offset, unsigned target_node, size_t bytes,
                 DiskRequests* requests) {
  Disk* from = disks ? disks->At(source_node) : nullptr;
  Disk* to = disks ? disks->At(target_node) : nullptr;
  if (!from && !to) {
    memcpy(reinterpret_cast<void*>(target + target_offset),
           reinterpret_cast<const void*>(source + source_offset), bytes);
    return true;
  }
  if (from && to) {
    // A copy between two disks needs no memory of the runtime; it is waited for here.
    DiskRequests copied;
    if (Ask(from, source, source_offset, to, target, target_offset, bytes, copied)) {
      copied.Wait();
      return !copied.have_failed();
    }
  } else if (requests &&
             Ask(from, source, source_offset, to, target, target_offset, bytes, *requests)) {
    return true;
  }
  const auto read = [&](void* buffer, size_t done, size_t size) {
    return from->ops->read(from->base, reinterpret_cast<void*>(source), buffer,
                           static_cast<off_t>(source_offset + done),
                           size) == static_cast<int>(size);
  };
  const auto write = [&](const void* buffer, size_t done, size_t size) {
    return to->ops->write(to->base, reinterpret_cast<void*>(target), buffer,
                          static_cast<off_t>(target_offset + done), size) == 0;
  };
  // Disks return the number of bytes read as an int.
  constexpr size_t kStep = size_t{64} << 20;
  std::vector<char> buffer(from && to ? std::min(bytes, size_t{1} << 20) : 0);
  for (size_t done = 0; done < bytes;) {
    const size_t step = std::min(bytes - done, buffer.empty() ? kStep : buffer.size());
    char* at = !from ? reinterpret_cast<char*>(source + source_offset + done)
               : !to ? reinterpret_cast<char*>(target + target_offset + done)
                     : buffer.data();
    if (from && !read(at, done, step)) return false;
    if (to && !write(at, done, step)) return false;
    done += step;
  }
  return true;
}

}  // namespace tasklens::runtime
