// SPDX-License-Identifier: Apache-2.0
// starpu_cuda.h: functions for codelets that run on a CUDA device.
#include <starpu.h>
#include <starpu_cuda.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

#include "runtime/core/device_worker.h"
#include "runtime/core/runtime.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

// Copies in the program's stream, or (nullptr) synchronously.
int Copy(const Rows& rows, unsigned source, unsigned target, CUstream_st* stream) {
  Runtime& runtime = Runtime::Get("starpu_cuda_copy_async_sync");
  const auto is_ours = [&](unsigned node) {
    return node == STARPU_MAIN_RAM || runtime.devices().At(node);
  };
  if (!runtime.copies() || !is_ours(source) || !is_ours(target)) return -EIO;
  if (source == STARPU_MAIN_RAM && target == STARPU_MAIN_RAM) {  // no device involved
    for (size_t i = 0; i < rows.count; ++i)
      memcpy(rows.target + i * rows.target_stride_bytes, rows.source + i * rows.source_stride_bytes,
             rows.row_bytes);
    return 0;
  }
  if (!stream) return runtime.copies()->CopyRows(nullptr, source, target, rows) ? 0 : -EIO;
  runtime.copies()->CopyInto(stream, source, target, rows);
  return -EAGAIN;
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

CUstream_st* starpu_cuda_get_local_stream(void) {
  DeviceWorker* const worker = ThisDeviceWorker();
  if (!worker) return nullptr;
  Accelerators& accelerators = *Runtime::Instance()->accelerators();
  return static_cast<CUstream_st*>(accelerators.NativeOf(worker->stream()));
}

void starpu_cuda_set_device(unsigned device) {
  Accelerators* const accelerators = Runtime::Get(__func__).accelerators();
  if (!accelerators || device >= static_cast<unsigned>(accelerators->count()) ||
      !accelerators->is_usable(static_cast<int>(device)))
    Fatal("starpu_cuda_set_device(%u): there is no such CUDA device", device);
  accelerators->Enter(static_cast<int>(device));
}

void starpu_cuda_report_error(const char* function, const char* file, int line, int status) {
  Runtime* const runtime = Runtime::Instance();
  Accelerators* const accelerators = runtime ? runtime->accelerators() : nullptr;
  const std::string text =
      accelerators ? accelerators->ErrorText(status) : "error " + std::to_string(status);
  Fatal("%s:%d: CUDA failed in %s(): %s", file, line, function, text.c_str());
}

int starpu_cuda_copy_async_sync(void* source, unsigned source_node, void* target,
                                unsigned target_node, size_t bytes, CUstream_st* stream, int) {
  return Copy({static_cast<const char*>(source), static_cast<char*>(target), bytes}, source_node,
              target_node, stream);
}

int starpu_cuda_copy2d_async_sync(void* source, unsigned source_node, void* target,
                                  unsigned target_node, size_t block_bytes, size_t blocks,
                                  size_t source_ld, size_t target_ld, CUstream_st* stream, int) {
  return Copy({static_cast<const char*>(source), static_cast<char*>(target), block_bytes, blocks,
               source_ld, target_ld},
              source_node, target_node, stream);
}

const void* _starpu_cuda_properties(unsigned id, size_t size,
                                    int (*ask)(void* properties, int device)) {
  const Worker* const worker =
      Runtime::Get("starpu_cuda_get_device_properties").worker(static_cast<int>(id));
  if (!worker || worker->kind != STARPU_CUDA_WORKER) return nullptr;
  // Properties of devices, kept across runs.
  static Mutex lock;
  static std::map<int, std::vector<char>>* known = new std::map<int, std::vector<char>>;
  MutexLock guard(lock);
  std::vector<char>& properties = (*known)[worker->device];
  if (properties.size() == size) return properties.data();
  properties.resize(size);
  if (const int error = ask(properties.data(), worker->device))
    Fatal("the properties of CUDA device %d cannot be asked: error %d", worker->device, error);
  return properties.data();
}

}  // extern "C"
