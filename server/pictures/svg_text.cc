// SPDX-License-Identifier: Apache-2.0
// Text, colours and legends of pictures.
#include "server/pictures/svg_text.h"

#include <fmt/format.h>

#include <iterator>

#include "converters/writers/text.h"

namespace tasklens {
namespace {

// Of a letter of a sans-serif font, as a share of its size: a wide one, as fonts differ.
constexpr double kLetterWidth = 0.62;
// Below it white, above it black has a contrast of 4.5 and more on every colour of the palette.
constexpr uint32_t kReadableInWhite = 118'000;

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

size_t CountCharacters(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += StartsCharacter(c);
  return count;
}

}  // namespace

std::string SvgHead(double width, double height, std::string_view title, std::string_view style) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
      "version=\"1.1\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
      "<title>{2}</title>\n<style>\ntext {{ font-family: sans-serif; }}\n{3}</style>\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n",
      width, height, XmlText(title), style);
}

std::string FittingText(std::string_view text, double width, double size) {
  const auto room = static_cast<size_t>(std::max(0., width / (size * kLetterWidth)));
  if (CountCharacters(text) <= room) return XmlText(text);
  if (room < 3) return "";
  size_t characters = 0, end = 0;
  while (end < text.size() && (!StartsCharacter(text[end]) || characters++ < room - 1)) ++end;
  return XmlText(text.substr(0, end)) + "\xE2\x80\xA6";
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
  return fmt::format("<path class=\"stripes\" d=\"{}\" stroke=\"{}\" pointer-events=\"none\"/>",
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
    const double takes =
        kBox + 22 + static_cast<double>(CountCharacters(entry.label)) * kSize * kLetterWidth;
    if (at > x && at + takes > x + width) {
      at = x;
      height += kRow;
    }
    const double top = y + height - kRow;
    if (!entry.is_of_many)
      fmt::format_to(std::back_inserter(out),
                     "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" "
                     "fill=\"#{:06x}\" stroke=\"#555\" stroke-width=\"0.5\"/>{}",
                     at, top, kBox, kBox, entry.rgb & 0xFFFFFF,
                     StripesSvg(entry.paint(), at, top, kBox, kBox));
    fmt::format_to(std::back_inserter(out),
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\">{}</text>\n", at + kBox + 5,
                   top + kBox - 1.5, kSize, XmlText(entry.label));
    at += takes;
  }
  return out + "</g>\n";
}

}  // namespace tasklens
