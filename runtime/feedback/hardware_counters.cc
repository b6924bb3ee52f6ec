// SPDX-License-Identifier: Apache-2.0
// Looks up PAPI's functions by name; they only use C types.
#include "runtime/feedback/hardware_counters.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "runtime/support/message.h"

namespace tasklens::runtime {

// The functions of PAPI that are used, without "PAPI_": FUNCTION(result, name, parameters).
#define PAPI_FUNCTIONS                                             \
  FUNCTION(int, library_init, (int version))                       \
  FUNCTION(int, thread_init, (unsigned long (*thread_id)()))       \
  FUNCTION(int, unregister_thread, ())                             \
  FUNCTION(int, event_name_to_code, (const char* name, int* code)) \
  FUNCTION(int, create_eventset, (int* event_set))                 \
  FUNCTION(int, add_event, (int event_set, int code))              \
  FUNCTION(int, start, (int event_set))                            \
  FUNCTION(int, reset, (int event_set))                            \
  FUNCTION(int, read, (int event_set, long long* values))          \
  FUNCTION(int, stop, (int event_set, long long* values))          \
  FUNCTION(int, cleanup_eventset, (int event_set))                 \
  FUNCTION(int, destroy_eventset, (int* event_set))                \
  FUNCTION(char*, strerror, (int error))

struct Papi {
#define FUNCTION(result, name, parameters) result(*name) parameters = nullptr;
  PAPI_FUNCTIONS
#undef FUNCTION
};

namespace {

constexpr const char* kVariable = "STARPU_PROF_PAPI_EVENTS";
constexpr int kOk = 0;
constexpr int kNoEventSet = -1;

// PAPI refuses programs that were written for another version. The functions used here are the same
// in all of these versions.
struct Version {
  const char* library;
  int number;
};
constexpr Version kVersions[] = {
    {"libpapi.so.7.2", 0x07020000}, {"libpapi.so.7.1", 0x07010000}, {"libpapi.so.7.0", 0x07000000},
    {"libpapi.so.6.0", 0x06000000}, {"libpapi.so.5.7", 0x05070000},
};

unsigned long ThreadId() { return static_cast<unsigned long>(pthread_self()); }

bool FindAll(void* library, Papi& papi) {
  bool has_all = true;
#define FUNCTION(result, name, parameters)                                          \
  papi.name = reinterpret_cast<decltype(papi.name)>(dlsym(library, "PAPI_" #name)); \
  has_all = has_all && papi.name;
  PAPI_FUNCTIONS
#undef FUNCTION
  return has_all;
}

// Returns false, and prints a warning, on failure. The library stays loaded, because PAPI cannot be
// initialised twice in a process.
bool Load(Papi& papi) {
  const char* const given = getenv("TASKLENS_PAPI_LIBRARY");
  for (const Version& version : kVersions) {
    void* const library = dlopen(given ? given : version.library, RTLD_NOW | RTLD_LOCAL);
    if (!library && given) {
      Warn("TASKLENS_PAPI_LIBRARY: %s; no hardware counter is read", dlerror());
      return false;
    }
    if (!library || !FindAll(library, papi)) continue;
    if (papi.library_init(version.number) != version.number) continue;
    if (const int error = papi.thread_init(&ThreadId); error != kOk) {
      Warn("%s: PAPI cannot count by thread: %s", kVariable, papi.strerror(error));
      return false;
    }
    return true;
  }
  Warn(
      "%s: PAPI's library (5.7, 6.0 or 7.0 to 7.2) is missing: apt-get install libpapi7.0; no "
      "hardware counter is read",
      kVariable);
  return false;
}

std::vector<std::string> Words(std::string_view text) {
  constexpr std::string_view kBetween = " ,\t";
  std::vector<std::string> words;
  for (size_t at = text.find_first_not_of(kBetween); at != text.npos;) {
    const size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBetween, end);
  }
  return words;
}

void Drop(const Papi& papi, int& event_set) {
  papi.cleanup_eventset(event_set);
  papi.destroy_eventset(&event_set);
}

// Returns the codes of the names that can be counted together; prints a warning for each other
// name.
std::vector<int> Countable(const Papi& papi, const char* names) {
  std::vector<int> codes;
  int event_set = kNoEventSet;
  if (const int error = papi.create_eventset(&event_set); error != kOk) {
    Warn("%s: PAPI cannot count here: %s", kVariable, papi.strerror(error));
    return codes;
  }
  for (const std::string& name : Words(names)) {
    int code = 0;
    int error = papi.event_name_to_code(name.c_str(), &code);
    if (error == kOk) error = papi.add_event(event_set, code);
    if (error == kOk) {
      codes.push_back(code);
    } else {
      Warn("%s: %s cannot be counted: %s", kVariable, name.c_str(), papi.strerror(error));
    }
  }
  Drop(papi, event_set);
  return codes;
}

}  // namespace

std::unique_ptr<HardwareCounters> HardwareCounters::FromEnvironment(size_t workers) {
  const char* const names = getenv(kVariable);
  Papi papi;
  if (!names || !*names || !Load(papi)) return nullptr;
  std::vector<int> codes = Countable(papi, names);
  if (codes.empty()) return nullptr;
  return std::unique_ptr<HardwareCounters>(new HardwareCounters(papi, std::move(codes), workers));
}

HardwareCounters::HardwareCounters(const Papi& papi, std::vector<int> codes, size_t workers)
    : papi_(std::make_unique<const Papi>(papi)), codes_(std::move(codes)), workers_(workers) {}

HardwareCounters::~HardwareCounters() = default;

// Starts the worker's event set; each task resets its counts.
void HardwareCounters::Start(OfWorker& worker) {
  worker.was_asked = true;
  int error = papi_->create_eventset(&worker.event_set);
  for (const int code : codes_) {
    if (error == kOk) error = papi_->add_event(worker.event_set, code);
  }
  if (error == kOk) error = papi_->start(worker.event_set);
  worker.counts = error == kOk;
  worker.values.resize(codes_.size());
  if (!worker.counts) Warn("%s: a worker cannot count: %s", kVariable, papi_->strerror(error));
}

void HardwareCounters::Begin(int id) {
  OfWorker& worker = workers_[static_cast<size_t>(id)];
  if (!worker.was_asked) Start(worker);
  if (worker.counts) papi_->reset(worker.event_set);
}

std::span<const long long> HardwareCounters::End(int id) {
  OfWorker& worker = workers_[static_cast<size_t>(id)];
  if (!worker.counts || papi_->read(worker.event_set, worker.values.data()) != kOk) return {};
  return worker.values;
}

void HardwareCounters::Leave(int id) {
  OfWorker& worker = workers_[static_cast<size_t>(id)];
  if (!worker.was_asked) return;
  if (worker.counts) papi_->stop(worker.event_set, worker.values.data());
  worker.counts = worker.was_asked = false;
  Drop(*papi_, worker.event_set);
  papi_->unregister_thread();
}

}  // namespace tasklens::runtime
