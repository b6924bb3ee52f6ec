// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/settings.h"

#include "runtime/support/environment.h"

namespace tasklens::runtime {

int Wanted(const starpu_conf& conf, std::optional<int> environment, int field) {
  const bool conf_wins = conf.precedence_over_environment_variables != 0;
  return environment && (!conf_wins || field == -1) ? *environment : field;
}

int Knob(const starpu_conf& conf, const char* variable, int field, int otherwise) {
  if (conf.precedence_over_environment_variables && field != -1) return field;
  return EnvironmentNumber(variable).value_or(field == -1 ? otherwise : field);
}

Settings::Settings(const starpu_conf& conf) {
  catch_signals = Knob(conf, "STARPU_CATCH_SIGNALS", conf.catch_signals, 1);
  // The program may have set it before starpu_init().
  profiling = EnvironmentNumber("STARPU_PROFILING").value_or(starpu_profiling_status_get()) > 0;
  count_codelets = EnvironmentNumber("STARPU_CODELET_PROFILING").value_or(1) > 0;
  limit_max_submitted =
      static_cast<uint64_t>(EnvironmentNumber("STARPU_LIMIT_MAX_SUBMITTED_TASKS").value_or(0));
  limit_min_submitted =
      static_cast<uint64_t>(EnvironmentNumber("STARPU_LIMIT_MIN_SUBMITTED_TASKS")
                                .value_or(static_cast<int>(limit_max_submitted * 3 / 4)));
  single_combined = Knob(conf, "STARPU_SINGLE_COMBINED_WORKER", conf.single_combined_worker, 0) > 0;
}

}  // namespace tasklens::runtime
