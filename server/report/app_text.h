// SPDX-License-Identifier: Apache-2.0
// The web app that is built from ide-plugin/webview: one script and one style sheet. Neither
// contains "</script" or "</style"; see its BUILD.
#pragma once

#include <string_view>

namespace tasklens {

extern const std::string_view kAppScript;
extern const std::string_view kAppStyle;

}  // namespace tasklens
