// SPDX-License-Identifier: Apache-2.0
// Parameters that several LSP requests share.
#pragma once

#include <string>

#include "server/protocol/fields.h"
#include "server/protocol/text.h"

namespace tasklens {

struct TextDocumentParams {
  std::string uri;
  void Visit(Fields& fields) { fields.Required("uri", uri); }
};
struct InDocument {
  TextDocumentParams document;
  void Visit(Fields& fields) { fields.Required("textDocument", document); }
};
struct PositionParams {
  Position position;
  void Visit(Fields& fields) {
    fields.Required("line", position.line);
    fields.Required("character", position.column);
  }
};
struct AtPosition : InDocument {
  PositionParams at;
  void Visit(Fields& fields) {
    InDocument::Visit(fields);
    fields.Required("position", at);
  }
};
struct RangeParams {
  PositionParams start, end;
  void Visit(Fields& fields) {
    fields.Required("start", start);
    fields.Required("end", end);
  }
};
struct InRange : InDocument {
  RangeParams range;
  void Visit(Fields& fields) {
    InDocument::Visit(fields);
    fields.Required("range", range);
  }
};

}  // namespace tasklens
