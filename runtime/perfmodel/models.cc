// SPDX-License-Identifier: Apache-2.0
#include "runtime/perfmodel/models.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/places.h"
#include "perfmodel/regression.h"
#include "perfmodel/scanner.h"
#include "runtime/perfmodel/model_state.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"
#include "runtime/support/sync.h"
#include "runtime/support/virtual_time.h"
#include "trace/support/plain_numbers.h"

namespace tasklens::runtime {
namespace {

// The data that outlive the program's own models.
struct Registry {
  std::vector<std::unique_ptr<_starpu_perfmodel_state>> states;
  std::vector<std::shared_ptr<ModelKnowledge>> knowledge;  // of this run, by first use
  unsigned run = 1;
  bool is_running = false;        // from BeginModels() to SaveModels()
  std::atomic<int> calibrate{0};  // STARPU_CALIBRATE of the run; 0 between runs
};
// Never destroyed, as the program may destroy its models later.
Registry& TheRegistry() {
  static Registry& registry = *new Registry;
  return registry;
}

CalibrationRules RulesFromEnvironment() {
  CalibrationRules rules;
  rules.least_samples =
      static_cast<uint64_t>(EnvironmentNumber("STARPU_CALIBRATE_MINIMUM", 1).value_or(10));
  rules.largest_error = EnvironmentNumber("STARPU_HISTORY_MAX_ERROR", 1).value_or(50) / 100.0;
  return rules;
}

// The run in which the model's tasks are measured because it was asked for an unknown size. Atomic,
// as workers read it while others may set it.
std::atomic_ref<unsigned> MeasuredRun(const starpu_perfmodel& model) {
  return std::atomic_ref<unsigned>(const_cast<starpu_perfmodel&>(model).benchmarking);
}

bool IsMeasured(starpu_perfmodel_type type) {
  switch (type) {
    case STARPU_HISTORY_BASED:
    case STARPU_REGRESSION_BASED:
    case STARPU_NL_REGRESSION_BASED:
    case STARPU_MULTIPLE_REGRESSION_BASED: return true;
    default: return false;
  }
}
PerfmodelType TypeOf(starpu_perfmodel_type type) {
  switch (type) {
    case STARPU_REGRESSION_BASED: return PerfmodelType::kPowerLaw;
    case STARPU_NL_REGRESSION_BASED: return PerfmodelType::kShiftedPowerLaw;
    case STARPU_MULTIPLE_REGRESSION_BASED: return PerfmodelType::kMultiple;
    default: return PerfmodelType::kHistory;
  }
}

// Returns the values of a multiple regression's terms for the values of its parameters.
std::vector<double> TermsOf(const ModelDescription& of, const double* parameters) {
  std::vector<double> terms;
  for (const std::vector<unsigned>& exponents : of.exponents) {
    double term = 1;
    for (size_t j = 0; j < exponents.size(); ++j) term *= std::pow(parameters[j], exponents[j]);
    terms.push_back(term);
  }
  return terms;
}

std::string TermName(const ModelDescription& of, size_t index) {
  if (of.names.empty()) return "c" + std::to_string(index + 1);
  std::string name;
  for (size_t j = 0; j < of.parameters; ++j) {
    const unsigned exponent = of.exponents[index][j];
    if (exponent == 0) continue;
    name += (name.empty() ? "" : "*") + of.names[j];
    if (exponent > 1) name += "^" + std::to_string(exponent);
  }
  return name;
}

// Reads the measurements of earlier runs of a multiple regression: rows with a duration and
// parameters.
void ReadMeasures(const ModelDescription& of, const std::string& path,
                  std::vector<double>& parameters, std::vector<double>& durations) {
  const Result<std::string> text = ReadLocked(path);
  if (!text.ok()) return;
  std::istringstream lines(*text);
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    LineScanner row(line, path);
    std::vector<double> values;
    if (!row.Next() || row.fields().size() != of.parameters + 1) continue;
    for (const std::string_view field : row.fields())
      if (double value; LineScanner::Parse(field, value)) values.push_back(value);
    if (values.size() != of.parameters + 1) continue;
    durations.push_back(values[0]);
    parameters.insert(parameters.end(), values.begin() + 1, values.end());
  }
}

std::string MeasuresText(const ModelDescription& of, const std::vector<double>& parameters,
                         const std::vector<double>& durations) {
  const PlainNumbers plain;
  std::string text = "Duration";
  for (size_t j = 0; j < of.parameters; ++j)
    text += ", " + (of.names.empty() ? "P" + std::to_string(j) : of.names[j]);
  text += '\n';
  for (size_t i = 0; i < durations.size(); ++i) {
    text += std::to_string(durations[i]);
    for (size_t j = 0; j < of.parameters; ++j)
      text += ", " + std::to_string(parameters[i * of.parameters + j]);
    text += '\n';
  }
  return text;
}

// Solved when the model is written, because it takes long and only the next run uses it.
void SolveShifted(PerfmodelImplementation& known, const CalibrationRules& rules) {
  if (!IsSpread(known.power_law, rules)) return;
  std::vector<MeasuredSize> points;
  for (const PerfmodelEntry& entry : known.entries)
    if (entry.samples > 0) points.push_back({static_cast<double>(entry.size_bytes), entry.mean});
  known.shifted = FitShiftedPowerLaw(points);
}

void SolveMultiple(const ModelDescription& of, ModelImplementation& measured) {
  MultipleRegression& multiple = measured.known.multiple;
  const size_t terms = of.exponents.size();
  if (terms == 0) {
    multiple = {{}, {NAN}};
    return;
  }
  std::vector<double> rows;
  for (size_t i = 0; i < measured.durations.size(); ++i) {
    const std::vector<double> row = TermsOf(of, &measured.parameters[i * of.parameters]);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  multiple.terms.clear();
  for (size_t i = 0; i < terms; ++i) multiple.terms.push_back(TermName(of, i));
  std::vector<double> found = FitLinear(rows, terms, measured.durations);
  if (!found.empty()) multiple.coefficients = std::move(found);
  if (multiple.coefficients.size() != terms + 1) multiple.coefficients.assign(terms + 1, NAN);
}

void Absorb(const Perfmodel& file, ModelKnowledge& knowledge) {
  for (const PerfmodelCombination& combination : file.combinations)
    for (size_t i = 0; i < combination.implementations.size(); ++i) {
      ModelImplementation& to =
          knowledge.implementations[{DevicesOf(combination), static_cast<unsigned>(i)}];
      to.known = combination.implementations[i];
      std::reverse(to.known.entries.begin(), to.known.entries.end());
      to.index.clear();
      for (size_t at = 0; at < to.known.entries.size(); ++at)
        to.index.emplace(to.known.entries[at].footprint, at);
    }
}

// Returns the knowledge of an earlier model with the same symbol and type, or nullptr. Models
// without a symbol share nothing.
std::shared_ptr<ModelKnowledge> SharedKnowledge(const ModelDescription& wanted) {
  if (!wanted.symbol) return nullptr;
  for (const auto& knowledge : TheRegistry().knowledge) {
    const ModelDescription& of = knowledge->of;
    if (!knowledge->is_of_one && of.type == wanted.type && of.symbol == wanted.symbol)
      return knowledge;
  }
  return nullptr;
}

// Reads the model's file. A file that cannot be read is not overwritten either: the user may want
// to repair it.
void ReadFile(ModelKnowledge& knowledge) {
  const std::optional<std::string>& symbol = knowledge.of.symbol;
  if (!symbol || !IsMeasured(knowledge.of.type) || Calibration() == 2) return;
  const Result<FoundPerfmodel> found = FindPerfmodel(PlacesFromEnvironment(), *symbol);
  if (found.ok()) {
    Absorb(found->file.model, knowledge);
    knowledge.has_file = true;
  } else if (found.status().code() != ErrorCode::kNotFound) {
    Warn("%s; the model is not used, and not written", found.status().message().c_str());
    knowledge.is_broken = true;
  }
}

std::shared_ptr<ModelKnowledge> NewKnowledge(const starpu_perfmodel& model) {
  auto knowledge = std::make_shared<ModelKnowledge>(model);
  knowledge->rules = RulesFromEnvironment();
  return TheRegistry().knowledge.emplace_back(std::move(knowledge));
}

}  // namespace

Mutex& ModelsLock() {
  static Mutex lock;
  return lock;
}

void BeginModels(int calibrate) {
  MutexLock guard(ModelsLock());
  TheRegistry().is_running = true;
  SetCalibration(calibrate);
}
int Calibration() { return TheRegistry().calibrate.load(std::memory_order_relaxed); }
void SetCalibration(int calibrate) {
  TheRegistry().calibrate.store(calibrate, std::memory_order_relaxed);
}

bool IsMeasured(const starpu_perfmodel& model) { return IsMeasured(model.type); }

ModelDescription::ModelDescription(const starpu_perfmodel& model)
    : type(model.type), parameters(model.nparameters) {
  if (model.symbol) symbol = model.symbol;
  if (type != STARPU_MULTIPLE_REGRESSION_BASED) return;
  if (model.parameters_names)
    names.assign(model.parameters_names, model.parameters_names + parameters);
  if (!model.combinations) return;
  for (unsigned i = 0; i < model.ncombinations; ++i)
    exponents.emplace_back(model.combinations[i], model.combinations[i] + parameters);
}

_starpu_perfmodel_state& StateOf(starpu_perfmodel* model) {
  if (!model->state) {
    model->state =
        TheRegistry().states.emplace_back(std::make_unique<_starpu_perfmodel_state>()).get();
    model->is_init = 1;
  }
  return *model->state;
}

void DropState(starpu_perfmodel* model) {
  Registry& registry = TheRegistry();
  std::erase_if(registry.states, [&](const auto& state) { return state.get() == model->state; });
  std::erase_if(registry.knowledge, [&](const auto& knowledge) {
    return knowledge.use_count() == 1 && !(registry.is_running && knowledge->is_fed);
  });
  model->state = nullptr;
  model->is_init = model->is_loaded = 0;
}

PerfmodelDevices DevicesOf(const PerfmodelCombination& combination) {
  PerfmodelDevices devices;
  for (const PerfmodelDevice& device : combination.devices)
    devices.emplace_back(device.kind, device.number, device.cores);
  return devices;
}

PerfmodelDevices DevicesOf(const starpu_perfmodel_arch& arch) {
  PerfmodelDevices devices;
  for (int i = 0; i < arch.ndevices; ++i)
    devices.emplace_back(arch.devices[i].type, arch.devices[i].devid, arch.devices[i].ncores);
  return devices;
}

namespace {

// A combination of devices, with the arch that the program sees; its address is stable.
struct MetCombination {
  PerfmodelDevices key;
  std::vector<starpu_perfmodel_device> devices;
  starpu_perfmodel_arch arch;
};
std::deque<MetCombination>& Met() {
  static std::deque<MetCombination> met;
  return met;
}

}  // namespace

int KnownCombination(const PerfmodelDevices& devices) {
  const auto at = std::find_if(Met().begin(), Met().end(),
                               [&](const MetCombination& met) { return met.key == devices; });
  return at == Met().end() ? -1 : static_cast<int>(at - Met().begin());
}

int CombinationNumber(const PerfmodelDevices& devices) {
  if (const int known = KnownCombination(devices); known >= 0) return known;
  MetCombination& met = Met().emplace_back();
  met.key = devices;
  for (const auto& [type, number, cores] : devices)
    met.devices.push_back({static_cast<starpu_worker_archtype>(type), number, cores});
  met.arch = {static_cast<int>(met.devices.size()), met.devices.data()};
  return CombinationCount() - 1;
}

int CombinationCount() { return static_cast<int>(Met().size()); }

starpu_perfmodel_arch* CombinationArch(int number) {
  return number >= 0 && number < CombinationCount() ? &Met()[static_cast<size_t>(number)].arch
                                                    : nullptr;
}

Perfmodel Contents(const ModelKnowledge& knowledge) {
  Perfmodel model;
  const PerfmodelDevices* latest = nullptr;
  for (const auto& [key, implementation] : knowledge.implementations) {
    if (!latest || *latest != key.first) {
      latest = &key.first;
      PerfmodelCombination& combination = model.combinations.emplace_back();
      combination.number = CombinationNumber(key.first);
      for (const auto& [kind, number, cores] : key.first)
        combination.devices.push_back({kind, number, cores});
    }
    auto& implementations = model.combinations.back().implementations;
    implementations.resize(key.second + 1);
    implementations.back() = implementation.known;
    std::reverse(implementations.back().entries.begin(), implementations.back().entries.end());
  }
  return model;
}

ModelKnowledge& KnowledgeOf(starpu_perfmodel* model) {
  _starpu_perfmodel_state& state = StateOf(model);
  if (!state.knows) {
    state.knows = SharedKnowledge(ModelDescription(*model));
    if (!state.knows) {
      state.knows = NewKnowledge(*model);
      ReadFile(*state.knows);
    }
    model->is_loaded = state.knows->has_file;
  }
  return *state.knows;
}

Status LoadFrom(starpu_perfmodel* model, const Result<FoundPerfmodel>& found) {
  if (!found.ok()) return found.status();
  _starpu_perfmodel_state& state = StateOf(model);
  state.knows = NewKnowledge(*model);
  state.knows->is_of_one = state.knows->has_file = true;
  Absorb(found->file.model, *state.knows);
  model->is_loaded = 1;
  return Status::Ok();
}

starpu_perfmodel_per_arch_size_base SizeBaseOf(const starpu_perfmodel* model,
                                               const starpu_perfmodel_arch& arch,
                                               unsigned implementation) {
  MutexLock guard(ModelsLock());
  if (!model->state) return nullptr;
  const auto& settings = model->state->settings;
  const auto it = settings.find({DevicesOf(arch), implementation});
  return it == settings.end() ? nullptr : it->second.size_base;
}

starpu_perfmodel_per_arch_cost_function CostFunctionOf(starpu_perfmodel* model,
                                                       const starpu_perfmodel_arch& arch,
                                                       unsigned implementation) {
  MutexLock guard(ModelsLock());
  return StateOf(model).settings[{DevicesOf(arch), implementation}].cost_function;
}

namespace {
struct Arch {
  starpu_perfmodel_device device;
  starpu_perfmodel_arch arch;
};

// Returns the architectures of the first kCount devices or CPU workers of a kind. Never freed.
template <starpu_worker_archtype kKind, int kCount>
Arch* DeviceArchs() {
  static Arch archs[kCount];
  static std::once_flag once;
  std::call_once(once, [] {
    for (int i = 0; i < kCount; ++i) {
      archs[i].device = {kKind, i, 1};
      archs[i].arch = {1, &archs[i].device};
    }
  });
  return archs;
}
}  // namespace

starpu_perfmodel_arch* CpuArch(int cores) {
  static Arch archs[STARPU_NMAXWORKERS + 1];
  static std::once_flag once;
  std::call_once(once, [] {
    for (int n = 0; n <= STARPU_NMAXWORKERS; ++n) {
      archs[n].device = {STARPU_CPU_WORKER, 0, n};
      archs[n].arch = {1, &archs[n].device};
    }
  });
  return &archs[std::clamp(cores, 1, STARPU_NMAXWORKERS)].arch;
}

starpu_perfmodel_arch* CpuWorkerArch(int number) {
  const bool are_alike = EnvironmentNumber("STARPU_PERF_MODEL_HOMOGENEOUS_CPU").value_or(1) > 0;
  if (are_alike || number == 0) return CpuArch(1);
  return &DeviceArchs<STARPU_CPU_WORKER, STARPU_NMAXWORKERS>()[number].arch;
}

starpu_perfmodel_arch* CudaArch(int device) {
  const bool are_alike = EnvironmentNumber("STARPU_PERF_MODEL_HOMOGENEOUS_CUDA").value_or(0) > 0;
  return &DeviceArchs<STARPU_CUDA_WORKER, STARPU_MAXCUDADEVS>()[are_alike ? 0 : device].arch;
}

bool WantsMeasures(const starpu_perfmodel& model) {
  // The times of a simulation come from the models themselves.
  return !VirtualTime::On() && IsMeasured(model) &&
         (MeasuredRun(model).load() == TheRegistry().run || Calibration() > 0);
}

void Feed(starpu_perfmodel* model, const starpu_perfmodel_arch& arch, unsigned implementation,
          const Measure& measure, const std::vector<double>& parameters) {
  MutexLock guard(ModelsLock());
  ModelKnowledge& knowledge = KnowledgeOf(model);
  knowledge.is_fed = true;
  ModelImplementation& of = knowledge.implementations[{DevicesOf(arch), implementation}];
  const PerfmodelType type = TypeOf(model->type);
  if (type == PerfmodelType::kMultiple) {
    if (parameters.empty()) return;
    of.durations.push_back(measure.duration);
    of.parameters.insert(of.parameters.end(), parameters.begin(), parameters.end());
    return;
  }
  const auto [at, is_new] = of.index.emplace(measure.footprint, of.known.entries.size());
  if (is_new) of.known.entries.push_back({.footprint = measure.footprint});
  const Fed fed = FeedEntry(of.known.entries[at->second], of.feeding[measure.footprint], measure,
                            type, knowledge.rules);
  if (fed == Fed::kFlushed && knowledge.flushed++ == 0)
    Warn("tasks of model '%s', footprint %08x, differ too much: their measures are forgotten",
         model->symbol ? model->symbol : "", measure.footprint);
  FeedRegression(of.known.power_law, measure, type);
}

std::shared_ptr<ModelKnowledge> KnowledgeFor(starpu_perfmodel* model) {
  MutexLock guard(ModelsLock());
  (void)KnowledgeOf(model);
  return StateOf(model).knows;
}

namespace {
// REQUIRES: ModelsLock().
double AnswerOf(ModelKnowledge& knowledge, const ModelQuestion& question,
                const starpu_perfmodel_arch& arch, unsigned implementation) {
  const ModelImplementation& of = knowledge.implementations[{DevicesOf(arch), implementation}];
  return Expect(of.known, TypeOf(knowledge.of.type), of.EntryFor(question.footprint),
                question.size_bytes, knowledge.rules);
}
}  // namespace

double AnswerFor(ModelKnowledge& knowledge, const ModelQuestion& question,
                 const starpu_perfmodel_arch& arch, unsigned implementation) {
  MutexLock guard(ModelsLock());
  return AnswerOf(knowledge, question, arch, implementation);
}

namespace {
// Has the model's tasks measured from now on if `expected` is NaN. Returns `expected`.
double WantMeasuresIfUnknown(starpu_perfmodel* model, double expected) {
  if (!std::isnan(expected) || VirtualTime::On()) return expected;
  const unsigned run = TheRegistry().run;
  if (MeasuredRun(*model).exchange(run) == run) return expected;
  MutexLock guard(ModelsLock());
  if (std::exchange(KnowledgeOf(model).is_wanting, true)) return expected;
  Warn("model '%s' does not know a size of tasks well enough: this run measures it%s",
       model->symbol ? model->symbol : "", model->symbol ? " for the next" : "");
  return expected;
}
}  // namespace

double Ask(starpu_perfmodel* model, const ModelQuestion& question,
           const starpu_perfmodel_arch& arch, unsigned implementation) {
  double expected;
  {
    MutexLock guard(ModelsLock());
    expected = AnswerOf(KnowledgeOf(model), question, arch, implementation);
  }
  return WantMeasuresIfUnknown(model, expected);
}

double AskMultiple(starpu_perfmodel* model, const std::vector<double>& parameters,
                   const starpu_perfmodel_arch& arch, unsigned implementation) {
  double expected = NAN;
  {
    MutexLock guard(ModelsLock());
    ModelKnowledge& knowledge = KnowledgeOf(model);
    const MultipleRegression& multiple =
        knowledge.implementations[{DevicesOf(arch), implementation}].known.multiple;
    if (!knowledge.of.exponents.empty() && !parameters.empty())
      expected = ExpectMultiple(multiple, TermsOf(knowledge.of, parameters.data()));
  }
  return WantMeasuresIfUnknown(model, expected);
}

Status SaveModel(ModelKnowledge& knowledge) {
  const ModelDescription& of = knowledge.of;
  if (!of.symbol || !IsMeasured(of.type) || knowledge.is_broken) return Status::Ok();
  if (Status s = CheckSymbol(*of.symbol); !s.ok()) return s;
  const PerfmodelPlaces places = PlacesFromEnvironment();
  if (places.folders.empty()) return Status::Ok();
  const bool is_multiple = of.type == STARPU_MULTIPLE_REGRESSION_BASED;
  const std::string path = MeasuresPath(places.folders[0], *of.symbol);
  for (auto& [key, measured] : knowledge.implementations) {
    if (of.type == STARPU_NL_REGRESSION_BASED) SolveShifted(measured.known, knowledge.rules);
    if (!is_multiple || measured.durations.empty()) continue;
    if (Calibration() == 1) ReadMeasures(of, path, measured.parameters, measured.durations);
    SolveMultiple(of, measured);
    const std::string text = MeasuresText(of, measured.parameters, measured.durations);
    if (Status s = WriteLocked(path, text); !s.ok()) return s;
  }
  return WritePerfmodel(ModelPath(places.folders[0], *of.symbol, places.host),
                        {.model = Contents(knowledge)});
}

void SaveModels() {
  MutexLock guard(ModelsLock());
  Registry& registry = TheRegistry();
  for (const auto& knowledge : registry.knowledge) {
    const std::string symbol = knowledge->of.symbol.value_or("");
    if (knowledge->flushed > 1)
      Warn(
          "measures of model '%s' were forgotten %zu times, as others were far from them: what "
          "tells its tasks apart is not in their footprint, or the machine was busy",
          symbol.c_str(), knowledge->flushed);
    if (knowledge->is_fed)
      if (const Status s = SaveModel(*knowledge); !s.ok())
        Warn("model '%s' is not kept: %s", symbol.c_str(), s.message().c_str());
  }
  registry.knowledge.clear();
  for (const auto& state : registry.states) state->knows = nullptr;
  ++registry.run;
  registry.is_running = false;
  SetCalibration(0);
}

}  // namespace tasklens::runtime
