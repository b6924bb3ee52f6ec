// SPDX-License-Identifier: Apache-2.0
// Settings that are accepted without effect: cooperative sends (each send is a message of its own),
// and the tag of StarPU's own messages.
#include <starpu_mpi.h>

#include <atomic>

namespace tasklens::mpi {
namespace {

constexpr int kStarpusTag = 42;
std::atomic<int> communication_tag{kStarpusTag};

std::atomic<bool>& WantsCooperativeSends() {
  static std::atomic<bool> wants{starpu_getenv_number_default("STARPU_MPI_COOP_SENDS", 1) != 0};
  return wants;
}

}  // namespace
}  // namespace tasklens::mpi

using namespace tasklens::mpi;  // NOLINT: the definitions below are all of them short

extern "C" {

int starpu_mpi_get_communication_tag(void) { return communication_tag; }
void starpu_mpi_set_communication_tag(int tag) { communication_tag = tag; }

void starpu_mpi_coop_sends_set_use(int use) { WantsCooperativeSends() = use != 0; }
int starpu_mpi_coop_sends_get_use(void) { return WantsCooperativeSends(); }
void starpu_mpi_coop_sends_data_handle_nb_sends(starpu_data_handle_t, int) {}

}  // extern "C"
