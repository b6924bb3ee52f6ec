// SPDX-License-Identifier: Apache-2.0
#include "trace/colours/colours.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace tasklens {
namespace {

constexpr uint32_t kPalette[] = {
#define COLOUR(rgb) rgb,
#include "trace/colours/palette.inc"
#undef COLOUR
};

std::string_view NameText(const TraceModel& model, StringId name) {
  return name == 0 ? "unknown" : model.str(name);
}

}  // namespace

std::span<const uint32_t> Palette() { return kPalette; }

uint32_t PaletteRgb(size_t i) { return kPalette[i % std::size(kPalette)]; }

uint32_t NameRgb(std::string_view name) {
  // FNV-1a with a final mix of its bits. The start value is one for which the usual kernel names of
  // the dense factorisations get different colours.
  uint32_t hash = 203;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return PaletteRgb(hash ^ (hash >> 15));
}

uint32_t StateRgb(StateKind state) {
  const StateDecl& decl = Decl(state);
  if (decl.group != StateGroup::kOther) return decl.rgb;
  uint32_t pale = 0;
  for (const int shift : {16, 8, 0}) pale |= ((decl.rgb >> shift & 255) + 3 * 255) / 4 << shift;
  return pale;
}

NameColours::NameColours(const TraceModel& model)
    : model_(model), own_of_(model.strings.size(), kNone), paint_of_(model.strings.size()) {
  const TaskTable& tasks = model.tasks;
  std::vector<bool> is_name(model.strings.size());
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    const StringId name = tasks.name[task];
    is_name[name] = true;
    if (tasks.rgb[task] == kNone) continue;
    has_own_ = true;
    const uint32_t rgb = tasks.rgb[task] & 0xFFFFFF;
    own_of_[name] = own_of_[name] == kNone || own_of_[name] == rgb ? rgb : kSeveral;
  }
  std::vector<StringId> names;
  for (StringId name = 0; name < is_name.size(); ++name)
    if (is_name[name]) names.push_back(name);
  std::sort(names.begin(), names.end(),
            [&](StringId a, StringId b) { return NameText(model, a) < NameText(model, b); });
  std::unordered_map<uint32_t, uint32_t> users;
  for (const StringId name : names) {
    const uint32_t rgb = IsOwn(name) ? own_of_[name] : NameRgb(NameText(model, name));
    paint_of_[name] = {rgb, std::min(users[rgb]++, kMostStripes)};
  }
}

Paint NameColours::OfTask(uint32_t task) const {
  const Paint paint = paint_of_[model_.tasks.name[task]];
  const uint32_t own = model_.tasks.rgb[task];
  return own == kNone || (own & 0xFFFFFF) == paint.rgb ? paint : Paint{own & 0xFFFFFF, 0};
}

}  // namespace tasklens
