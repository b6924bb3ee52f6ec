// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/data/fake_run.h"

#include <cstdlib>
#include <cstring>

namespace tasklens::runtime {
namespace {

FakeRun* fake_run = nullptr;

// A disk that is memory.
const starpu_disk_ops& MemoryDisk() {
  static const starpu_disk_ops kOps = {
      .plug = [](void* parameter, starpu_ssize_t) { return parameter; },
      .unplug = [](void*) {},
      .alloc = [](void*, size_t bytes) { return malloc(bytes); },
      .free = [](void*, void* object, size_t) { free(object); },
      .read =
          [](void*, void* object, void* buffer, off_t offset, size_t bytes) {
            memcpy(buffer, static_cast<char*>(object) + offset, bytes);
            return static_cast<int>(bytes);
          },
      .write =
          [](void*, void* object, const void* buffer, off_t offset, size_t bytes) {
            memcpy(static_cast<char*>(object) + offset, buffer, bytes);
            return 0;
          },
  };
  return kOps;
}

}  // namespace

FakeRun::FakeRun() : residency({memory, devices, disks}, *this) { fake_run = this; }

FakeRun::~FakeRun() {
  for (auto last = handles_.rbegin(); last != handles_.rend(); ++last)
    DeleteHandle(&residency, *last);
  fake_run = nullptr;
}

FakeRun& FakeRun::Now() { return *fake_run; }

unsigned FakeRun::AddDevice(size_t limit_bytes) {
  const DeviceMemoryOps ops = {malloc, [](void* bytes, size_t) { free(bytes); }};
  const unsigned node =
      devices.Add(STARPU_CUDA_RAM, static_cast<int>(devices.count()), ops, limit_bytes);
  disks.ComeAfter(devices.count());
  return node;
}

unsigned FakeRun::AddDisk() {
  static char base;
  const int node = disks.Register(&MemoryDisk(), &base, /*size=*/-1);
  EXPECT_GT(node, 0);
  return static_cast<unsigned>(node);
}

Handle* FakeRun::Register(int home_node, const void* interface, starpu_data_interface_ops* ops) {
  handles_.push_back(NewHandle(&residency, home_node, interface, ops, /*parent=*/nullptr));
  return handles_.back();
}

std::optional<Arrival> FakeRun::Carry(const Shipment& shipment, std::span<const Arrival>,
                                      const std::function<bool(void* async_data)>& copy) {
  carried.emplace_back(shipment.source, shipment.target);
  if (!copy(nullptr)) return std::nullopt;
  return Arrival{0};
}

bool FakeRun::CopyRows(void*, unsigned, unsigned, const Rows& rows) {
  for (size_t row = 0; row < rows.count; ++row)
    memcpy(rows.target + row * rows.target_stride_bytes,
           rows.source + row * rows.source_stride_bytes, rows.row_bytes);
  return true;
}

}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_data_register(starpu_data_handle_t* handle, int home_node, void* interface,
                          starpu_data_interface_ops* ops) {
  *handle = FakeRun::Now().Register(home_node, interface, ops);
}
void starpu_data_ptr_register(starpu_data_handle_t, unsigned) {}
void* starpu_data_get_interface_on_node(starpu_data_handle_t handle, unsigned node) {
  return InterfaceOn(handle, node);
}
starpu_node_kind starpu_node_get_kind(unsigned node) {
  if (node == STARPU_MAIN_RAM) return STARPU_CPU_RAM;
  return FakeRun::Now().devices.At(node) ? STARPU_CUDA_RAM : STARPU_DISK_RAM;
}

// A method that calls these is not called with the lock.
uintptr_t starpu_malloc_on_node(unsigned node, size_t size) {
  FakeRun& run = FakeRun::Now();
  EXPECT_FALSE(run.residency.lock().is_mine());
  if (Disk* disk = run.disks.At(node)) return reinterpret_cast<uintptr_t>(disk->Allocate(size));
  if (DeviceMemory* device = run.devices.At(node)) {
    for (;;) {
      if (void* memory = device->Allocate(size)) return reinterpret_cast<uintptr_t>(memory);
      if (!run.residency.ReclaimOnDevice(node, size)) return 0;
    }
  }
  do {
    if (run.memory.Take(size, /*overflow=*/Residency::IsMoving()))
      return reinterpret_cast<uintptr_t>(malloc(size));
  } while (run.residency.Reclaim(size));
  return 0;
}
void starpu_free_on_node(unsigned node, uintptr_t address, size_t size) {
  FakeRun& run = FakeRun::Now();
  EXPECT_FALSE(run.residency.lock().is_mine());
  void* const memory = reinterpret_cast<void*>(address);
  if (Disk* disk = run.disks.At(node)) return disk->Free(memory, size);
  if (DeviceMemory* device = run.devices.At(node)) {
    device->Free(memory, size);
  } else {
    free(memory);
    run.memory.GiveBack(size);
  }
  run.residency.NoteFreed();
}
int starpu_malloc_flags(void** memory, size_t size, int) {
  *memory = malloc(size);
  return 0;
}
int starpu_free_flags(void* memory, size_t, int) {
  free(memory);
  return 0;
}
void starpu_malloc_set_align(size_t) {}

int starpu_interface_copy2d(uintptr_t source, size_t source_offset, unsigned source_node,
                            uintptr_t target, size_t target_offset, unsigned target_node,
                            size_t block_bytes, size_t blocks, size_t source_stride_bytes,
                            size_t target_stride_bytes, void*) {
  FakeRun& run = FakeRun::Now();
  EXPECT_FALSE(run.residency.lock().is_mine());
  for (size_t i = 0; i < blocks; ++i) {
    if (!CopyBetween(&run.disks, source, source_offset + i * source_stride_bytes, source_node,
                     target, target_offset + i * target_stride_bytes, target_node, block_bytes))
      return -1;
  }
  return 0;
}

}  // extern "C"
