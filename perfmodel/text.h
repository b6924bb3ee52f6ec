// SPDX-License-Identifier: Apache-2.0
// Perfmodels as StarPU's tools print them: for starpu_perfmodel_display and the functions of the
// runtime behind it. All texts end in a line break, unless they are empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perfmodel/model.h"
#include "trace/support/status.h"

namespace tasklens {

// "# performance model for cpu0_impl0 (Comb0)", the regressions, the entries (or one of them).
std::string ImplementationText(const PerfmodelImplementation& implementation,
                               std::string_view arch_name, std::optional<uint32_t> footprint);

// One parameter: a, b, c, alpha, beta; mean or stddev of the entries; path-file-debug, for which
// `debug_path` is printed. kInvalidArgument when it is none of these.
Result<std::string> ParameterText(const PerfmodelImplementation& implementation,
                                  std::string_view parameter, std::optional<uint32_t> footprint,
                                  std::string_view debug_path);

// The whole model in StarPU's XML. `symbol`: "" leaves the comment out.
std::string PerfmodelXml(const Perfmodel& model, std::string_view symbol);

}  // namespace tasklens
