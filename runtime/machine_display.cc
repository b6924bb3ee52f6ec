// SPDX-License-Identifier: Apache-2.0
// starpu_machine_display: prints the workers that the runtime has on this machine, its topology and
// its buses, in the format of StarPU's program of that name. Measures buses that were not measured
// yet.
#include <starpu.h>
#include <strings.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "perfmodel/bus.h"
#include "perfmodel/places.h"

namespace {

constexpr char kUsage[] =
    "usage: starpu_machine_display [-i] [-f] [-w KIND] [-c] [-n]\n"
    "Prints the workers that programs have on this machine, its topology and its buses.\n"
    "  -i, --info         the names of the bus files, and nothing else\n"
    "  -f, --force        after the buses of this machine have been measured anew\n"
    "  -w, --worker KIND  workers of this kind alone: CPU, CUDA, ...\n"
    "  -c, --count        how many workers there are, without their names\n"
    "  -n, --notopology   without topology and buses\n"
    "  -h, -v             this text, the version\n";

// In the order of the output.
constexpr starpu_worker_archtype kKinds[] = {
    STARPU_CPU_WORKER,    STARPU_CUDA_WORKER,     STARPU_OPENCL_WORKER, STARPU_MAX_FPGA_WORKER,
    STARPU_MPI_MS_WORKER, STARPU_TCPIP_MS_WORKER, STARPU_HIP_WORKER,
};

// The variables that determine the workers.
constexpr const char* kVariables[] = {
    "STARPU_NCPU",
    "STARPU_NCPUS",
    "STARPU_NCUDA",
    "STARPU_NSIM_CUDA",
    "STARPU_NWORKER_PER_CUDA",
    "STARPU_WORKERS_CPUID",
    "STARPU_WORKERS_CUDAID",
    "STARPU_WORKERS_NOBIND",
    "STARPU_RESERVE_NCPU",
    "STARPU_HOSTNAME",
};

struct Options {
  std::string kind;
  bool info = false, force = false, only_counts = false, has_topology = true;
};

// Prints an error; returns the exit status of a wrong command line.
int Refuse(const std::string& why) {
  fprintf(stderr, "starpu_machine_display: %s\n", why.c_str());
  return 2;
}

std::string KindNames() {
  std::string names;
  for (const starpu_worker_archtype kind : kKinds)
    names += (names.empty() ? "" : ", ") + std::string(starpu_worker_get_type_as_string(kind));
  return names;
}

bool IsWanted(const Options& options, starpu_worker_archtype kind) {
  return options.kind.empty() ||
         strcasecmp(options.kind.c_str(), starpu_worker_get_type_as_string(kind)) == 0;
}

void PrintHost(const std::string& host) {
  char real[256] = "";
  gethostname(real, sizeof(real) - 1);
  printf("Real hostname: %s (StarPU hostname: %s)\n", real, host.c_str());
  bool any = false;
  for (const char* name : kVariables) {
    const char* const value = getenv(name);
    if (!value) continue;
    if (!any) puts("Environment variables");
    any = true;
    printf("\t%s=%s\n", name, value);
  }
  if (any) puts("");
}

void PrintWorkers(const Options& options, bool has_workers) {
  if (options.kind.empty()) puts("StarPU has found :");
  for (const starpu_worker_archtype kind : kKinds) {
    if (!IsWanted(options, kind)) continue;
    if (!has_workers)
      printf("%s %s worker%s\n", options.only_counts ? "0" : "No",
             starpu_worker_get_type_as_string(kind), options.only_counts ? "s" : "");
    else if (options.only_counts)
      starpu_worker_display_count(stdout, kind);
    else
      starpu_worker_display_names(stdout, kind);
  }
}

void PrintCombinedWorkers() {
  const unsigned count = starpu_combined_worker_get_count();
  if (count > 0) printf("\t%u Combined workers\n", count);
  for (unsigned i = 0; i < count; ++i) {
    int size = 0;
    int* members = nullptr;
    starpu_combined_worker_get_description(static_cast<int>(starpu_worker_get_count() + i), &size,
                                           &members);
    printf("\t\t");
    for (int member = 0; member < size; ++member) {
      char name[256];
      starpu_worker_get_name(members[member], name, sizeof(name));
      printf("%s\t", name);
    }
    printf("\n");
  }
}

// Returns -EIO if buses should be measured but cannot be.
int Start(const tasklens::PerfmodelPlaces& places, bool force) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  if (force) {
    conf.bus_calibrate = 1;
    conf.precedence_over_environment_variables = 1;
    return starpu_init(&conf);
  }
  const bool is_known = FindBus(places).status().code() != tasklens::ErrorCode::kNotFound;
  if (!is_known) conf.bus_calibrate = 1;
  const int error = starpu_init(&conf);
  // The workers exist nevertheless; a warning has told why their buses are not known.
  return !is_known && error == -EIO ? starpu_init(nullptr) : error;
}

int Display(const Options& options) {
  const tasklens::PerfmodelPlaces places = tasklens::PlacesFromEnvironment();
  const int error = Start(places, options.force);
  if (error != 0 && error != -ENODEV) return 1;
  const bool has_workers = error == 0;
  if (options.info) {
    starpu_bus_print_filenames(stdout);
  } else {
    PrintHost(places.host);
    PrintWorkers(options, has_workers);
    if (has_workers && options.kind.empty()) PrintCombinedWorkers();
    if (has_workers && options.has_topology) {
      puts("\ntopology ... (hwloc logical indexes)");
      starpu_topology_print(stdout);
      puts("\nbandwidth (MB/s) and latency (us)...");
      starpu_bus_print_bandwidth(stdout);
    }
  }
  if (has_workers) starpu_shutdown();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto is = [word](std::string_view option, std::string_view long_option) {
      return word == option || word == long_option;
    };
    if (is("-h", "--help")) {
      fputs(kUsage, stdout);
      return 0;
    }
    if (is("-v", "--version")) {
      printf("starpu_machine_display (TaskLens) %d.%d.%d\n", STARPU_MAJOR_VERSION,
             STARPU_MINOR_VERSION, STARPU_RELEASE_VERSION);
      return 0;
    }
    if (is("-i", "--info")) {
      options.info = true;
    } else if (is("-f", "--force")) {
      options.force = true;
    } else if (is("-c", "--count")) {
      options.only_counts = true;
    } else if (is("-n", "--notopology")) {
      options.has_topology = false;
    } else if (is("-w", "--worker")) {
      if (++i == argc) return Refuse(std::string(word) + " wants a value after it");
      options.kind = argv[i];
    } else {
      return Refuse("unknown option '" + std::string(word) + "'; -h lists them");
    }
  }
  bool any = false;
  for (const starpu_worker_archtype kind : kKinds) any = any || IsWanted(options, kind);
  if (!any) return Refuse("no workers are called '" + options.kind + "'; there are " + KindNames());
  return Display(options);
}
