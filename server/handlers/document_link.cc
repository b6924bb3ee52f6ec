// SPDX-License-Identifier: Apache-2.0
// textDocument/documentLink: the source lines that a generated file mentions, as links.
#include "server/handlers/document_params.h"
#include "server/handlers/generated_files.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"

namespace tasklens {
namespace {

// Editors draw every link, so a file of millions of tasks gets links only at its beginning;
// definition works on every line.
constexpr size_t kMaxLinks = 5000;

Result<json> DocumentLink(const Session& session, const InDocument& params, const Call& call) {
  json links = json::array();
  const std::string path = PathOfDocument(session, params.uri);
  if (KindOf(session, path) == GeneratedKind::kNone) return links;
  const auto text = BeginningOf(session, path, call.stop());
  if (!text.ok()) return links;
  MentionLocator locator(session, path);
  for (const SourceMention& mention :
       FindMentions(**text, KindOf(session, path), session.encoding, kMaxLinks,
                    LabelsOf(session, path, call.stop()))) {
    if (call.IsCancelled()) return Cancelled();
    const Result<Named> named = locator.Locate(mention);
    if (!named.ok()) continue;
    const Location& source = named->source;
    // Clients find the line in the fragment: "#L12".
    links.push_back({{"range", ToJson(mention.range)},
                     {"target", source.uri + "#L" + std::to_string(source.range.start.line + 1)}});
  }
  return links;
}

}  // namespace

extern const RequestSpec kDocumentLinkRequest = Request<&DocumentLink>("textDocument/documentLink");

}  // namespace tasklens
