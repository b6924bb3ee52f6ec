// SPDX-License-Identifier: Apache-2.0
// The palette of the pictures.
#include "converters/writers/picture_colours.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tasklens {
namespace {

constexpr uint32_t kOthers = 0xA8A8A8;
constexpr size_t kOwnColours = 31;
constexpr uint32_t kFirst[] = {0x5B9BD5, 0xF2A33A, 0x6CBF6A, 0xE0696B, 0xA98BD0, 0x4CC3BD,
                               0xD9C84A, 0xE48CC0, 0x9C7B5F, 0x8FB4E8, 0xC4D96B, 0xB0B0C8};

// After the first, around the circle of hues by the golden angle.
uint32_t Distinct(uint32_t index) {
  if (index < std::size(kFirst)) return kFirst[index];
  const double hue = std::fmod(index * 0.618033988749895, 1) * 6;
  const double low = 0.45, high = index % 2 ? 0.9 : 0.75;
  const double part = low + (high - low) * (1 - std::fabs(std::fmod(hue, 2) - 1));
  const double shares[][3] = {{high, part, low}, {part, high, low}, {low, high, part},
                              {low, part, high}, {part, low, high}, {high, low, part}};
  uint32_t rgb = 0;
  for (const double share : shares[static_cast<size_t>(hue)])
    rgb = rgb << 8 | static_cast<uint32_t>(std::lround(share * 255));
  return rgb;
}

}  // namespace

std::vector<uint32_t> PictureRgbOfNames(const TraceModel& model) {
  const TaskTable& tasks = model.tasks;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> total_ns(model.strings.size(), -1);  // -1: no task has this name
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    int64_t& sum_ns = total_ns[tasks.name[task]];
    sum_ns = std::max<int64_t>(sum_ns, 0);
    const int64_t start_ns = tasks.start_ns[task], end_ns = tasks.end_ns[task];
    if (start_ns == kNever || end_ns == kNever || start_ns > end_ns) continue;
    sum_ns += std::min(end_ns - start_ns, kMost - sum_ns);
  }
  std::vector<StringId> names;
  for (StringId name = 0; name < total_ns.size(); ++name)
    if (total_ns[name] >= 0) names.push_back(name);
  std::stable_sort(names.begin(), names.end(),
                   [&](StringId a, StringId b) { return total_ns[a] > total_ns[b]; });
  names.resize(std::min(names.size(), kOwnColours));

  std::vector<uint32_t> rgb(model.strings.size(), kOthers);
  std::vector<bool> has_own(model.strings.size(), false);
  for (uint32_t i = 0; i < names.size(); ++i) {
    rgb[names[i]] = Distinct(i);
    has_own[names[i]] = true;
  }
  for (uint32_t task = 0; task < tasks.size(); ++task)
    if (has_own[tasks.name[task]] && tasks.rgb[task] != kNone)
      rgb[tasks.name[task]] = tasks.rgb[task] & 0xFFFFFF;
  return rgb;
}

uint32_t PictureRgbOfState(StateKind kind) {
  const StateDecl& decl = Decl(kind);
  if (decl.group != StateGroup::kOther) return decl.rgb;
  uint32_t pale = 0;
  for (const int shift : {16, 8, 0}) pale |= ((decl.rgb >> shift & 255) + 3 * 255) / 4 << shift;
  return pale;
}

}  // namespace tasklens
