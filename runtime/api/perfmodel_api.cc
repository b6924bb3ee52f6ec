// SPDX-License-Identifier: Apache-2.0
// The public functions on performance models (starpu_perfmodel.h).
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "perfmodel/text.h"
#include "runtime/core/runtime.h"
#include "runtime/data/conversion.h"
#include "runtime/data/handle.h"
#include "runtime/data/task_costs.h"
#include "runtime/jobs/codelet.h"
#include "runtime/perfmodel/model_state.h"
#include "runtime/perfmodel/models.h"
#include "runtime/support/arguments.h"
#include "runtime/support/message.h"
#include "trace/support/plain_numbers.h"

using namespace tasklens;           // NOLINT: the definitions below are all of them short
using namespace tasklens::runtime;  // NOLINT

namespace {

PerfmodelDevices DevicesOf(va_list args) {
  PerfmodelDevices devices;
  for (int type = va_arg(args, int); type != -1; type = va_arg(args, int)) {
    const int number = va_arg(args, int);
    devices.emplace_back(type, number, va_arg(args, int));
  }
  return devices;
}

starpu_perfmodel_per_arch& SettingsOf(starpu_perfmodel* model, const PerfmodelDevices& devices,
                                      unsigned implementation) {
  MutexLock guard(ModelsLock());
  return StateOf(model).settings[{devices, implementation}];
}

// Returns 0, or 1 with a message on standard error, as StarPU.
int Loaded(starpu_perfmodel* model, const Result<FoundPerfmodel>& found) {
  MutexLock guard(ModelsLock());
  const Status status = LoadFrom(model, found);
  if (!status.ok()) Warn("%s", status.message().c_str());
  return status.ok() ? 0 : 1;
}

void Put(FILE* output, const std::string& text) { fwrite(text.data(), 1, text.size(), output); }

// The arch of a worker or combined worker; that of a CPU core if there is no such worker.
starpu_perfmodel_arch* ArchOf(int id) {
  Runtime* runtime = Runtime::Instance();
  if (const std::vector<int>* members = runtime ? runtime->CombinedWorker(id) : nullptr)
    return CpuArch(static_cast<int>(members->size()));
  const Worker* worker = runtime ? runtime->worker(id) : nullptr;
  return worker ? worker->arch : CpuArch(1);
}

// The mean of the known values of a context's workers, each with its best implementation.
double MeanOf(starpu_task* task, unsigned context,
              double (*expected)(starpu_task*, unsigned, unsigned)) {
  double sum = 0;
  int known = 0;
  Runtime::Get("starpu_task_expected_..._average")
      .contexts()
      .WorkersOf(context)
      .ForEach([&](int id) {
        double best = NAN;
        for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
          const auto worker = static_cast<unsigned>(id);
          if (!starpu_worker_can_execute_task(worker, task, i)) continue;
          best = std::fmin(best, expected(task, worker, i));
        }
        if (std::isnan(best)) return;
        sum += best;
        ++known;
      });
  return known > 0 ? sum / known : NAN;
}

// The path of a debug file up to "ARCH.debug".
std::string DebugPath(const starpu_perfmodel& model) {
  const PerfmodelPlaces places = PlacesFromEnvironment();
  const std::string folder = places.folders.empty() ? "." : places.folders[0];
  return folder + "/debug/" + (model.symbol ? model.symbol : "") + "." + places.host + ".";
}

void CopyText(const std::string& text, char* to, size_t room) {
  if (room) snprintf(to, room, "%s", text.c_str());
}

}  // namespace

extern "C" {

void starpu_perfmodel_initialize(void) {}
void starpu_perfmodel_free_sampling(void) {}

void starpu_perfmodel_init(starpu_perfmodel* model) {
  MutexLock guard(ModelsLock());
  StateOf(model);
}
int starpu_perfmodel_deinit(starpu_perfmodel* model) {
  MutexLock guard(ModelsLock());
  DropState(model);
  return 0;
}

double starpu_worker_get_relative_speedup(starpu_perfmodel_arch* arch) {
  double speedup = 0;
  for (int i = 0; i < arch->ndevices; ++i) {
    // The speedups that StarPU assumes.
    const bool is_cuda = arch->devices[i].type == STARPU_CUDA_WORKER;
    speedup += (is_cuda ? 13.33 : 1.0) * arch->devices[i].ncores;
  }
  return speedup;
}
starpu_perfmodel_arch* starpu_worker_get_perf_archtype(int id, unsigned) { return ArchOf(id); }
const char* starpu_perfmodel_get_archtype_name(starpu_worker_archtype type) {
  return starpu_worker_get_type_as_string(type);
}
void starpu_perfmodel_get_arch_name(starpu_perfmodel_arch* arch, char* name, size_t room,
                                    unsigned implementation) {
  std::vector<PerfmodelDevice> devices;
  for (int i = 0; i < arch->ndevices; ++i) {
    devices.push_back({arch->devices[i].type, arch->devices[i].devid, arch->devices[i].ncores});
  }
  MutexLock guard(ModelsLock());
  CopyText(ArchName(devices, implementation, CombinationNumber(runtime::DevicesOf(*arch))), name,
           room);
}

starpu_perfmodel_per_arch* starpu_perfmodel_get_model_per_arch(starpu_perfmodel* model,
                                                               starpu_perfmodel_arch* arch,
                                                               unsigned implementation) {
  return &SettingsOf(model, runtime::DevicesOf(*arch), implementation);
}
starpu_perfmodel_per_arch* starpu_perfmodel_get_model_per_devices(starpu_perfmodel* model,
                                                                  int implementation, ...) {
  RETURN_WITH_ARGS_AFTER(
      implementation, &SettingsOf(model, DevicesOf(args), static_cast<unsigned>(implementation)));
}
int starpu_perfmodel_set_per_devices_cost_function(starpu_perfmodel* model, int implementation,
                                                   starpu_perfmodel_per_arch_cost_function function,
                                                   ...) {
  WITH_ARGS_AFTER(function, const PerfmodelDevices devices = DevicesOf(args));
  SettingsOf(model, devices, static_cast<unsigned>(implementation)).cost_function = function;
  return 0;
}
int starpu_perfmodel_set_per_devices_size_base(starpu_perfmodel* model, int implementation,
                                               starpu_perfmodel_per_arch_size_base function, ...) {
  WITH_ARGS_AFTER(function, const PerfmodelDevices devices = DevicesOf(args));
  SettingsOf(model, devices, static_cast<unsigned>(implementation)).size_base = function;
  return 0;
}

int starpu_perfmodel_load_symbol(const char* symbol, starpu_perfmodel* model) {
  model->symbol = strdup(symbol);  // freed by unload_model, as in StarPU
  return Loaded(model, FindPerfmodel(PlacesFromEnvironment(), symbol));
}
int starpu_perfmodel_load_file(const char* path, starpu_perfmodel* model) {
  Result<PerfmodelFile> file = ReadPerfmodel(path);
  if (!file.ok()) return Loaded(model, file.status());
  return Loaded(model, FoundPerfmodel{std::move(*file), path});
}
int starpu_perfmodel_unload_model(starpu_perfmodel* model) {
  free(const_cast<char*>(model->symbol));
  model->symbol = nullptr;
  return starpu_perfmodel_deinit(model);
}
void starpu_save_history_based_model(starpu_perfmodel* model) {
  MutexLock guard(ModelsLock());
  if (const Status s = SaveModel(KnowledgeOf(model)); !s.ok()) Warn("%s", s.message().c_str());
}
void starpu_perfmodel_get_model_path(const char* symbol, char* path, size_t room) {
  const PerfmodelPlaces places = PlacesFromEnvironment();
  const auto found = FindPerfmodel(places, symbol);
  std::string text;
  if (found.ok()) {
    text = found->path;
  } else if (!places.folders.empty()) {
    text = ModelPath(places.folders[0], symbol, places.host);
  }
  CopyText(text, path, room);
}

void starpu_perfmodel_update_history(starpu_perfmodel* model, starpu_task* task,
                                     starpu_perfmodel_arch* arch, unsigned, unsigned implementation,
                                     double measured) {
  FeedModel(model, task, arch, implementation, measured);
}
void starpu_perfmodel_update_history_n(starpu_perfmodel* model, starpu_task* task,
                                       starpu_perfmodel_arch* arch, unsigned,
                                       unsigned implementation, double mean, unsigned count) {
  for (unsigned i = 0; i < count; ++i) FeedModel(model, task, arch, implementation, mean);
}
double starpu_perfmodel_history_based_expected_perf(starpu_perfmodel* model,
                                                    starpu_perfmodel_arch* arch,
                                                    uint32_t footprint) {
  MutexLock guard(ModelsLock());
  const auto& implementations = KnowledgeOf(model).implementations;
  const auto devices = runtime::DevicesOf(*arch);
  double best = NAN;
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
    const auto of = implementations.find({devices, i});
    const auto* entry = of == implementations.end() ? nullptr : of->second.EntryFor(footprint);
    if (entry && entry->samples > 0 && !(best <= entry->mean)) best = entry->mean;
  }
  return best;
}

void starpu_perfmodel_dump_xml(FILE* output, starpu_perfmodel* model) {
  MutexLock guard(ModelsLock());
  Put(output, PerfmodelXml(Contents(KnowledgeOf(model)), model->symbol ? model->symbol : ""));
}
int starpu_perfmodel_list(FILE* output) {
  for (const std::string& folder : PlacesFromEnvironment().folders) {
    const auto names = ListPerfmodels(folder);
    if (names.empty()) continue;
    Put(output, "codelet directory: <" + CodeletFolder(folder) + ">\n");
    for (const std::string& name : names) Put(output, "file: <" + name + ">\n");
  }
  return 0;
}
void starpu_perfmodel_directory(FILE* output) {
  for (const std::string& folder : PlacesFromEnvironment().folders)
    Put(output, "directory: <" + CodeletFolder(folder) + ">\n");
}
void starpu_perfmodel_print(starpu_perfmodel* model, starpu_perfmodel_arch* arch,
                            unsigned implementation, char* parameter, uint32_t* footprint,
                            FILE* output) {
  char name[256];
  starpu_perfmodel_get_arch_name(arch, name, sizeof(name), implementation);
  MutexLock guard(ModelsLock());
  PerfmodelImplementation known =
      KnowledgeOf(model).implementations[{runtime::DevicesOf(*arch), implementation}].known;
  std::reverse(known.entries.begin(), known.entries.end());
  const auto chosen = footprint ? std::optional(*footprint) : std::nullopt;
  if (!parameter) return Put(output, ImplementationText(known, name, chosen));
  const auto text = ParameterText(known, parameter, chosen, "");
  if (!text.ok()) Fatal("starpu_perfmodel_print(): %s", text.status().message().c_str());
  Put(output, "# performance model for " + std::string(name) + "\n" + *text);
}

int starpu_perfmodel_print_all(starpu_perfmodel* model, char* arch, char* parameter,
                               uint32_t* footprint, FILE* output) {
  MutexLock guard(ModelsLock());
  const std::string symbol = model->symbol ? model->symbol : "";
  const ModelSelection selection{symbol, parameter ? parameter : "", arch ? arch : "",
                                 footprint ? std::optional(*footprint) : std::nullopt};
  const auto text = ModelText(Contents(KnowledgeOf(model)), selection, DebugPath(*model),
                              "model '" + symbol + "'");
  if (!text.ok()) {
    Warn("starpu_perfmodel_print_all(): %s", text.status().message().c_str());
    return -1;
  }
  Put(output, *text);
  return 0;
}
int starpu_perfmodel_print_estimations(starpu_perfmodel* model, uint32_t footprint, FILE* output) {
  const PlainNumbers plain;
  MutexLock guard(ModelsLock());
  const auto& implementations = KnowledgeOf(model).implementations;
  const char* separator = "";
  for (const auto& worker : Runtime::Get(__func__).workers()) {
    const auto of = implementations.find({runtime::DevicesOf(*worker->arch), 0});
    const auto* entry = of == implementations.end() ? nullptr : of->second.EntryFor(footprint);
    fprintf(output, "%s%e", separator, entry ? entry->mean : INFINITY);
    separator = " ";
  }
  return 0;
}
int starpu_perfmodel_list_combs(FILE* output, starpu_perfmodel* model) {
  MutexLock guard(ModelsLock());
  Put(output, CombinationsText(Contents(KnowledgeOf(model)), model->symbol ? model->symbol : ""));
  return 0;
}
void starpu_perfmodel_debugfilepath(starpu_perfmodel* model, starpu_perfmodel_arch* arch,
                                    char* path, size_t room, unsigned implementation) {
  char name[256];
  starpu_perfmodel_get_arch_name(arch, name, sizeof(name), implementation);
  CopyText(DebugPath(*model) + name + ".debug", path, room);
}

int starpu_perfmodel_get_narch_combs(void) {
  MutexLock guard(ModelsLock());
  return CombinationCount();
}
int starpu_perfmodel_arch_comb_add(int count, starpu_perfmodel_device* devices) {
  MutexLock guard(ModelsLock());
  return CombinationNumber(runtime::DevicesOf(starpu_perfmodel_arch{count, devices}));
}
int starpu_perfmodel_arch_comb_get(int count, starpu_perfmodel_device* devices) {
  MutexLock guard(ModelsLock());
  return KnownCombination(runtime::DevicesOf(starpu_perfmodel_arch{count, devices}));
}
starpu_perfmodel_arch* starpu_perfmodel_arch_comb_fetch(int number) {
  MutexLock guard(ModelsLock());
  return CombinationArch(number);
}

double starpu_task_expected_length(starpu_task* task, starpu_perfmodel_arch* arch,
                                   unsigned implementation) {
  return task->cl ? ExpectedCost(task->cl->model, task, arch, implementation) : 0;
}
double starpu_worker_expected_length(starpu_task* task, unsigned worker, unsigned implementation) {
  if (!task->cl) return 0;
  const int id = static_cast<int>(worker);
  return ExpectedCost(task->cl->model, task, ArchOf(id), implementation, id);
}
double starpu_task_expected_energy(starpu_task* task, starpu_perfmodel_arch* arch,
                                   unsigned implementation) {
  return task->cl ? ExpectedCost(task->cl->energy_model, task, arch, implementation) : 0;
}
double starpu_task_expected_conversion_time(starpu_task* task, starpu_perfmodel_arch* arch,
                                            unsigned implementation) {
  const bool to_cuda = arch->ndevices > 0 && arch->devices[0].type == STARPU_CUDA_WORKER;
  double sum_us = 0;
  for (unsigned i = 0; i < BufferCount(*task); ++i) {
    starpu_data_handle_t handle = BufferHandle(*task, i);
    if (!IsMultiformat(handle)) continue;
    Runtime& runtime = Runtime::Get(__func__);
    if (WillBeForeign(runtime.residency(), handle, to_cuda))
      sum_us += ConversionUs(handle, to_cuda, arch, implementation, /*worker=*/0);
  }
  return sum_us;
}
double starpu_worker_expected_energy(starpu_task* task, unsigned worker, unsigned implementation) {
  if (!task->cl) return 0;
  const int id = static_cast<int>(worker);
  return ExpectedCost(task->cl->energy_model, task, ArchOf(id), implementation, id);
}

double starpu_task_worker_expected_length(starpu_task* task, unsigned worker, unsigned,
                                          unsigned implementation) {
  return starpu_worker_expected_length(task, worker, implementation);
}
double starpu_task_worker_expected_energy(starpu_task* task, unsigned worker, unsigned,
                                          unsigned implementation) {
  return starpu_worker_expected_energy(task, worker, implementation);
}
double starpu_task_expected_length_average(starpu_task* task, unsigned context) {
  return MeanOf(task, context, &starpu_worker_expected_length);
}
double starpu_task_expected_energy_average(starpu_task* task, unsigned context) {
  return MeanOf(task, context, &starpu_worker_expected_energy);
}

}  // extern "C"
