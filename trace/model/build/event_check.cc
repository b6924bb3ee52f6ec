// SPDX-License-Identifier: Apache-2.0
// Describes the place of an event.
#include "trace/model/build/event_check.h"

#include "trace/events/event_table.h"

namespace tasklens::build {
std::string Place(const Event& event) {
  std::string place = event.kind < EventKind::kCount ? std::string(Decl(event.kind).name) : "event";
  place += " of rank " + std::to_string(event.rank);
  if (event.tid != 0) place += ", thread " + std::to_string(event.tid);
  return place;
}

}  // namespace tasklens::build
