// SPDX-License-Identifier: Apache-2.0
// The runtime for the time of a block, started as a test wants it.
#pragma once

#include <gtest/gtest.h>
#include <starpu.h>

namespace tasklens {

class Started {
 public:
  // `own`: a policy of the test's, instead of one by name. No name: what STARPU_SCHED says.
  explicit Started(int workers, const char* policy = "lws", starpu_sched_policy* own = nullptr) {
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = workers;
    conf.sched_policy_name = policy;
    conf.sched_policy = own;
    conf.precedence_over_environment_variables = 1;
    const int error = starpu_init(&conf);
    if (error != 0) ADD_FAILURE() << "starpu_init() returned " << error;
  }
  ~Started() { starpu_shutdown(); }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;
};

}  // namespace tasklens
