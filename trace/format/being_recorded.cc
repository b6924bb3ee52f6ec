// SPDX-License-Identifier: Apache-2.0
// Tries to take the recorder's lock.
#include "trace/format/being_recorded.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace tasklens::tlt {

bool IsBeingRecorded(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  const bool busy = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return busy;
}

}  // namespace tasklens::tlt
