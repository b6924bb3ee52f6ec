// SPDX-License-Identifier: Apache-2.0
// Text, colours and legends of pictures.
#include "server/pictures/svg_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "converters/writers/text.h"

namespace tasklens {
namespace {

// Between words of a name.
constexpr std::string_view kSeparators = "_ .:-/";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
// A name cut to fewer characters says nothing.
constexpr size_t kFewestCharacters = 3;
// Below it white, above it black has a contrast of 4.5 and more on every colour
// of the palette.
constexpr uint32_t kReadableInWhite = 118'000;

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// The widths of letters, as shares of the size. Fonts differ: these are those
// of a wide one.
double LetterWidth(unsigned char first) {
  constexpr auto is_one_of = [](std::string_view letters, char c) {
    return letters.find(c) != letters.npos;
  };
  const char c = static_cast<char>(first);
  if (first >= 0xE0) return 1;  // from U+0800 on: an ellipsis, or a script with wide characters
  if (first >= 0x80) return 0.7;
  if (is_one_of("ijlI'|.,:; !", c)) return 0.33;
  if (is_one_of("frt()[]{}-/\\\"`*", c)) return 0.46;
  if (is_one_of("mwMW@%", c)) return 1;
  if (is_one_of("cksvxyzJ_", c)) return 0.57;
  return c >= 'A' && c <= 'Z' ? 0.79 : 0.64;
}

// The places where characters begin, and the end.
std::vector<size_t> Characters(std::string_view text) {
  std::vector<size_t> begins;
  for (size_t i = 0; i < text.size(); ++i)
    if (StartsCharacter(text[i])) begins.push_back(i);
  begins.push_back(text.size());
  return begins;
}

}  // namespace

std::string SvgHead(double width, double height, std::string_view title, std::string_view style) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
      "version=\"1.1\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
      "{0:.0f} {1:.0f}\">\n"
      "<title>{2}</title>\n<style>\ntext {{ font-family: sans-serif; "
      "}}\n{3}</style>\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n",
      width, height, XmlText(title), style);
}

double TextWidth(std::string_view text, double size) {
  double width = 0;
  for (const char c : text)
    if (StartsCharacter(c)) width += LetterWidth(static_cast<unsigned char>(c));
  return width * size;
}

std::string FittingText(std::string_view text, double width, double size, size_t shared) {
  if (TextWidth(text, size) <= width) return XmlText(text);
  double room = width - TextWidth(kEllipsis, size);
  const std::vector<size_t> at = Characters(text);
  // Kept are the characters before `head` and those from `tail` on.
  size_t head = 0, tail = at.size() - 1;
  const auto width_of = [&](size_t i) {
    return TextWidth(text.substr(at[i], at[i + 1] - at[i]), size);
  };
  const auto take_head = [&] {
    if (head == tail || width_of(head) > room) return false;
    room -= width_of(head++);
    return true;
  };
  const auto take_tail = [&] {
    if (head == tail || width_of(tail - 1) > room) return false;
    room -= width_of(--tail);
    return true;
  };
  const std::string_view own = text.substr(shared);
  if (shared > 0 && !own.empty() && TextWidth(own, size) <= room) {
    room -= TextWidth(own, size);
    while (at[tail] > shared) --tail;
    while (take_head()) {
    }
    if (head < kFewestCharacters) head = 0;  // too few to be read
    return XmlText(text.substr(0, at[head])) + std::string(kEllipsis) + XmlText(own);
  }
  if (shared > 0 && !own.empty()) return FittingText(own, width, size, 0);
  while (take_head() && take_tail()) {
  }
  if (head + (at.size() - 1 - tail) < kFewestCharacters) return "";
  return XmlText(text.substr(0, at[head])) + std::string(kEllipsis) +
         XmlText(text.substr(at[tail]));
}

SharedBeginnings::SharedBeginnings(std::vector<std::string_view> labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  const auto first_word = [](std::string_view label) {
    return label.substr(0, std::min(label.find_first_of(kSeparators), label.size() - 1) + 1);
  };
  for (size_t begin = 0, end; begin < labels.size(); begin = end) {
    if (labels[begin].empty()) {
      end = begin + 1;
      continue;
    }
    const std::string_view word = first_word(labels[begin]);
    for (end = begin + 1; end < labels.size() && labels[end].starts_with(word);) ++end;
    // Of sorted texts the first and the last have what all have.
    const std::string_view first = labels[begin], last = labels[end - 1];
    const auto same =
        std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first - first.begin();
    const size_t separator = first.substr(0, static_cast<size_t>(same)).find_last_of(kSeparators);
    if (end == begin + 1 || separator == first.npos) continue;
    for (size_t i = begin; i < end; ++i) length_of_[labels[i]] = separator + 1;
  }
}

size_t SharedBeginnings::LengthOf(std::string_view label) const {
  const auto found = length_of_.find(label);
  return found == length_of_.end() ? 0 : found->second;
}

std::string_view TextColour(uint32_t rgb) {
  const uint32_t luminance = 299 * (rgb >> 16 & 255) + 587 * (rgb >> 8 & 255) + 114 * (rgb & 255);
  return luminance < kReadableInWhite ? "#fff" : "#000";
}

std::string StripesSvg(const Paint& paint, double x, double y, double width, double height) {
  constexpr double kFirst = 2, kStep = 3;  // as in the web app
  if (paint.stripes == 0 || width < 2 || height < kFirst + kStep * paint.stripes) return "";
  std::string path;
  for (uint32_t i = 0; i < paint.stripes; ++i)
    fmt::format_to(std::back_inserter(path), "M{:.1f},{:.1f}h{:.1f}", x,
                   y + kFirst + kStep * i + 0.5, width);
  return fmt::format(
      "<path class=\"stripes\" d=\"{}\" stroke=\"{}\" "
      "stroke-opacity=\"0.6\" pointer-events=\"none\"/>",
      path, TextColour(paint.rgb));
}

std::string LegendSvg(const Legend& legend, const std::vector<bool>& used, double x, double y,
                      double width, double& height) {
  constexpr double kRow = 18, kBox = 11, kSize = 11;
  std::string out = "<g class=\"legend\">\n";
  double at = x;
  height = kRow;
  for (size_t i = 0; i < legend.entries.size(); ++i) {
    if (i >= used.size() || !used[i]) continue;
    const LegendEntry& entry = legend.entries[i];
    const double takes = kBox + 22 + TextWidth(entry.label, kSize);
    if (at > x && at + takes > x + width) {
      at = x;
      height += kRow;
    }
    const double top = y + height - kRow;
    // What stands for many colours shows some.
    if (entry.is_of_many)
      for (size_t band = 0; band < 3; ++band)
        fmt::format_to(std::back_inserter(out),
                       "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" "
                       "fill=\"#{:06x}\"/>",
                       at + kBox / 3 * static_cast<double>(band), top, kBox / 3, kBox,
                       PaletteRgb(band));
    fmt::format_to(std::back_inserter(out),
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" "
                   "fill=\"{}\" stroke=\"#555\" stroke-width=\"0.5\"/>{}",
                   at, top, kBox, kBox,
                   entry.is_of_many ? "none" : fmt::format("#{:06x}", entry.rgb & 0xFFFFFF),
                   StripesSvg(entry.paint(), at, top, kBox, kBox));
    fmt::format_to(std::back_inserter(out),
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\">{}</text>\n", at + kBox + 5,
                   top + kBox - 1.5, kSize, XmlText(entry.label));
    at += takes;
  }
  return out + "</g>\n";
}

}  // namespace tasklens
