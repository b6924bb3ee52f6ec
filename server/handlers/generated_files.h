// SPDX-License-Identifier: Apache-2.0
// Places of sources that generated files name: tasks.rec ("File:" and "Line:" of a record) and
// dag.dot (href="file#line").
//
// Threads: pure functions of a session.
#pragma once

#include <string>
#include <vector>

#include "server/handlers/handlers.h"
#include "server/session/session.h"

namespace tasklens {

// Whether the file's name ends as those that we and StarPU write.
bool IsGenerated(const std::string& path);

struct SourceMention {
  Range range;       // of the file's name, in the generated file
  std::string file;  // as written
  uint32_t line;     // from 1
};

// In the order of the file. At most `most` of them.
std::vector<SourceMention> FindMentions(const Text& text, PositionEncoding encoding, size_t most);

// Where a mention leads. kNotFound when there is no such file inside the workspace or a source
// root.
Result<Location> LocateMention(const Session& session, const std::string& generated,
                               const SourceMention& mention);

// What the record or node on line `line` of a generated file names.
Result<Location> SourceNamedAt(const Session& session, const std::string& path, uint32_t line);

}  // namespace tasklens
