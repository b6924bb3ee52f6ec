// SPDX-License-Identifier: Apache-2.0
// textDocument/documentSymbol and foldingRange: the records, nodes and definitions of generated
// files. Sources are left to the language servers of their languages.
#include "server/handlers/document_params.h"
#include "server/handlers/generated_files.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"

namespace tasklens {
namespace {

// Editors keep every symbol, so a file of millions of tasks gets symbols only for its beginning.
constexpr size_t kMaxParts = 10000;
constexpr int kSymbolKindEvent = 24;  // the protocol's number

struct Parts {
  std::shared_ptr<const Text> text;
  std::vector<GeneratedPart> parts;
};

Result<Parts> PartsOf(const Session& session, const InDocument& params, const Call& call) {
  const std::string path = PathOfDocument(session, params.uri);
  const GeneratedKind kind = KindOf(session, path);
  if (kind == GeneratedKind::kNone) return Parts{};
  const auto text = BeginningOf(session, path, call.stop());
  // An unreadable file has no symbols, like a file of an unknown kind.
  if (!text.ok()) return Parts{};
  return Parts{*text, FindParts(**text, kind, kMaxParts)};
}

Result<json> DocumentSymbol(const Session& session, const InDocument& params, const Call& call) {
  const Result<Parts> found = PartsOf(session, params, call);
  if (!found.ok()) return found.status();
  json symbols = json::array();
  for (const GeneratedPart& part : found->parts) {
    if (!part.is_symbol) continue;
    const auto columns = [&](uint32_t line) {
      return ColumnsOf(found->text->Line(line), session.encoding);
    };
    symbols.push_back(
        {{"name", part.name.empty() ? "unnamed" : part.name},
         {"detail", part.detail},
         {"kind", kSymbolKindEvent},
         {"range", ToJson(Range{{part.first, 0}, {part.last, columns(part.last)}})},
         {"selectionRange", ToJson(Range{{part.first, 0}, {part.first, columns(part.first)}})}});
  }
  return symbols;
}

Result<json> FoldingRange(const Session& session, const InDocument& params, const Call& call) {
  const Result<Parts> found = PartsOf(session, params, call);
  if (!found.ok()) return found.status();
  json ranges = json::array();
  for (const GeneratedPart& part : found->parts)
    if (part.last > part.first)
      ranges.push_back({{"startLine", part.first}, {"endLine", part.last}});
  return ranges;
}

}  // namespace

extern const RequestSpec kDocumentSymbolRequest =
    Request<&DocumentSymbol>("textDocument/documentSymbol");
extern const RequestSpec kFoldingRangeRequest = Request<&FoldingRange>("textDocument/foldingRange");

}  // namespace tasklens
