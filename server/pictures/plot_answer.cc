// SPDX-License-Identifier: Apache-2.0
#include "server/pictures/plot_answer.h"

namespace tasklens {

std::vector<messages::PlotChoice> PlotChoices() {
  std::vector<messages::PlotChoice> choices;
  for (const PlotKind& kind : PlotKinds())
    choices.push_back({.name = std::string(kind.name),
                       .summary = std::string(kind.summary),
                       .by = {kind.by.begin(), kind.by.end()},
                       .codelets = kind.has_codelets});
  return choices;
}

Result<messages::PlotPicture> DrawPlot(const PlotKind& kind, std::span<const PlotRun> runs,
                                       const PlotOptions& options) {
  if (Status s = CheckCodelets(runs, options.codelets); !s.ok()) return s;
  const auto sheets = kind.draw(runs, options);
  // Missing data is not an error of the request: a page shows the reason in place of the picture.
  const bool is_missing = sheets.status().code() == ErrorCode::kNotFound;
  if (!sheets.ok() && !is_missing) return sheets.status();
  messages::PlotPicture picture{.kind = std::string(kind.name)};
  if (is_missing)
    picture.missing = sheets.status().message();
  else
    picture.svg = PlotText(*sheets, PlotFormat::kSvg);
  return picture;
}

}  // namespace tasklens
