// SPDX-License-Identifier: Apache-2.0
// Compares the traced text with the client's, else the disk's.
#include "server/handlers/present_lines.h"

#include <fstream>
#include <iterator>

#include "server/handlers/handlers.h"

namespace tasklens {
namespace {

bool HasUnsavedChanges(const Session& session, const std::string& path) {
  const auto document = session.FindDocument(path);
  if (!document) return false;
  std::ifstream file(path, std::ios::binary);
  const std::string on_disk((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
  return on_disk != document->text.text();
}

}  // namespace

PresentLines::PresentLines(const Session& session, const OpenTrace& trace,
                           const std::string& path) {
  const auto traced = trace.texts->find(path);
  const auto text = TextOf(session, path);
  if (traced != trace.texts->end() && text.ok()) {
    map_ = LineMap::Between(*traced->second.text, (*text)->text());
    return;
  }
  const int64_t started_ns = trace.RunFacts(/*may_run_git=*/false).started_ns;
  is_older_ =
      started_ns >= 0 && (ModifiedNs(path) > started_ns || HasUnsavedChanges(session, path));
}

PresentLines::Line PresentLines::Of(uint32_t traced) const {
  if (!map_) return {traced, is_older_ ? State::kUnknown : State::kExact};
  const uint32_t line = map_->After(traced);
  if (line != LineMap::kRewritten) return {line, State::kExact};
  return {map_->Near(traced), State::kRewritten};
}

std::optional<uint32_t> PresentLines::TracedAt(uint32_t present) const {
  if (!map_) return present;
  const uint32_t line = map_->Before(present);
  if (line == LineMap::kRewritten) return std::nullopt;
  return line;
}

std::string_view PresentLines::Remark(State state) {
  switch (state) {
    case State::kExact: return "";
    case State::kRewritten: return " · the line was changed since";
    case State::kUnknown: return " · older than the file";
  }
  return "";
}

}  // namespace tasklens
