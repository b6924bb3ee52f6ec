// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/placement.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <vector>

#include "runtime/mpi/data.h"
#include "runtime/mpi/world.h"

namespace tasklens::mpi {
namespace {

// Returns the rank that owns most bytes of the task's data, so that fewest bytes must be sent. Data
// that are read and written count twice, as they must be sent back.
int MostRead(int, int ranks, starpu_data_descr* data, int count) {
  std::vector<size_t> bytes(static_cast<size_t>(ranks));
  for (int i = 0; i < count; ++i) {
    const int owner = OwnerOf(data[i].handle);
    if (owner < 0 || owner >= ranks) continue;
    const size_t size = starpu_data_get_size(data[i].handle);
    if (data[i].mode & STARPU_R) bytes[static_cast<size_t>(owner)] += size;
    if (data[i].mode & STARPU_W) bytes[static_cast<size_t>(owner)] += size;
  }
  return static_cast<int>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
}

using Policy = starpu_mpi_select_node_policy_func_t;
constexpr size_t kPolicies = 24;

struct Policies {
  std::array<std::atomic<Policy>, kPolicies> functions{};
  std::atomic<int> current{STARPU_MPI_NODE_SELECTION_MOST_R_DATA};
  Policies() { functions[STARPU_MPI_NODE_SELECTION_MOST_R_DATA] = &MostRead; }
  Policy At(int number) const {
    if (number < 0 || static_cast<size_t>(number) >= kPolicies) return nullptr;
    return functions[static_cast<size_t>(number)].load(std::memory_order_acquire);
  }
};
Policies& ThePolicies() {
  static Policies policies;
  return policies;
}

}  // namespace

int SelectRank(MPI_Comm comm, starpu_data_descr* data, int count, int policy) {
  const Policies& policies = ThePolicies();
  const int number =
      policy == STARPU_MPI_NODE_SELECTION_CURRENT_POLICY ? policies.current.load() : policy;
  const Policy function = policies.At(number);
  if (!function)
    _starpu_communication_fatal("starpu_mpi_task_insert(): there is no policy %d to select a rank",
                                number);
  return function(RankIn(comm), SizeOf(comm), data, count);
}

}  // namespace tasklens::mpi

using namespace tasklens::mpi;  // NOLINT: the definitions below are all of them short

extern "C" {

int starpu_mpi_node_selection_register_policy(starpu_mpi_select_node_policy_func_t function) {
  Policies& policies = ThePolicies();
  for (size_t i = 0; i < kPolicies; ++i) {
    Policy free = nullptr;
    if (policies.functions[i].compare_exchange_strong(free, function)) return static_cast<int>(i);
  }
  _starpu_communication_fatal(
      "starpu_mpi_node_selection_register_policy(): there are %zu already: unregister one",
      kPolicies);
}
int starpu_mpi_node_selection_unregister_policy(int policy) {
  Policies& policies = ThePolicies();
  if (policy <= STARPU_MPI_NODE_SELECTION_MOST_R_DATA || !policies.At(policy))
    _starpu_communication_fatal(
        "starpu_mpi_node_selection_unregister_policy(): policy %d is none of the program's",
        policy);
  policies.functions[static_cast<size_t>(policy)] = nullptr;
  return 0;
}
int starpu_mpi_node_selection_get_current_policy(void) { return ThePolicies().current; }
int starpu_mpi_node_selection_set_current_policy(int policy) {
  if (!ThePolicies().At(policy))
    _starpu_communication_fatal(
        "starpu_mpi_node_selection_set_current_policy(): there is no policy %d", policy);
  ThePolicies().current = policy;
  return 0;
}

}  // extern "C"
