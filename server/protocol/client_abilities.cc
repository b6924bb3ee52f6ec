// SPDX-License-Identifier: Apache-2.0
// Reads capabilities, with the protocol's defaults.
#include "server/protocol/client_abilities.h"

#include "server/protocol/message.h"

namespace tasklens {
namespace {

// The kinds of a client that does not list any: from File to Array.
constexpr int kFirstKind = 1, kLastOldKind = 18;

bool IsTrue(const json& value) { return value.is_boolean() && value.get<bool>(); }

PositionEncoding ChooseEncoding(const json& offered) {
  if (!offered.is_array()) return PositionEncoding::kUtf16;
  for (const json& name : offered)
    for (const PositionEncoding encoding :
         {PositionEncoding::kUtf8, PositionEncoding::kUtf16, PositionEncoding::kUtf32})
      if (name.is_string() && name == NameOf(encoding)) return encoding;
  return PositionEncoding::kUtf16;
}

// The client's favourite format is the first in its list that the server can write.
bool LikesMarkdown(const json& formats) {
  if (!formats.is_array()) return false;
  for (const json& format : formats) {
    if (format == "markdown") return true;
    if (format == "plaintext") return false;
  }
  return false;
}

std::set<int> SymbolKinds(const json& known) {
  std::set<int> kinds;
  if (!known.is_array())
    for (int kind = kFirstKind; kind <= kLastOldKind; ++kind) kinds.insert(kind);
  else
    for (const json& kind : known)
      if (kind.is_number_integer()) kinds.insert(kind.get<int>());
  return kinds;
}

}  // namespace

json Member(const json& value, const char* path) {
  const json::json_pointer pointer(path);
  return value.contains(pointer) ? value.at(pointer) : json();
}

ClientAbilities::ClientAbilities(const json& capabilities) {
  const auto member = [&](const char* path) { return Member(capabilities, path); };
  const auto has = [&](const char* path) { return IsTrue(member(path)); };
  encoding = ChooseEncoding(member("/general/positionEncodings"));
  const json ours = member("/experimental/tasklens");
  our_notifications = ours.is_object() || IsTrue(ours);
  show_document = has("/window/showDocument/support");
  work_done_progress = has("/window/workDoneProgress");
  code_lens_refresh = has("/workspace/codeLens/refreshSupport");
  inlay_hint_refresh = has("/workspace/inlayHint/refreshSupport");
  apply_edit = has("/workspace/applyEdit");
  markdown = LikesMarkdown(member("/textDocument/hover/contentFormat"));
  code_action_literals = member("/textDocument/codeAction/codeActionLiteralSupport").is_object();
  symbol_trees = has("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport");
  symbol_tags = member("/workspace/symbol/tagSupport/valueSet").is_array();
  related_information = has("/textDocument/publishDiagnostics/relatedInformation");
  diagnostic_versions = has("/textDocument/publishDiagnostics/versionSupport");
  document_symbol_kinds = SymbolKinds(member("/textDocument/documentSymbol/symbolKind/valueSet"));
  workspace_symbol_kinds = SymbolKinds(member("/workspace/symbol/symbolKind/valueSet"));
  const json folds = member("/textDocument/foldingRange/rangeLimit");
  if (folds.is_number_unsigned()) most_folds = folds.get<size_t>();
}

}  // namespace tasklens
