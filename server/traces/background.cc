// SPDX-License-Identifier: Apache-2.0
#include "server/traces/background.h"

#include <sys/resource.h>
#include <unistd.h>

namespace tasklens {

void StayInBackground() {
  constexpr int kNice = 10;  // a tenth of what others get where there is not enough
  // Where it is refused the thread works as others do.
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

}  // namespace tasklens
