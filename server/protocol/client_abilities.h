// SPDX-License-Identifier: Apache-2.0
// What the client said that it can do, in `initialize`.
//
// What a client does not announce it need not understand, so answers to it do without
// (server/handlers/fitting.h), and it is asked for nothing of the kind. Capabilities are the
// client's: what is not as the protocol says is as good as absent.
//
// Threads: a value.
#pragma once

#include <cstddef>
#include <set>

#include "server/protocol/conversion.h"
#include "server/protocol/text.h"

namespace tasklens {

struct ClientAbilities {
  ClientAbilities() = default;
  explicit ClientAbilities(const json& capabilities);

  PositionEncoding encoding = PositionEncoding::kUtf16;
  bool our_notifications = false;  // capabilities.experimental.tasklens
  // Requests that it answers.
  bool show_document = false;
  bool work_done_progress = false;
  bool code_lens_refresh = false;
  bool inlay_hint_refresh = false;
  bool apply_edit = false;
  // Forms of answers that it takes.
  bool markdown = false;              // in hovers
  bool code_action_literals = false;  // besides commands
  bool symbol_trees = false;          // of documents
  bool symbol_tags = false;           // of the workspace
  bool related_information = false;   // with diagnostics
  bool diagnostic_versions = false;
  std::set<int> document_symbol_kinds, workspace_symbol_kinds;  // the protocol's SymbolKind
  size_t most_folds = 0;                                        // of a document; 0: any number
};

// The member at a path such as "/window/showDocument/support", or null.
json Member(const json& value, const char* path);

}  // namespace tasklens
