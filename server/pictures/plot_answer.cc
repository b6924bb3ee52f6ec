// SPDX-License-Identifier: Apache-2.0
// The table of kinds and their pictures as JSON.
#include "server/pictures/plot_answer.h"

namespace tasklens {

using nlohmann::json;

json PlotKindsAnswer() {
  json kinds = json::array();
  for (const PlotKind& kind : PlotKinds())
    kinds.push_back({{"name", kind.name},
                     {"summary", kind.summary},
                     {"by", kind.by},
                     {"codelets", kind.has_codelets}});
  return kinds;
}

Result<json> PlotAnswer(const PlotKind& kind, std::span<const PlotRun> runs,
                        const PlotOptions& options) {
  if (Status s = CheckCodelets(runs, options.codelets); !s.ok()) return s;
  const auto sheets = kind.draw(runs, options);
  // A run that has none of it is no mistake of who asks: a page says so in place of the picture.
  const bool is_missing = sheets.status().code() == ErrorCode::kNotFound;
  if (!sheets.ok() && !is_missing) return sheets.status();
  return json{{"kind", kind.name},
              {"svg", is_missing ? json() : json(PlotText(*sheets, PlotFormat::kSvg))},
              {"missing", is_missing ? json(sheets.status().message()) : json()}};
}

}  // namespace tasklens
