// SPDX-License-Identifier: Apache-2.0
// CUDA devices through libcuda. Each device uses its primary context, the one that the program's
// own calls of the CUDA runtime use.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/drivers/accelerators.h"
#include "runtime/drivers/cuda/libcuda.h"
#include "trace/support/plain_numbers.h"

namespace tasklens::runtime {

// A moment known both by the host's clock and as an event of the device.
struct CudaMoment {
  CudaMoment(const cuda::LibCuda& api, CUevent_st* event) : api(api), event(event) {}
  ~CudaMoment() { api.EventDestroy(event); }
  const cuda::LibCuda& api;
  CUevent_st* const event;
  uint64_t host_ns = 0;
};

struct Accelerators::Stream {
  int device;
  CUstream_st* native;
};
struct Accelerators::Mark {
  int device;
  CUevent_st* event;
  std::shared_ptr<CudaMoment> since;  // a moment before it
  uint64_t put_ns;                    // by the host's clock; the device passed it later
};

namespace {

using cuda::LibCuda;

// The time between events is a float of milliseconds: after one second it is still exact to 60 ns.
constexpr uint64_t kMomentNs = 1'000'000'000;
// A moment is measured several times, and the best try kept, as the host may be interrupted.
constexpr int kTries = 5;

struct Device {
  int handle = 0;
  CUctx_st* context = nullptr;  // nullptr: the device could not start
  std::string text;
  CUstream_st* clock_stream = nullptr;  // carries only moments
  std::mutex lock;                      // guards the rest
  std::shared_ptr<CudaMoment> moment;
  std::vector<CUevent_st*> free_events;
};

unsigned long long Address(const void* memory) {
  return static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(memory));
}

class CudaDevices : public Accelerators {
 public:
  CudaDevices(const Host& host, const LibCuda& api, int count) : host_(host), api_(api) {
    for (int i = 0; i < count; ++i) devices_.push_back(std::make_unique<Device>());
  }
  ~CudaDevices() override;
  // Starts the devices, and leaves out those that cannot start. Returns "" or, if none could start,
  // an error message.
  std::string Start();

  int count() const override { return static_cast<int>(devices_.size()); }
  bool is_usable(int device) const override { return At(device).context != nullptr; }
  std::string Describe(int device) const override { return At(device).text; }
  void* Enter(int device) override;
  void Return(void* before) override;
  std::string ErrorText(int error) const override { return api_.ErrorText(error); }

  size_t FreeBytes(int device) override;
  void* Allocate(int device, size_t bytes) override;
  void Release(int device, void* memory) override;
  std::string Pin(void* memory, size_t bytes) override;
  std::string Unpin(void* memory) override;

  Stream* Open(int device, Use use) override;
  void Close(Stream* stream) override;
  void* NativeOf(Stream* stream) override { return stream->native; }
  void Finish(Stream* stream) override;
  void Copy(Stream* stream, Way way, const Rows& rows) override {
    CopyInto(stream->native, stream->device, way, rows);
  }
  void CopyInto(void* native, int device, Way way, const Rows& rows) override;

  Mark* Put(Stream* stream) override;
  void Forget(Mark* mark) override;
  void Await(Stream* stream, Mark* mark) override;
  State Look(Mark* mark, std::string& why) override;
  State WaitFor(Mark* mark, std::string& why) override;
  uint64_t PassedNs(Mark* mark) override;
  uint64_t BetweenNs(Mark* begun, Mark* ended) override;

 private:
  // Makes `device` the current device of the thread, while the object lives.
  class Within {
   public:
    Within(CudaDevices& devices, int device) : devices_(devices), before_(devices.Enter(device)) {}
    ~Within() { devices_.Return(before_); }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

   private:
    CudaDevices& devices_;
    void* const before_;
  };

  Device& At(int device) const { return *devices_[static_cast<size_t>(device)]; }
  // Ends the program with a message unless the call succeeded.
  void Check(int result, const char* call, int device) const;
  std::string StartDevice(int index);
  int AnyDevice() const;
  void ReachPeers(int index);
  std::shared_ptr<CudaMoment> RecentMoment(Device& device, int index);
  CUevent_st* NewEvent(int device);
  uint64_t ElapsedNs(int device, CUevent_st* from, CUevent_st* to);
  State StateOf(int result, const char* call, std::string& why);

  const Host host_;
  const LibCuda api_;
  std::vector<std::unique_ptr<Device>> devices_;
};

void CudaDevices::Check(int result, const char* call, int device) const {
  if (result == cuda::kSuccess) return;
  const std::string line =
      "CUDA " + std::to_string(device) + ": " + call + " said " + api_.ErrorText(result) +
      "; when a kernel ran before, it may be at fault: compute-sanitizer tells";
  host_.fail(line.c_str());
}

std::string CudaDevices::StartDevice(int index) {
  Device& device = At(index);
  if (const int error = api_.DeviceGet(&device.handle, index)) return api_.ErrorText(error);
  char name[128] = "", bus[32] = "";
  size_t bytes = 0;
  api_.DeviceGetName(name, sizeof(name), device.handle);
  api_.DeviceTotalMem(&bytes, device.handle);
  api_.DeviceGetPCIBusId(bus, sizeof(bus), device.handle);
  const char* const short_bus =
      std::string_view(bus).size() > 5 ? bus + 5 : bus;  // drops the domain
  const PlainNumbers plain;
  char text[256];
  snprintf(text, sizeof(text), "%s %.1f GiB %s", name, static_cast<double>(bytes) / (1 << 30),
           short_bus);
  device.text = text;
  if (const int error = api_.PrimaryCtxRetain(&device.context, device.handle)) {
    device.context = nullptr;
    return "cuDevicePrimaryCtxRetain of device " + std::to_string(index) + ": " +
           api_.ErrorText(error);
  }
  int error;
  {
    const Within within(*this, index);
    error = api_.StreamCreate(&device.clock_stream, cuda::kStreamNonBlocking);
  }
  if (error == cuda::kSuccess) return "";
  api_.PrimaryCtxRelease(device.handle);
  device.context = nullptr;
  return "cuStreamCreate on device " + std::to_string(index) + ": " + api_.ErrorText(error);
}

std::string CudaDevices::Start() {
  std::vector<std::string> whys;
  for (int i = 0; i < count(); ++i) whys.push_back(StartDevice(i));
  if (AnyDevice() == count()) return whys.front();
  for (int i = 0; i < count(); ++i) {
    if (is_usable(i)) {
      ReachPeers(i);
    } else {
      host_.warn(("CUDA " + std::to_string(i) +
                  " is left out, it cannot start: " + whys[static_cast<size_t>(i)])
                     .c_str());
    }
  }
  return "";
}

// Returns the first usable device; count() if there is none.
int CudaDevices::AnyDevice() const {
  int device = 0;
  while (device < count() && !is_usable(device)) ++device;
  return device;
}

void CudaDevices::ReachPeers(int index) {
  const Within within(*this, index);
  for (int peer = 0; peer < count(); ++peer) {
    int can = 0;
    if (peer == index || !is_usable(peer) ||
        api_.DeviceCanAccessPeer(&can, At(index).handle, At(peer).handle) || !can)
      continue;
    const int error = api_.CtxEnablePeerAccess(At(peer).context, 0);
    // Without peer access, copies between the two pass through the main memory.
    if (error && error != cuda::kPeerAccessAlreadyEnabled)
      host_.warn(("CUDA " + std::to_string(index) + " does not reach the memory of CUDA " +
                  std::to_string(peer) + ": " + api_.ErrorText(error))
                     .c_str());
  }
}

CudaDevices::~CudaDevices() {
  for (int i = 0; i < count(); ++i) {
    Device& device = At(i);
    if (!device.context) continue;
    {
      const Within within(*this, i);
      for (CUevent_st* event : device.free_events) api_.EventDestroy(event);
      device.moment.reset();
      if (device.clock_stream) api_.StreamDestroy(device.clock_stream);
    }
    api_.PrimaryCtxRelease(device.handle);
  }
}

void* CudaDevices::Enter(int device) {
  CUctx_st* before = nullptr;
  api_.CtxGetCurrent(&before);
  CUctx_st* const context = At(device).context;
  if (before != context) Check(api_.CtxSetCurrent(context), "cuCtxSetCurrent", device);
  return before;
}

void CudaDevices::Return(void* before) {
  CUctx_st* now = nullptr;
  api_.CtxGetCurrent(&now);
  if (now != before) api_.CtxSetCurrent(static_cast<CUctx_st*>(before));
}

// --- Memory --------------------------------------------------------------------------------------

size_t CudaDevices::FreeBytes(int device) {
  const Within within(*this, device);
  size_t free_bytes = 0, total_bytes = 0;
  Check(api_.MemGetInfo(&free_bytes, &total_bytes), "cuMemGetInfo", device);
  return free_bytes;
}

void* CudaDevices::Allocate(int device, size_t bytes) {
  const Within within(*this, device);
  unsigned long long memory = 0;
  const int error = api_.MemAlloc(&memory, bytes);
  if (error == cuda::kOutOfMemory) return nullptr;
  Check(error, "cuMemAlloc", device);
  return reinterpret_cast<void*>(static_cast<uintptr_t>(memory));
}

void CudaDevices::Release(int device, void* memory) {
  const Within within(*this, device);
  Check(api_.MemFree(Address(memory)), "cuMemFree", device);
}

std::string CudaDevices::Pin(void* memory, size_t bytes) {
  const Within within(*this, AnyDevice());
  const int error = api_.MemHostRegister(memory, bytes, cuda::kHostRegisterPortable);
  return error ? api_.ErrorText(error) : "";
}

std::string CudaDevices::Unpin(void* memory) {
  const Within within(*this, AnyDevice());
  const int error = api_.MemHostUnregister(memory);
  return error ? api_.ErrorText(error) : "";
}

// --- Streams -------------------------------------------------------------------------------------

Accelerators::Stream* CudaDevices::Open(int device, Use use) {
  const Within within(*this, device);
  // Tasks may launch kernels in the default stream, so workers' streams synchronise with it; copy
  // streams do not.
  const unsigned flags = use == Use::kCopies ? cuda::kStreamNonBlocking : 0;
  CUstream_st* native = nullptr;
  Check(api_.StreamCreate(&native, flags), "cuStreamCreate", device);
  return new Stream{device, native};
}

void CudaDevices::Close(Stream* stream) {
  {
    const Within within(*this, stream->device);
    Check(api_.StreamSynchronize(stream->native), "cuStreamSynchronize", stream->device);
    Check(api_.StreamDestroy(stream->native), "cuStreamDestroy", stream->device);
  }
  delete stream;
}

void CudaDevices::Finish(Stream* stream) {
  const Within within(*this, stream->device);
  Check(api_.StreamSynchronize(stream->native), "cuStreamSynchronize", stream->device);
}

void CudaDevices::CopyInto(void* native, int at, Way way, const Rows& rows) {
  const Within within(*this, at);
  auto* const stream = static_cast<CUstream_st*>(native);
  const bool from_host = way.source == kMainMemory, to_host = way.target == kMainMemory;
  const auto copy = [&](const char* source, char* target, size_t bytes) {
    if (bytes == 0) return;
    if (from_host) {
      Check(api_.MemcpyHtoDAsync(Address(target), source, bytes, stream), "cuMemcpyHtoDAsync", at);
    } else if (to_host) {
      Check(api_.MemcpyDtoHAsync(target, Address(source), bytes, stream), "cuMemcpyDtoHAsync", at);
    } else if (way.source == way.target) {
      Check(api_.MemcpyDtoDAsync(Address(target), Address(source), bytes, stream),
            "cuMemcpyDtoDAsync", at);
    } else {
      Check(api_.MemcpyPeerAsync(Address(target), At(way.target).context, Address(source),
                                 At(way.source).context, bytes, stream),
            "cuMemcpyPeerAsync", at);
    }
  };
  if (rows.are_dense()) return copy(rows.source, rows.target, rows.row_bytes * rows.count);
  const bool between_peers = !from_host && !to_host && way.source != way.target;
  if (between_peers) {  // 2D copies do not work between peers
    for (size_t i = 0; i < rows.count; ++i)
      copy(rows.source + i * rows.source_stride_bytes, rows.target + i * rows.target_stride_bytes,
           rows.row_bytes);
    return;
  }
  cuda::Copy2D copy_2d;
  copy_2d.source.type = from_host ? cuda::kHost : cuda::kDevice;
  copy_2d.source.host = from_host ? rows.source : nullptr;
  copy_2d.source.device = from_host ? 0 : Address(rows.source);
  copy_2d.source.pitch_bytes = rows.source_stride_bytes;
  copy_2d.target.type = to_host ? cuda::kHost : cuda::kDevice;
  copy_2d.target.host = to_host ? rows.target : nullptr;
  copy_2d.target.device = to_host ? 0 : Address(rows.target);
  copy_2d.target.pitch_bytes = rows.target_stride_bytes;
  copy_2d.width_bytes = rows.row_bytes;
  copy_2d.height = rows.count;
  Check(api_.Memcpy2DAsync(&copy_2d, stream), "cuMemcpy2DAsync", at);
}

// --- Marks ---------------------------------------------------------------------------------------

// REQUIRES: `device` is the thread's current device.
CUevent_st* CudaDevices::NewEvent(int device) {
  CUevent_st* event = nullptr;
  Check(api_.EventCreate(&event, cuda::kEventBlockingSync), "cuEventCreate", device);
  return event;
}

// Returns a moment that is at most kMomentNs old. REQUIRES: the device's lock.
std::shared_ptr<CudaMoment> CudaDevices::RecentMoment(Device& device, int index) {
  if (device.moment && host_.now_ns() - device.moment->host_ns < kMomentNs) return device.moment;
  uint64_t best_ns = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    auto moment = std::make_shared<CudaMoment>(api_, NewEvent(index));
    const uint64_t before_ns = host_.now_ns();
    Check(api_.EventRecord(moment->event, device.clock_stream), "cuEventRecord", index);
    Check(api_.EventSynchronize(moment->event), "cuEventSynchronize", index);
    const uint64_t took_ns = host_.now_ns() - before_ns;
    if (took_ns >= best_ns) continue;
    best_ns = took_ns;
    // Take the time before the event, so that no operation seems to end after the host has seen its
    // end. (The device did not record the event earlier than that.)
    moment->host_ns = before_ns;
    device.moment = std::move(moment);
  }
  return device.moment;
}

Accelerators::Mark* CudaDevices::Put(Stream* stream) {
  const Within within(*this, stream->device);
  Device& device = At(stream->device);
  auto mark = std::make_unique<Mark>(Mark{stream->device, nullptr, nullptr, host_.now_ns()});
  {
    std::lock_guard guard(device.lock);
    mark->since = RecentMoment(device, stream->device);
    if (!device.free_events.empty()) {
      mark->event = device.free_events.back();
      device.free_events.pop_back();
    }
  }
  if (!mark->event) mark->event = NewEvent(stream->device);
  Check(api_.EventRecord(mark->event, stream->native), "cuEventRecord", stream->device);
  return mark.release();
}

void CudaDevices::Forget(Mark* mark) {
  const Within within(*this,
                      mark->device);  // deleting the moment's last mark deletes the moment, too
  Device& device = At(mark->device);
  {
    std::lock_guard guard(device.lock);
    device.free_events.push_back(mark->event);
  }
  delete mark;
}

void CudaDevices::Await(Stream* stream, Mark* mark) {
  const Within within(*this, stream->device);
  Check(api_.StreamWaitEvent(stream->native, mark->event, 0), "cuStreamWaitEvent", stream->device);
}

Accelerators::State CudaDevices::StateOf(int result, const char* call, std::string& why) {
  if (result == cuda::kSuccess) return State::kPassed;
  if (result == cuda::kNotReady) return State::kAhead;
  why = std::string(call) + " said " + api_.ErrorText(result);
  return State::kFailed;
}

Accelerators::State CudaDevices::Look(Mark* mark, std::string& why) {
  const Within within(*this, mark->device);
  return StateOf(api_.EventQuery(mark->event), "cuEventQuery", why);
}

Accelerators::State CudaDevices::WaitFor(Mark* mark, std::string& why) {
  const Within within(*this, mark->device);
  return StateOf(api_.EventSynchronize(mark->event), "cuEventSynchronize", why);
}

uint64_t CudaDevices::ElapsedNs(int device, CUevent_st* from, CUevent_st* to) {
  const Within within(*this, device);
  float ms = 0;
  Check(api_.EventElapsedTime(&ms, from, to), "cuEventElapsedTime", device);
  return static_cast<uint64_t>(std::max(0.0, double{ms} * 1e6));
}

uint64_t CudaDevices::PassedNs(Mark* mark) {
  const uint64_t passed_ns =
      mark->since->host_ns + ElapsedNs(mark->device, mark->since->event, mark->event);
  return std::max(mark->put_ns, passed_ns);
}

uint64_t CudaDevices::BetweenNs(Mark* begun, Mark* ended) {
  return ElapsedNs(begun->device, begun->event, ended->event);
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" __attribute__((visibility("default"))) tasklens::runtime::Accelerators*
tasklens_open_cuda_3(const tasklens::runtime::Accelerators::Host& host, std::string& why) {
  tasklens::cuda::LibCuda api;
  why = api.Load();
  if (!why.empty()) return nullptr;
  int count = 0;
  if (const int error = api.Init(0)) {
    why = "cuInit said " + api.ErrorText(error);
    return nullptr;
  }
  if (const int error = api.DeviceGetCount(&count)) {
    why = "cuDeviceGetCount said " + api.ErrorText(error);
    return nullptr;
  }
  if (count == 0) {
    why = "libcuda knows of no device (CUDA_VISIBLE_DEVICES may hide them)";
    return nullptr;
  }
  auto devices = std::make_unique<tasklens::runtime::CudaDevices>(host, api, count);
  why = devices->Start();
  return why.empty() ? devices.release() : nullptr;
}
