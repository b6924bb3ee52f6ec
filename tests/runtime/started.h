// SPDX-License-Identifier: Apache-2.0
// The runtime for the time of a block, started as a test wants it.
#pragma once

#include <gtest/gtest.h>
#include <starpu.h>

#include <regex>
#include <string>

namespace tasklens {

// Less of what the runtime says where a test captures it: that it has more workers than this
// machine has processing units, on a machine of one.
inline std::string WithoutSharing(const std::string& said) {
  static const std::regex sharing(
      "tasklens: [0-9]+ CPU workers on 1 processing units: they will share\n");
  return std::regex_replace(said, sharing, "");
}

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
