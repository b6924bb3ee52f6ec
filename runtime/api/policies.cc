// SPDX-License-Identifier: Apache-2.0
// The table of policies, its public list, and the choice by name or from STARPU_SCHED_LIB.
#include "runtime/api/policies.h"

#include <dlfcn.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "runtime/core/program_policy.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {

#define POLICY(Name) extern const PolicySpec k##Name##Policy;
#include "runtime/api/components/policies.inc"
#undef POLICY

std::span<const PolicySpec* const> Policies() {
  static constexpr const PolicySpec* kAll[] = {
#define POLICY(Name) &k##Name##Policy,
#include "runtime/sched/policies.inc"
// (The first one is the default.)
#include "runtime/api/components/policies.inc"
#undef POLICY
  };
  return kAll;
}

const PolicySpec* FindPolicy(std::string_view name) {
  for (const PolicySpec* policy : Policies()) {
    if (name == policy->name) return policy;
  }
  return nullptr;
}

namespace {

constexpr size_t kMaxPolicies = 64;

struct PublicFaces {
  starpu_sched_policy policies[kMaxPolicies] = {};
  starpu_sched_policy* list[kMaxPolicies + 1] = {};
  PublicFaces() {
    size_t count = 0;
    for (const PolicySpec* spec : Policies()) {
      policies[count].policy_name = spec->name;
      policies[count].policy_description = spec->description;
      list[count] = &policies[count];
      ++count;
    }
  }
};
PublicFaces& Faces() {
  static PublicFaces faces;
  return faces;
}

// The policy's entry in starpu_sched_get_predefined_policies().
starpu_sched_policy* PublicFace(const PolicySpec& spec) {
  for (starpu_sched_policy** at = Faces().list; *at; ++at) {
    if ((*at)->policy_name == spec.name) return *at;
  }
  return nullptr;
}

// Loads the library that STARPU_SCHED_LIB names. Returns nullptr if it is not set, or (with
// is_broken and a warning) if the library cannot be loaded. The library is never unloaded: it may
// hold tasks, and its functions may be on stacks, until the end.
void* LoadLibrary(bool& is_broken) {
  is_broken = false;
  const char* const library = getenv("STARPU_SCHED_LIB");
  if (!library || !*library) return nullptr;
  void* const loaded = dlopen(library, RTLD_NOW);
  if (!loaded) Warn("STARPU_SCHED_LIB: %s", dlerror());
  is_broken = !loaded;
  return loaded;
}

const starpu_sched_policy* AskLibrary(const char* name, bool& is_broken) {
  is_broken = false;
  void* const loaded = name && *name ? LoadLibrary(is_broken) : nullptr;
  if (!loaded) return nullptr;
  using Find = starpu_sched_policy* (*)(const char*);
  const auto find = reinterpret_cast<Find>(dlsym(loaded, "starpu_get_sched_lib_policy"));
  is_broken = !find;
  if (!find) {
    Warn("STARPU_SCHED_LIB: %s has no starpu_get_sched_lib_policy()", getenv("STARPU_SCHED_LIB"));
    return nullptr;
  }
  const starpu_sched_policy* policy = find(name);
  return policy && policy->push_task ? policy : nullptr;
}

// The policies that the library lists (starpu_get_sched_lib_policies), if it does.
std::vector<const starpu_sched_policy*> PoliciesOfLibrary() {
  std::vector<const starpu_sched_policy*> policies;
  bool is_broken;
  void* const loaded = LoadLibrary(is_broken);
  using List = starpu_sched_policy** (*)();
  const auto list =
      loaded ? reinterpret_cast<List>(dlsym(loaded, "starpu_get_sched_lib_policies")) : nullptr;
  for (starpu_sched_policy** at = list ? list() : nullptr; at && *at; ++at) policies.push_back(*at);
  return policies;
}

// The policy of that name in the library of STARPU_SCHED_LIB. Returns nullptr if there is none,
// with a warning if the library has no policies.
const starpu_sched_policy* PolicyOfLibrary(const char* name) {
  bool is_broken;
  return AskLibrary(name, is_broken);
}

// The policy from STARPU_SCHED_LIB or of the program; nullptr for one of Policies(). On failure
// warns and sets `error`.
const starpu_sched_policy* WantedProgramPolicy(const starpu_conf& conf, int& error) {
  bool is_broken;
  const starpu_sched_policy* const of_library = AskLibrary(getenv("STARPU_SCHED"), is_broken);
  error = is_broken ? -EINVAL : 0;
  if (is_broken || of_library) return of_library;
  const starpu_sched_policy* policy = conf.sched_policy;
  if (!policy) return nullptr;
  if (policy->push_task) return policy;
  if (policy->policy_name && FindPolicy(policy->policy_name)) return nullptr;
  Warn("starpu_init(): scheduling policy '%s' has no push_task function",
       policy->policy_name ? policy->policy_name : "(no name)");
  error = -EINVAL;
  return nullptr;
}

// Returns nullptr (with a warning) if there is no policy of that name.
const PolicySpec* FindKnownPolicy(const char* name) {
  if (const PolicySpec* spec = FindPolicy(name)) return spec;
  std::string known;
  for (const PolicySpec* spec : Policies()) known += std::string(" ") + spec->name;
  for (const starpu_sched_policy* policy : PoliciesOfLibrary())
    if (policy->policy_name) known += std::string(" ") + policy->policy_name;
  Warn("scheduling policy '%s' is not known; there are:%s", name, known.c_str());
  return nullptr;
}

// Whether a policy runs parallel tasks on several workers.
bool IsForParallelTasks(std::string_view name) {
  return name == "peager" || name == "pprio" || name == "pheft";
}

const char* WantedPolicyName(const starpu_conf& conf) {
  const char* name = conf.sched_policy ? conf.sched_policy->policy_name : conf.sched_policy_name;
  const char* environment = getenv("STARPU_SCHED");
  if (environment && *environment && !(conf.precedence_over_environment_variables && name)) {
    name = environment;
  }
  return name && *name ? name : nullptr;
}

const PolicySpec* WantedPolicy(const starpu_conf& conf) {
  const char* name = WantedPolicyName(conf);
  if (!name) return Policies().front();
  return FindKnownPolicy(name);
}

void BeOfProgram(const starpu_sched_policy& functions, ChosenPolicy& chosen) {
  chosen.face = const_cast<starpu_sched_policy*>(&functions);
  chosen.policy = std::make_unique<ProgramPolicy>(functions);
}

void BeOfTable(const PolicySpec& spec, Host& host, int workers, ChosenPolicy& chosen) {
  chosen.face = PublicFace(spec);
  chosen.policy = spec.create(host, workers);
}

}  // namespace

int ChooseRunPolicy(const starpu_conf& conf, Host& host, int workers, ChosenPolicy& chosen) {
  int error;
  if (const starpu_sched_policy* functions = WantedProgramPolicy(conf, error)) {
    BeOfProgram(*functions, chosen);
  } else {
    if (error) return error;
    const PolicySpec* spec = WantedPolicy(conf);
    if (!spec) return -EINVAL;
    BeOfTable(*spec, host, workers, chosen);
  }
  const char* const name = WantedPolicyName(conf);
  chosen.runs_parallel_tasks = name && IsForParallelTasks(name);
  return 0;
}

bool ChoosePredefinedPolicy(const char* name, Host& host, int workers, ChosenPolicy& chosen) {
  if (const starpu_sched_policy* functions = PolicyOfLibrary(name)) {
    BeOfProgram(*functions, chosen);
    return true;
  }
  const PolicySpec* spec = name && *name ? FindKnownPolicy(name) : Policies().front();
  if (!spec) return false;
  BeOfTable(*spec, host, workers, chosen);
  return true;
}

}  // namespace tasklens::runtime

extern "C" starpu_sched_policy** starpu_sched_get_predefined_policies(void) {
  return tasklens::runtime::Faces().list;
}
