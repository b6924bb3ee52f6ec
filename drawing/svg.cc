// SPDX-License-Identifier: Apache-2.0
#include "drawing/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>

#include "trace/support/utf8.h"

namespace tasklens {
namespace {

// Separators between the words of a name.
constexpr std::string_view kSeparators = "_ .:-/";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
// A name cut to fewer characters is not readable.
constexpr size_t kFewestCharacters = 3;
// White text below this luminance, black above it has a contrast of at least 4.5 on every colour of
// the palette.
constexpr uint32_t kReadableInWhite = 118'000;

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// The widths of letters, as shares of the font size. Fonts differ: these are those of a wide one.
constexpr double LetterWidth(char c) {
  constexpr auto is_one_of = [](std::string_view letters, char letter) {
    return letters.find(letter) != letters.npos;
  };
  if (is_one_of("ijlI'|.,:; !", c)) return 0.33;
  if (is_one_of("frt()[]{}-/\\\"`*", c)) return 0.46;
  if (is_one_of("mwMW@%", c)) return 1;
  if (is_one_of("cksvxyzJ_", c)) return 0.57;
  return c >= 'A' && c <= 'Z' ? 0.79 : 0.64;
}
// By first byte; in a table, because a picture measures one text per task.
constexpr std::array<double, 256> kLetterWidths = [] {
  std::array<double, 256> widths{};
  for (int first = 0; first < 0x80; ++first) widths[first] = LetterWidth(static_cast<char>(first));
  for (int first = 0xC0; first < 0xE0; ++first) widths[first] = 0.7;
  // From U+0800 on: an ellipsis, or a script with wide characters. (Bytes within one add nothing.)
  for (int first = 0xE0; first < 0x100; ++first) widths[first] = 1;
  return widths;
}();

// Returns the positions where characters begin, and the end.
std::vector<size_t> Characters(std::string_view text) {
  std::vector<size_t> begins;
  for (size_t i = 0; i < text.size(); ++i)
    if (StartsCharacter(text[i])) begins.push_back(i);
  begins.push_back(text.size());
  return begins;
}

void AppendNumber(double value, std::string& text) {
  const auto tenths = static_cast<int64_t>(value * 10 + (value < 0 ? -0.5 : 0.5));
  char digits[24];
  char* end = digits;
  if (tenths < 0) *end++ = '-';
  end = std::to_chars(end, std::end(digits), std::abs(tenths) / 10).ptr;
  if (tenths % 10 != 0) {
    *end++ = '.';
    *end++ = static_cast<char>('0' + std::abs(tenths) % 10);
  }
  text.append(digits, end);
}

}  // namespace

std::string XmlText(std::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7f && c != '<' && c != '>' && c != '&' && c != '"' && c != '\'';
  });
  if (is_plain) return std::string(text);
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character first = FirstCharacter(text);
    // U+FFFE and U+FFFF are noncharacters, and XML forbids them.
    const bool is_none = first.bytes == 0 || first.code == 0xFFFE || first.code == 0xFFFF;
    const size_t bytes = is_none ? 1 : first.bytes;
    if (is_none) {
      escaped += "\xEF\xBF\xBD";
    } else if (first.code < 0x20 || first.code == 0x7f) {
      escaped += ' ';
    } else {
      switch (first.code) {
        case '<': escaped += "&lt;"; break;
        case '>': escaped += "&gt;"; break;
        case '&': escaped += "&amp;"; break;
        case '"': escaped += "&quot;"; break;
        case '\'': escaped += "&#39;"; break;
        default: escaped += text.substr(0, bytes);
      }
    }
    text.remove_prefix(bytes);
  }
  return escaped;
}

std::string SvgNumber(double value) {
  std::string text;
  AppendNumber(value, text);
  return text;
}

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

std::vector<Point> Route(const Box& from, const Box& to) {
  if (to.left() >= from.right()) {
    const double bend = (to.left() - from.right()) / 2;
    return {{from.right(), from.y},
            {from.right() + bend, from.y},
            {to.left() - bend, to.y},
            {to.left(), to.y}};
  }
  const double side = to.y >= from.y ? 1 : -1;
  const double x0 = std::clamp(to.x, from.x - from.width * 0.4, from.x + from.width * 0.4);
  const double x1 = std::clamp(from.x, to.x - to.width * 0.4, to.x + to.width * 0.4);
  const double y0 = from.y + side * from.height / 2, y1 = to.y - side * to.height / 2;
  const double bend = (y1 - y0) / 2;
  return {{x0, y0}, {x0, y0 + bend}, {x1, y1 - bend}, {x1, y1}};
}

std::string SvgCurve(std::span<const Point> points) {
  std::string path;
  for (size_t i = 0; i < points.size(); ++i) {
    path += i == 0 ? 'M' : i == 1 ? 'C' : ' ';
    AppendNumber(points[i].x, path);
    path += ',';
    AppendNumber(points[i].y, path);
  }
  return path;
}

double TextWidth(std::string_view text, double size) {
  double width = 0;
  for (const char c : text) width += kLetterWidths[static_cast<unsigned char>(c)];
  return width * size;
}

double NodeWidth(std::string_view label) {
  constexpr double kBeside = 18;
  return std::clamp(TextWidth(label, kLabelSize) + kBeside, kNarrowestNode, kWidestNode);
}

Ends EndsThatFit(std::string_view text, double room,
                 const std::function<double(std::string_view)>& width_of) {
  const std::vector<size_t> at = Characters(text);
  size_t head = 0, tail = at.size() - 1;
  const auto takes = [&](size_t i) {
    if (head == tail) return false;
    const double width = width_of(text.substr(at[i], at[i + 1] - at[i]));
    if (width > room) return false;
    room -= width;
    return true;
  };
  while (takes(head)) {
    ++head;
    if (!takes(tail - 1)) break;
    --tail;
  }
  return {text.substr(0, at[head]), text.substr(at[tail])};
}

std::string FittingText(std::string_view text, double width, double size, size_t shared) {
  const auto width_of = [&](std::string_view part) { return TextWidth(part, size); };
  const auto count = [](std::string_view part) { return Characters(part).size() - 1; };
  if (width_of(text) <= width) return XmlText(text);
  double room = width - width_of(kEllipsis);
  Ends ends;
  if (const std::string_view own = text.substr(shared); shared > 0 && !own.empty()) {
    if (width_of(own) > room) return FittingText(own, width, size);
    room -= width_of(own);
    const std::vector<size_t> at = Characters(text.substr(0, shared));
    size_t head = 0;
    while (head + 1 < at.size() &&
           (room -= width_of(text.substr(at[head], at[head + 1] - at[head]))) >= 0)
      ++head;
    if (head < kFewestCharacters) head = 0;  // too few to be readable
    ends = {text.substr(0, at[head]), own};
  } else {
    ends = EndsThatFit(text, room, width_of);
    if (count(ends.head) + count(ends.tail) < kFewestCharacters) return "";
  }
  return XmlText(ends.head) + std::string(kEllipsis) + XmlText(ends.tail);
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
    // In sorted texts, the first and the last share exactly what all share.
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

}  // namespace tasklens
