// SPDX-License-Identifier: Apache-2.0
// Parameters that several LSP requests share.
#pragma once

#include <string>

#include "server/protocol/fields.h"
#include "server/protocol/text.h"

namespace tasklens {

inline void VisitMembers(Fields& fields, Position& position) {
  fields.Required("line", position.line);
  fields.Required("character", position.column);
}
inline void VisitMembers(Fields& fields, Range& range) {
  fields.Required("start", range.start);
  fields.Required("end", range.end);
}

struct InDocument {
  std::string uri;
  void Visit(Fields& fields) { fields.Required("textDocument.uri", uri); }
};
struct AtPosition : InDocument {
  Position position;
  void Visit(Fields& fields) {
    InDocument::Visit(fields);
    fields.Required("position", position);
  }
};
struct InRange : InDocument {
  Range range;
  void Visit(Fields& fields) {
    InDocument::Visit(fields);
    fields.Required("range", range);
  }
};

}  // namespace tasklens
