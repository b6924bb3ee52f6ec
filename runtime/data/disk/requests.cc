// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/disk/requests.h"

#include <utility>

namespace tasklens::runtime {

void DiskRequests::End(const Request& one) {
  have_failed_ = have_failed_ || HasFolderRequestFailed(one.ops, one.request);
  one.ops->free_request(one.request);
}

bool DiskRequests::AreDone() {
  std::erase_if(requests_, [this](const Request& one) {
    if (!one.ops->test_request(one.request)) return false;
    End(one);
    return true;
  });
  return requests_.empty();
}

void DiskRequests::Wait() {
  for (const Request& one : std::exchange(requests_, {})) {
    one.ops->wait_request(one.request);
    End(one);
  }
}

}  // namespace tasklens::runtime
