// SPDX-License-Identifier: Apache-2.0
// What programs state about the costs of their tasks, and what they feed as measured.
#include "runtime/core/perfmodel.h"

#include <starpu.h>

#include <cmath>
#include <cstdarg>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/core/codelet.h"
#include "runtime/core/message.h"

namespace {

// Measurements of one footprint.
struct Entry {
  size_t size_bytes = 0;
  double flops = 0;
  double sum = 0, sum2 = 0;
  unsigned long samples = 0;
  double Mean() const { return sum / static_cast<double>(samples); }
  double Deviation() const {
    const double n = static_cast<double>(samples);
    return std::sqrt(std::fabs(sum2 - sum * sum / n) / n);
  }
};

using Device = std::tuple<int, int, int>;  // type, number, cores
using Devices = std::vector<Device>;

struct Implementation {
  starpu_perfmodel_per_arch settings = {};
  std::map<uint32_t, Entry> history;  // by footprint
};

Devices DevicesOf(const starpu_perfmodel_arch& arch) {
  Devices devices;
  for (int i = 0; i < arch.ndevices; ++i) {
    devices.emplace_back(arch.devices[i].type, arch.devices[i].devid, arch.devices[i].ncores);
  }
  return devices;
}

Devices DevicesOf(va_list args) {
  Devices devices;
  for (int type = va_arg(args, int); type != -1; type = va_arg(args, int)) {
    const int number = va_arg(args, int);
    devices.emplace_back(type, number, va_arg(args, int));
  }
  return devices;
}

std::mutex& ModelsLock() {
  static std::mutex lock;
  return lock;
}

}  // namespace

struct _starpu_perfmodel_state {
  std::map<std::pair<Devices, unsigned>, Implementation> implementations;
};

namespace {

// With the lock held. Elements of the map stay where they are.
Implementation& Find(starpu_perfmodel* model, const Devices& devices, unsigned implementation) {
  if (!model->state) {
    model->state = new _starpu_perfmodel_state;
    model->is_init = 1;
  }
  return model->state->implementations[{devices, implementation}];
}

const starpu_perfmodel_arch& CpuArch() {
  static starpu_perfmodel_device device = {STARPU_CPU_WORKER, 0, 1};
  static starpu_perfmodel_arch arch = {1, &device};
  return arch;
}

double CostOf(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
              unsigned implementation) {
  switch (model->type) {
    case STARPU_COMMON:
      return model->cost_function ? model->cost_function(task, implementation) : NAN;
    case STARPU_PER_ARCH: {
      if (model->arch_cost_function) return model->arch_cost_function(task, arch, implementation);
      std::unique_lock guard(ModelsLock());
      const auto cost = Find(model, DevicesOf(*arch), implementation).settings.cost_function;
      guard.unlock();
      return cost ? cost(task, arch, implementation) : NAN;
    }
    case STARPU_PER_WORKER:
      return model->worker_cost_function ? model->worker_cost_function(task, 0, implementation)
                                         : NAN;
    default: {
      const uint32_t footprint = starpu_task_footprint(model, task, arch, implementation);
      std::lock_guard guard(ModelsLock());
      const auto& history = Find(model, DevicesOf(*arch), implementation).history;
      const auto entry = history.find(footprint);
      return entry == history.end() ? NAN : entry->second.Mean();
    }
  }
}

const char* XmlType(int type) {
  return starpu_perfmodel_get_archtype_name(static_cast<starpu_worker_archtype>(type));
}

}  // namespace

namespace tasklens::runtime {

starpu_perfmodel_per_arch_size_base SizeBaseOf(const starpu_perfmodel* model,
                                               const starpu_perfmodel_arch& arch,
                                               unsigned implementation) {
  std::lock_guard guard(ModelsLock());
  if (!model->state) return nullptr;
  const auto& known = model->state->implementations;
  const auto it = known.find({DevicesOf(arch), implementation});
  return it == known.end() ? nullptr : it->second.settings.size_base;
}

}  // namespace tasklens::runtime

extern "C" {

void starpu_perfmodel_init(starpu_perfmodel* model) {
  std::lock_guard guard(ModelsLock());
  if (!model->state) model->state = new _starpu_perfmodel_state;
  model->is_init = 1;
}
int starpu_perfmodel_deinit(starpu_perfmodel* model) {
  std::lock_guard guard(ModelsLock());
  delete model->state;
  model->state = nullptr;
  model->is_init = 0;
  return 0;
}

starpu_perfmodel_arch* starpu_worker_get_perf_archtype(int, unsigned) {
  return const_cast<starpu_perfmodel_arch*>(&CpuArch());
}
const char* starpu_perfmodel_get_archtype_name(starpu_worker_archtype type) {
  return starpu_worker_get_type_as_string(type);
}
void starpu_perfmodel_get_arch_name(starpu_perfmodel_arch* arch, char* name, size_t room,
                                    unsigned implementation) {
  std::string text;
  for (int i = 0; i < arch->ndevices; ++i) {
    if (i) text += '_';
    for (const char* c = starpu_worker_get_type_as_string(arch->devices[i].type); *c; ++c) {
      text += static_cast<char>(tolower(*c));
    }
    text += std::to_string(arch->devices[i].devid);
  }
  snprintf(name, room, "%s_impl%u (Comb0)", text.c_str(), implementation);
}

starpu_perfmodel_per_arch* starpu_perfmodel_get_model_per_arch(starpu_perfmodel* model,
                                                               starpu_perfmodel_arch* arch,
                                                               unsigned implementation) {
  std::lock_guard guard(ModelsLock());
  return &Find(model, DevicesOf(*arch), implementation).settings;
}
starpu_perfmodel_per_arch* starpu_perfmodel_get_model_per_devices(starpu_perfmodel* model,
                                                                  int implementation, ...) {
  va_list args;
  va_start(args, implementation);
  const Devices devices = DevicesOf(args);
  va_end(args);
  std::lock_guard guard(ModelsLock());
  return &Find(model, devices, static_cast<unsigned>(implementation)).settings;
}
int starpu_perfmodel_set_per_devices_cost_function(starpu_perfmodel* model, int implementation,
                                                   starpu_perfmodel_per_arch_cost_function function,
                                                   ...) {
  va_list args;
  va_start(args, function);
  const Devices devices = DevicesOf(args);
  va_end(args);
  std::lock_guard guard(ModelsLock());
  Find(model, devices, static_cast<unsigned>(implementation)).settings.cost_function = function;
  return 0;
}
int starpu_perfmodel_set_per_devices_size_base(starpu_perfmodel* model, int implementation,
                                               starpu_perfmodel_per_arch_size_base function, ...) {
  va_list args;
  va_start(args, function);
  const Devices devices = DevicesOf(args);
  va_end(args);
  std::lock_guard guard(ModelsLock());
  Find(model, devices, static_cast<unsigned>(implementation)).settings.size_base = function;
  return 0;
}

void starpu_perfmodel_update_history(starpu_perfmodel* model, starpu_task* task,
                                     starpu_perfmodel_arch* arch, unsigned, unsigned implementation,
                                     double measured) {
  const uint32_t footprint = starpu_task_footprint(model, task, arch, implementation);
  size_t size_bytes = 0;
  for (unsigned i = 0; i < tasklens::runtime::BufferCount(*task); ++i) {
    size_bytes += starpu_data_get_size(tasklens::runtime::BufferHandle(*task, i));
  }
  std::lock_guard guard(ModelsLock());
  Entry& entry = Find(model, DevicesOf(*arch), implementation).history[footprint];
  entry.size_bytes = size_bytes;
  entry.flops = task->flops;
  entry.sum += measured;
  entry.sum2 += measured * measured;
  ++entry.samples;
}
double starpu_perfmodel_history_based_expected_perf(starpu_perfmodel* model,
                                                    starpu_perfmodel_arch* arch,
                                                    uint32_t footprint) {
  std::lock_guard guard(ModelsLock());
  const auto& history = Find(model, DevicesOf(*arch), 0).history;
  const auto entry = history.find(footprint);
  return entry == history.end() ? NAN : entry->second.Mean();
}

void starpu_perfmodel_dump_xml(FILE* output, starpu_perfmodel* model) {
  fprintf(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  fprintf(output, "<!DOCTYPE StarPUPerfmodel SYSTEM \"starpu-perfmodel.dtd\">\n");
  if (model->symbol) fprintf(output, "<!-- symbol %s -->\n", model->symbol);
  fprintf(output, "<!-- All times in us -->\n<perfmodel version=\"45\">\n");
  std::lock_guard guard(ModelsLock());
  const Devices* open = nullptr;
  static const _starpu_perfmodel_state kNothing;
  const _starpu_perfmodel_state& state = model->state ? *model->state : kNothing;
  for (const auto& [key, implementation] : state.implementations) {
    if (!open || *open != key.first) {
      if (open) fprintf(output, "  </combination>\n");
      open = &key.first;
      fprintf(output, "  <combination>\n");
      for (const auto& [type, number, cores] : key.first) {
        fprintf(output, "    <device type=\"%s\" id=\"%d\" ncores=\"%d\"/>\n", XmlType(type),
                number, cores);
      }
    }
    fprintf(output, "    <implementation id=\"%u\">\n", key.second);
    for (const auto& [footprint, entry] : implementation.history) {
      fprintf(output,
              "      <entry footprint=\"%08x\" size=\"%zu\" flops=\"%e\" mean=\"%e\" "
              "deviation=\"%e\" sum=\"%e\" sum2=\"%e\" nsample=\"%lu\"/>\n",
              footprint, entry.size_bytes, entry.flops, entry.Mean(), entry.Deviation(), entry.sum,
              entry.sum2, entry.samples);
    }
    fprintf(output, "    </implementation>\n");
  }
  if (open) fprintf(output, "  </combination>\n");
  fprintf(output, "</perfmodel>\n");
}

double starpu_task_expected_length(starpu_task* task, starpu_perfmodel_arch* arch,
                                   unsigned implementation) {
  if (!task->cl || !task->cl->model) return 0;
  return CostOf(task->cl->model, task, arch, implementation);
}
double starpu_worker_expected_length(starpu_task* task, unsigned worker, unsigned implementation) {
  const starpu_perfmodel* model = task->cl ? task->cl->model : nullptr;
  if (model && model->type == STARPU_PER_WORKER && model->worker_cost_function) {
    return model->worker_cost_function(task, worker, implementation);
  }
  return starpu_task_expected_length(
      task, starpu_worker_get_perf_archtype(static_cast<int>(worker), 0), implementation);
}
double starpu_task_expected_energy(starpu_task* task, starpu_perfmodel_arch*, unsigned) {
  return task->cl && task->cl->energy_model ? NAN : 0;
}

}  // extern "C"
