// SPDX-License-Identifier: Apache-2.0
// Perfmodels as StarPU's tools print them: for starpu_perfmodel_display and the functions of the
// runtime behind it. All texts end in a line break, unless they are empty.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "perfmodel/model.h"
#include "trace/support/status.h"

namespace tasklens {

// "# performance model for cpu0_impl0 (Comb0)", the regressions, the entries (or one of them).
std::string ImplementationText(const PerfmodelImplementation& implementation,
                               std::string_view arch_name, std::optional<uint32_t> footprint);

// One parameter: a, b, c, alpha, beta; mean or stddev of the entries (StarPU 1.3 prints the first
// stddev only); path-file-debug, for which `debug_path` is printed. kInvalidArgument when it is
// none of these.
Result<std::string> ParameterText(const PerfmodelImplementation& implementation,
                                  std::string_view parameter, std::optional<uint32_t> footprint,
                                  std::string_view debug_path);

// Which combinations "cpu", "cpu:4" (cores), "cuda", "cuda1" or "cuda_1" name; "": all of them.
// kInvalidArgument when it is none of these.
using CombinationFilter = std::function<bool(const PerfmodelCombination&)>;
Result<CombinationFilter> ArchFilter(const std::string& arch);

// What is wanted of a model: ImplementationText() of all that the filter lets through, or (where
// `parameter` is not "") ParameterText(). `debug_path`: for its path-file-debug, what stands before
// "ARCH.debug". kNotFound, in front of which `name` stands, where nothing is let through.
struct ModelSelection {
  std::string symbol;
  std::string parameter;
  std::string arch;
  std::optional<uint32_t> footprint;
  bool as_xml = false;
};
Result<std::string> ModelText(const Perfmodel& model, const ModelSelection& selection,
                              const std::string& debug_path, const std::string& name);
// The combinations, each with its devices.
std::string CombinationsText(const Perfmodel& model, std::string_view symbol);

// The whole model in StarPU's XML, which has cores of CPUs only. `symbol`: "" leaves the comment
// out.
std::string PerfmodelXml(const Perfmodel& model, std::string_view symbol);

}  // namespace tasklens
