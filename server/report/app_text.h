// SPDX-License-Identifier: Apache-2.0
// What the build made of ide-plugin/webview: one script and one style. Neither holds "</script" or
// "</style", see its BUILD.
#pragma once

#include <string_view>

namespace tasklens {

extern const std::string_view kAppScript;
extern const std::string_view kAppStyle;

}  // namespace tasklens
