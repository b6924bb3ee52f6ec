// SPDX-License-Identifier: Apache-2.0
// The capabilities that the client announced in `initialize`.
//
// A client need not understand what it did not announce, so answers avoid it
// (server/handlers/fitting.h), and the server sends no such requests. Capabilities come from the
// client: a member that does not conform to the protocol counts as absent.
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
  // Requests that the client answers.
  bool show_document = false;
  bool work_done_progress = false;
  bool code_lens_refresh = false;
  bool inlay_hint_refresh = false;
  bool apply_edit = false;
  // Forms of answers that the client accepts.
  bool markdown = false;              // in hovers
  bool code_action_literals = false;  // in addition to commands
  bool symbol_trees = false;          // in answers about a document
  bool symbol_tags = false;           // in answers about the workspace
  bool related_information = false;   // with diagnostics
  bool diagnostic_versions = false;
  std::set<int> document_symbol_kinds, workspace_symbol_kinds;  // the protocol's SymbolKind
  size_t most_folds = 0;                                        // of a document; 0: any number
};

// Returns the member at a path such as "/window/showDocument/support", or null.
json Member(const json& value, const char* path);

}  // namespace tasklens
