// SPDX-License-Identifier: Apache-2.0
// The web app of ide-plugin/webview as one HTML page that loads nothing else.
//
// The content security policy of the page permits only its own script and style, by their digests,
// so that no script injected through the data can run. A page permits no other address, but a page
// that the server serves may contact that server.
#pragma once

#include <string>
#include <string_view>

namespace tasklens {

// The page with `data` (of ReportData()).
std::string ReportPage(const std::string& data);

// A page without data, which requests data from the server that it came from.
std::string ServedPage();

// A page without data, which requests data from the editor that embeds it; see
// ide-plugin/protocol.md. `view`: "all", "graph" or "timeline".
std::string EditorPage(std::string_view view);

}  // namespace tasklens
