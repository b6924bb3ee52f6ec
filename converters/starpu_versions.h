// SPDX-License-Identifier: Apache-2.0
// What the info "runtime" of a model says of traces of StarPU: by it writers know whose files they
// imitate.
#pragma once

#include <string_view>

namespace tasklens {

inline constexpr std::string_view kStarpu13 = "StarPU 1.3", kStarpu14 = "StarPU 1.4",
                                  kStarpuAfter14 = "StarPU after 1.4";

}  // namespace tasklens
