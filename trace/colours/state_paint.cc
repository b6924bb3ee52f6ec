// SPDX-License-Identifier: Apache-2.0
#include "trace/colours/state_paint.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace tasklens {
namespace {

// The limit is large because most of these colours are dark, and dark ones look alike.
constexpr int kNear = 26;

bool AreNear(uint32_t a, uint32_t b) {
  for (const int shift : {16, 8, 0})
    if (std::abs(static_cast<int>(a >> shift & 255) - static_cast<int>(b >> shift & 255)) > kNear)
      return false;
  return true;
}

std::vector<Paint> MakePaints() {
  std::vector<Paint> paints;
  for (const StateDecl& decl : AllStates()) {
    const Paint plain{StateRgb(decl.kind), 0};
    std::array<int, kMostStripes + 1> users{};
    for (size_t before = 0; before < paints.size(); ++before)
      if (AllStates()[before].group != StateGroup::kTask && AreNear(paints[before].rgb, plain.rgb))
        ++users[paints[before].stripes];
    const auto fewest = std::min_element(users.begin(), users.end());
    const auto stripes = static_cast<uint32_t>(fewest - users.begin());
    paints.push_back(decl.group == StateGroup::kTask ? plain : Paint{plain.rgb, stripes});
  }
  return paints;
}

}  // namespace

Paint StatePaint(StateKind state) {
  static const std::vector<Paint> paints = MakePaints();
  return paints[static_cast<size_t>(state)];
}

}  // namespace tasklens
