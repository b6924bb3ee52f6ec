// SPDX-License-Identifier: Apache-2.0
// The stand-in. See standin.h.
#include "tests/runtime/cuda/standin.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/drivers/cuda/libcuda.h"

namespace {

constexpr int kDevices = 2;
constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidContext = 201, kNotFound = 500,
              kNotReady = 600, kIllegalAddress = 700, kContextIsDestroyed = 709,
              kAlreadyRegistered = 712, kNotRegistered = 713;

uint64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}
void Sleep(uint64_t ns) {
  const timespec time{static_cast<time_t>(ns / 1'000'000'000),
                      static_cast<long>(ns % 1'000'000'000)};
  if (ns) nanosleep(&time, nullptr);
}

// A piece of device memory: an address that nobody can use, and where its bytes are.
struct Piece {
  size_t bytes, mapped;
  char* shadow;
  int device;
};

struct Recorded {  // one cuEventRecord()
  bool done = false;
  uint64_t ns = 0;
};

struct State {
  std::mutex lock;  // guards all of it
  std::condition_variable changed;
  std::map<unsigned long long, Piece> pieces;
  uint64_t used[kDevices] = {};
  uint64_t memory_bytes = uint64_t{1} << 30;
  std::map<const char*, size_t> pinned;
  std::map<std::string, std::deque<int>> failures;
  std::map<std::string, uint64_t> calls;
  int sticky_error = 0;
  uint64_t copy_ns = 0;
  bool copies_stand = false;
  uint64_t held_up_ns = 0;
  int held_up_times = 0;
};
State& The() {
  static State* state = new State;  // streams may outlive main()
  return *state;
}

// The start of every function: counts it, and fails when a test or an earlier kernel says so.
int Called(const char* symbol) {
  State& state = The();
  std::lock_guard guard(state.lock);
  ++state.calls[symbol];
  auto& failures = state.failures[symbol];
  if (!failures.empty()) {
    const int error = failures.front();
    failures.pop_front();
    return error;
  }
  return state.sticky_error;
}
// Of functions that do not fail.
void Count(const char* symbol) {
  std::lock_guard guard(The().lock);
  ++The().calls[symbol];
}
#define CALLED(symbol) \
  if (const int error = Called(#symbol)) return error

// Where `bytes` of device memory are; nullptr, and the device is lost, outside of all pieces.
char* Shadow(unsigned long long address, size_t bytes) {
  State& state = The();
  std::lock_guard guard(state.lock);
  auto it = state.pieces.upper_bound(address);
  if (it != state.pieces.begin()) {
    --it;
    if (address + bytes <= it->first + it->second.bytes)
      return it->second.shadow + (address - it->first);
  }
  state.sticky_error = kIllegalAddress;
  return nullptr;
}

// In a stream.
void BeforeCopy() {
  State& state = The();
  std::unique_lock guard(state.lock);
  state.changed.wait(guard, [&] { return !state.copies_stand; });
  const uint64_t copy_ns = state.copy_ns;
  guard.unlock();
  Sleep(copy_ns);
}

bool IsPinned(const void* memory, size_t bytes) {
  State& state = The();
  std::lock_guard guard(state.lock);
  const char* const first = static_cast<const char*>(memory);
  auto it = state.pinned.upper_bound(first);
  if (it == state.pinned.begin()) return false;
  --it;
  return first + bytes <= it->first + it->second;
}

}  // namespace

struct CUctx_st {
  int device;
};
struct CUevent_st {
  std::shared_ptr<Recorded> recorded;
};
struct CUstream_st {
  explicit CUstream_st(int device) : device(device), thread([this] { Work(); }) {}
  ~CUstream_st() {
    {
      std::lock_guard guard(The().lock);
      ends = true;
    }
    The().changed.notify_all();
    thread.join();
  }
  void Push(std::function<void()> work) {
    {
      std::lock_guard guard(The().lock);
      queue.push_back(std::move(work));
    }
    The().changed.notify_all();
  }
  int Finish() {
    std::unique_lock guard(The().lock);
    The().changed.wait(guard, [this] { return queue.empty() && !works; });
    return The().sticky_error;
  }
  void Work() {
    std::unique_lock guard(The().lock);
    for (;;) {
      The().changed.wait(guard, [this] { return ends || !queue.empty(); });
      if (queue.empty()) return;
      const std::function<void()> work = std::move(queue.front());
      queue.pop_front();
      works = true;
      guard.unlock();
      work();
      guard.lock();
      works = false;
      The().changed.notify_all();
    }
  }

  const int device;
  std::deque<std::function<void()>> queue;  // under the lock of The()
  bool ends = false, works = false;
  std::thread thread;
};

namespace {

CUctx_st* Contexts() {
  static CUctx_st contexts[kDevices] = {{0}, {1}};
  return contexts;
}
thread_local CUctx_st* current = nullptr;

CUstream_st& Default(int device) {
  static CUstream_st* streams[kDevices] = {new CUstream_st(0), new CUstream_st(1)};
  return *streams[device];
}
CUstream_st* Or(CUstream_st* stream) { return stream ? stream : &Default(current->device); }

// --- Kernels, as in kernels.ptx ------------------------------------------------------------------

using Words = uint64_t*;
Words At(uint64_t address, uint64_t count) {
  return reinterpret_cast<Words>(Shadow(address, count * sizeof(uint64_t)));
}
struct Kernel {
  const char* name;
  std::vector<size_t> argument_bytes;
  void (*run)(const uint64_t* arguments);
};
const Kernel kKernels[] = {
    {"fill",
     {8, 8, 8},
     [](const uint64_t* a) {
       if (Words v = At(a[0], a[1])) std::fill_n(v, a[1], a[2]);
     }},
    {"increment",
     {8, 8},
     [](const uint64_t* a) {
       if (Words v = At(a[0], a[1]))
         for (uint64_t i = 0; i < a[1]; ++i) ++v[i];
     }},
    {"add",
     {8, 8, 8},
     [](const uint64_t* a) {
       Words from = At(a[0], a[2]), to = At(a[1], a[2]);
       if (from && to)
         for (uint64_t i = 0; i < a[2]; ++i) to[i] += from[i];
     }},
    {"scale",
     {8, 8, 4},
     [](const uint64_t* a) {
       float factor;
       memcpy(&factor, &a[2], sizeof(factor));
       auto* v = reinterpret_cast<float*>(Shadow(a[0], a[1] * sizeof(float)));
       for (uint64_t i = 0; v && i < a[1]; ++i) v[i] *= factor;
     }},
    {"stall", {8}, [](const uint64_t* a) { Sleep(a[0]); }},
};

}  // namespace

struct CUfunc_st {
  const Kernel* kernel;
};
struct CUmod_st {
  std::string image;
};

namespace {

// They end with the context of their device, which ends when nobody holds it any more.
struct Modules {
  int holders = 0;
  std::map<CUmod_st*, std::unique_ptr<CUmod_st>> loaded;
};
Modules& ModulesOf(int device) {  // under the lock of The()
  static auto* modules = new Modules[kDevices];
  return modules[device];
}

}  // namespace

extern "C" {

void standin_fail(const char* symbol, int error, int times) {
  std::lock_guard guard(The().lock);
  for (int i = 0; i < times; ++i) The().failures[symbol].push_back(error);
}
void standin_memory(uint64_t bytes) {
  std::lock_guard guard(The().lock);
  The().memory_bytes = bytes;
}
void standin_copy_ns(uint64_t ns) {
  std::lock_guard guard(The().lock);
  The().copy_ns = ns;
}
void standin_copies_stand(int whether) {
  {
    std::lock_guard guard(The().lock);
    The().copies_stand = whether != 0;
  }
  The().changed.notify_all();
}
void standin_held_up(uint64_t ns, int times) {
  std::lock_guard guard(The().lock);
  The().held_up_ns = ns;
  The().held_up_times = times;
}
uint64_t standin_calls(const char* symbol) {
  std::lock_guard guard(The().lock);
  return The().calls[symbol];
}
uint64_t standin_pinned_bytes() {
  std::lock_guard guard(The().lock);
  uint64_t sum = 0;
  for (const auto& [memory, bytes] : The().pinned) sum += bytes;
  return sum;
}
uint64_t standin_allocated_bytes() {
  std::lock_guard guard(The().lock);
  return The().used[0] + The().used[1];
}

int cuInit(unsigned) {
  CALLED(cuInit);
  return 0;
}
int cuGetErrorName(int error, const char** text) {
  *text = error == kOutOfMemory          ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kIllegalAddress     ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == kContextIsDestroyed ? "CUDA_ERROR_CONTEXT_IS_DESTROYED"
                                         : "CUDA_ERROR_UNKNOWN";
  return 0;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == kOutOfMemory          ? "out of memory"
          : error == kIllegalAddress     ? "an illegal memory access was encountered"
          : error == kContextIsDestroyed ? "context is destroyed"
                                         : "unknown error";
  return 0;
}
int cuDeviceGetCount(int* count) {
  CALLED(cuDeviceGetCount);
  *count = kDevices;
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal < kDevices ? 0 : 101;
}
int cuDeviceGetName(char* name, int room, int) {
  snprintf(name, static_cast<size_t>(room), "Stand-in");
  return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int) {
  std::lock_guard guard(The().lock);
  *bytes = The().memory_bytes;
  return 0;
}
int cuDeviceGetPCIBusId(char* id, int room, int device) {
  snprintf(id, static_cast<size_t>(room), "0000:0%d:00.0", device + 1);
  return 0;
}
int cuDeviceCanAccessPeer(int* can, int, int) {
  *can = 1;
  return 0;
}
int cuDevicePrimaryCtxRetain(CUctx_st** context, int device) {
  CALLED(cuDevicePrimaryCtxRetain);
  *context = &Contexts()[device];
  std::lock_guard guard(The().lock);
  ++ModulesOf(device).holders;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  Count("cuDevicePrimaryCtxRelease_v2");
  std::lock_guard guard(The().lock);
  Modules& modules = ModulesOf(device);
  if (--modules.holders == 0) modules.loaded.clear();
  return 0;
}
// All that was of a device fails from then on; here of both.
int cuDevicePrimaryCtxReset_v2(int) {
  CALLED(cuDevicePrimaryCtxReset_v2);
  std::lock_guard guard(The().lock);
  The().sticky_error = kContextIsDestroyed;
  return 0;
}
int cuCtxEnablePeerAccess(CUctx_st*, unsigned) { return current ? 0 : kInvalidContext; }
int cuCtxGetCurrent(CUctx_st** context) {
  *context = current;
  return 0;
}
int cuCtxSetCurrent(CUctx_st* context) {
  current = context;
  return 0;
}

int cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  CALLED(cuMemGetInfo_v2);
  if (!current) return kInvalidContext;
  std::lock_guard guard(The().lock);
  *total_bytes = The().memory_bytes;
  *free_bytes = *total_bytes - The().used[current->device];
  return 0;
}
int cuMemAlloc_v2(unsigned long long* memory, size_t bytes) {
  CALLED(cuMemAlloc_v2);
  if (!current) return kInvalidContext;
  if (!bytes) return kInvalidValue;
  State& state = The();
  std::lock_guard guard(state.lock);
  if (state.used[current->device] + bytes > state.memory_bytes) return kOutOfMemory;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t mapped = (bytes + page - 1) / page * page;
  void* const address = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* const shadow =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED || shadow == MAP_FAILED) return kOutOfMemory;
  memset(shadow, 0xa5, std::min<size_t>(mapped, 4096));  // what nobody wrote is no zero
  *memory = reinterpret_cast<unsigned long long>(address);
  state.pieces[*memory] = {bytes, mapped, static_cast<char*>(shadow), current->device};
  state.used[current->device] += bytes;
  return 0;
}
int cuMemFree_v2(unsigned long long memory) {
  CALLED(cuMemFree_v2);
  State& state = The();
  std::lock_guard guard(state.lock);
  const auto it = state.pieces.find(memory);
  if (it == state.pieces.end()) return kInvalidValue;
  munmap(reinterpret_cast<void*>(memory), it->second.mapped);
  munmap(it->second.shadow, it->second.mapped);
  state.used[it->second.device] -= it->second.bytes;
  state.pieces.erase(it);
  return 0;
}
int cuMemHostRegister_v2(void* memory, size_t bytes, unsigned) {
  CALLED(cuMemHostRegister_v2);
  State& state = The();
  std::lock_guard guard(state.lock);
  const char* const first = static_cast<const char*>(memory);
  for (const auto& [other, size] : state.pinned)
    if (first < other + size && other < first + bytes) return kAlreadyRegistered;
  state.pinned[first] = bytes;
  return 0;
}
int cuMemHostUnregister(void* memory) {
  CALLED(cuMemHostUnregister);
  std::lock_guard guard(The().lock);
  return The().pinned.erase(static_cast<const char*>(memory)) ? 0 : kNotRegistered;
}

int cuMemcpyHtoDAsync_v2(unsigned long long target, const void* source, size_t bytes,
                         CUstream_st* stream) {
  CALLED(cuMemcpyHtoDAsync_v2);
  if (IsPinned(source, bytes)) {
    Or(stream)->Push([=] {
      BeforeCopy();
      if (char* to = Shadow(target, bytes)) memcpy(to, source, bytes);
    });
    return 0;
  }
  const auto* first = static_cast<const char*>(source);
  Or(stream)->Push([target, staged = std::vector<char>(first, first + bytes)] {
    BeforeCopy();
    if (char* to = Shadow(target, staged.size())) memcpy(to, staged.data(), staged.size());
  });
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* target, unsigned long long source, size_t bytes,
                         CUstream_st* stream) {
  CALLED(cuMemcpyDtoHAsync_v2);
  Or(stream)->Push([=] {
    BeforeCopy();
    if (const char* from = Shadow(source, bytes)) memcpy(target, from, bytes);
  });
  return IsPinned(target, bytes) ? 0 : Or(stream)->Finish();
}
int cuMemcpyDtoDAsync_v2(unsigned long long target, unsigned long long source, size_t bytes,
                         CUstream_st* stream) {
  CALLED(cuMemcpyDtoDAsync_v2);
  Or(stream)->Push([=] {
    char *to = Shadow(target, bytes), *from = Shadow(source, bytes);
    if (to && from) memcpy(to, from, bytes);
  });
  return 0;
}
int cuMemcpyPeerAsync(unsigned long long target, CUctx_st* to, unsigned long long source,
                      CUctx_st* from, size_t bytes, CUstream_st* stream) {
  CALLED(cuMemcpyPeerAsync);
  if (!to || !from) return kInvalidContext;
  Or(stream)->Push([=] {
    BeforeCopy();
    char *into = Shadow(target, bytes), *out_of = Shadow(source, bytes);
    if (into && out_of) memcpy(into, out_of, bytes);
  });
  return 0;
}
int cuMemcpy2DAsync_v2(const tasklens::cuda::Copy2D* copy, CUstream_st* stream) {
  CALLED(cuMemcpy2DAsync_v2);
  const tasklens::cuda::Copy2D c = *copy;
  if (c.width_bytes > c.source.pitch_bytes || c.width_bytes > c.target.pitch_bytes)
    return kInvalidValue;
  Or(stream)->Push([c] {
    const auto span = [&c](const tasklens::cuda::Side& side) {
      return (c.height - 1) * side.pitch_bytes + c.width_bytes;
    };
    const char* from = c.source.type == tasklens::cuda::kHost
                           ? static_cast<const char*>(c.source.host)
                           : Shadow(c.source.device, span(c.source));
    char* to = c.target.type == tasklens::cuda::kHost
                   ? const_cast<char*>(static_cast<const char*>(c.target.host))
                   : Shadow(c.target.device, span(c.target));
    for (size_t i = 0; from && to && i < c.height; ++i)
      memcpy(to + i * c.target.pitch_bytes, from + i * c.source.pitch_bytes, c.width_bytes);
  });
  return Or(stream)->Finish();
}

int cuStreamCreate(CUstream_st** stream, unsigned) {
  CALLED(cuStreamCreate);
  if (!current) return kInvalidContext;
  *stream = new CUstream_st(current->device);
  return 0;
}
int cuStreamDestroy_v2(CUstream_st* stream) {
  Count("cuStreamDestroy_v2");
  delete stream;
  return 0;
}
int cuStreamSynchronize(CUstream_st* stream) {
  CALLED(cuStreamSynchronize);
  return Or(stream)->Finish();
}
int cuStreamWaitEvent(CUstream_st* stream, CUevent_st* event, unsigned) {
  CALLED(cuStreamWaitEvent);
  std::shared_ptr<Recorded> recorded;
  {
    std::lock_guard guard(The().lock);
    recorded = event->recorded;
  }
  if (!recorded) return 0;
  Or(stream)->Push([recorded] {
    std::unique_lock guard(The().lock);
    The().changed.wait(guard, [&] { return recorded->done; });
  });
  return 0;
}

int cuEventCreate(CUevent_st** event, unsigned) {
  CALLED(cuEventCreate);
  *event = new CUevent_st;
  return 0;
}
int cuEventDestroy_v2(CUevent_st* event) {
  Count("cuEventDestroy_v2");
  delete event;
  return 0;
}
int cuEventRecord(CUevent_st* event, CUstream_st* stream) {
  CALLED(cuEventRecord);
  const auto recorded = std::make_shared<Recorded>();
  {
    std::lock_guard guard(The().lock);
    event->recorded = recorded;
  }
  Or(stream)->Push([recorded] {
    {
      std::lock_guard guard(The().lock);
      recorded->ns = NowNs();
      recorded->done = true;
    }
    The().changed.notify_all();
  });
  return 0;
}
int cuEventQuery(CUevent_st* event) {
  CALLED(cuEventQuery);
  std::lock_guard guard(The().lock);
  return !event->recorded || event->recorded->done ? 0 : kNotReady;
}
int cuEventSynchronize(CUevent_st* event) {
  CALLED(cuEventSynchronize);
  std::unique_lock guard(The().lock);
  const auto recorded = event->recorded;
  The().changed.wait(guard, [&] { return !recorded || recorded->done; });
  const int error = The().sticky_error;
  if (The().held_up_times > 0) {
    --The().held_up_times;
    const uint64_t ns = The().held_up_ns;
    guard.unlock();
    Sleep(ns);
  }
  return error;
}
int cuEventElapsedTime(float* milliseconds, CUevent_st* start, CUevent_st* end) {
  CALLED(cuEventElapsedTime);
  std::lock_guard guard(The().lock);
  if (!start->recorded || !end->recorded) return kInvalidValue;
  if (!start->recorded->done || !end->recorded->done) return kNotReady;
  const auto ns = static_cast<int64_t>(end->recorded->ns - start->recorded->ns);
  *milliseconds = static_cast<float>(static_cast<double>(ns) / 1e6);
  return 0;
}

int cuModuleLoadData(CUmod_st** module, const void* image) {
  CALLED(cuModuleLoadData);
  if (!current) return kInvalidContext;
  auto loaded = std::make_unique<CUmod_st>(CUmod_st{static_cast<const char*>(image)});
  *module = loaded.get();
  std::lock_guard guard(The().lock);
  ModulesOf(current->device).loaded.emplace(*module, std::move(loaded));
  return 0;
}
int cuModuleUnload(CUmod_st* module) {
  if (!current) return kInvalidContext;
  std::lock_guard guard(The().lock);
  return ModulesOf(current->device).loaded.erase(module) ? 0 : kInvalidValue;
}
int cuModuleGetFunction(CUfunc_st** function, CUmod_st* module, const char* name) {
  CALLED(cuModuleGetFunction);
  if (module->image.find(std::string(".entry ") + name + "(") == std::string::npos)
    return kNotFound;
  static std::vector<std::unique_ptr<CUfunc_st>>* functions =
      new std::vector<std::unique_ptr<CUfunc_st>>;
  for (const Kernel& kernel : kKernels) {
    if (std::string(kernel.name) != name) continue;
    std::lock_guard guard(The().lock);
    functions->push_back(std::make_unique<CUfunc_st>(CUfunc_st{&kernel}));
    *function = functions->back().get();
    return 0;
  }
  return kNotFound;
}
int cuLaunchKernel(CUfunc_st* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, CUstream_st* stream, void** parameters, void**) {
  CALLED(cuLaunchKernel);
  const Kernel& kernel = *function->kernel;
  std::vector<uint64_t> arguments(kernel.argument_bytes.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    memcpy(&arguments[i], parameters[i], kernel.argument_bytes[i]);
  Or(stream)->Push([&kernel, arguments] { kernel.run(arguments.data()); });
  return 0;
}

// Of cuBLAS, as much as the runtime itself calls.
int cublasCreate_v2(void** handle) {
  CALLED(cublasCreate_v2);
  *handle = new CUstream_st*(nullptr);
  return 0;
}
int cublasDestroy_v2(void* handle) {
  CALLED(cublasDestroy_v2);
  delete static_cast<CUstream_st**>(handle);
  return 0;
}
int cublasSetStream_v2(void* handle, CUstream_st* stream) {
  CALLED(cublasSetStream_v2);
  *static_cast<CUstream_st**>(handle) = stream;
  return 0;
}

}  // extern "C"
