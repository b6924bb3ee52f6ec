// SPDX-License-Identifier: Apache-2.0
#include "server/traces/background.h"

#include <sys/resource.h>
#include <unistd.h>

namespace tasklens {

void StayInBackground() {
  constexpr int kNice = 10;  // a tenth of the share of other threads under load
  // If this fails, the thread keeps its normal priority.
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

}  // namespace tasklens
