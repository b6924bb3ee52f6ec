// SPDX-License-Identifier: Apache-2.0
// The web app of ide-plugin/webview as one HTML page that loads nothing.
//
// Its content security policy names the digests of the page's own script and style, so nothing
// that data could smuggle in would run, and allows no address to load from but, when it is served,
// the server's own.
#pragma once

#include <string>
#include <string_view>

namespace tasklens {

// `data` (of ReportData()) within the page.
std::string ReportPage(const std::string& data);

// Without data: it asks the server that it came from.
std::string ServedPage();

// Without data: it asks the editor around it, see ide-plugin/protocol.md. `view`: what it shows,
// "all", "graph" or "timeline".
std::string EditorPage(std::string_view view);

}  // namespace tasklens
