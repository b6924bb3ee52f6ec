// SPDX-License-Identifier: Apache-2.0
// Values of the info "runtime" of a model for traces of StarPU. They tell writers which version's
// files to imitate.
#pragma once

#include <string_view>

namespace tasklens {

inline constexpr std::string_view kStarpu13 = "StarPU 1.3", kStarpu14 = "StarPU 1.4",
                                  kStarpuAfter14 = "StarPU after 1.4";

}  // namespace tasklens
