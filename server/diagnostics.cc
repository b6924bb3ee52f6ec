// SPDX-License-Identifier: Apache-2.0
// Publishes advice: textDocument/publishDiagnostics for each file with findings.
#include <set>

#include "server/handlers/advice_lines.h"
#include "server/handlers/client_uri.h"
#include "server/protocol/message.h"
#include "server/server.h"

namespace tasklens {

void Server::PublishAdvice(const std::string& path, bool again) {
  const FileAdvice advice = AdviceInFile(*session_, path);
  const auto document = session_->FindDocument(path);
  const std::string uri = ClientUri(*session_, path);
  json diagnostics = json::array();
  for (const AdviceLine& line : advice.lines)
    diagnostics.push_back(DiagnosticJson(line, client_.related_information));
  const std::string text = diagnostics.dump(-1, ' ', false, json::error_handler_t::replace);
  // Send nothing if the file has no findings and none were published before.
  auto& said = published_[path];
  if ((said == text && !again) || (said.empty() && diagnostics.empty())) return;
  said = text;
  json params = {{"uri", uri}, {"diagnostics", std::move(diagnostics)}};
  if (document && client_.diagnostic_versions) params["version"] = document->version;
  Notify("textDocument/publishDiagnostics", std::move(params));
}

void Server::PublishAllAdvice() {
  std::set<std::string> files;
  for (const auto& [path, said] : published_) files.insert(path);
  for (const auto& trace : session_->traces)
    for (std::string& path : trace->sources->Paths()) files.insert(std::move(path));
  for (const std::string& path : files) PublishAdvice(path);
}

}  // namespace tasklens
