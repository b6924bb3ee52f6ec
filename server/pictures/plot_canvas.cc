// SPDX-License-Identifier: Apache-2.0
// The shapes on a sheet, and its output as SVG and HTML.
#include "server/pictures/plot_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "drawing/svg.h"
#include "server/pictures/plot_formats.h"
#include "trace/support/printable.h"

namespace tasklens {
namespace {

// Widths of Helvetica's characters from ' ' to '~', in thousandths of the font size, from its
// metrics (Adobe's Helvetica.afm).
constexpr std::array<uint16_t, 95> kWidths = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

std::string_view AnchorName(TextAnchor anchor) {
  switch (anchor) {
    case TextAnchor::kStart: return "start";
    case TextAnchor::kMiddle: return "middle";
    case TextAnchor::kEnd: return "end";
  }
  return "";
}

// The value of an SVG attribute.
std::string ColourText(uint32_t rgb) {
  constexpr std::string_view kOfPage[] = {"ground", "ink", "muted", "grid"};
  if (rgb >= kPagePlot.ground && rgb <= kPagePlot.grid)
    return fmt::format("var(--plot-{})", kOfPage[rgb - kPagePlot.ground]);
  return fmt::format("#{:06x}", rgb);
}

// Rounds to a hundredth, for short numbers.
double Rounded(double value) { return std::round(value * 100) / 100; }

std::string PathOf(std::span<const PlotPoint> points) {
  std::string path;
  char command = 'M';
  for (const PlotPoint& point : points) {
    fmt::format_to(std::back_inserter(path), "{}{},{}", command, Rounded(point.x),
                   Rounded(point.y));
    command = 'L';
  }
  return path;
}

void PutSvg(const PlotShape& shape, double down, std::string& out) {
  const auto put = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
  };
  const std::string says =
      shape.text.empty() ? "/>" : fmt::format("><title>{}</title>", XmlText(shape.text));
  const std::string opacity =
      shape.opacity < 1 ? fmt::format(" fill-opacity=\"{:.2g}\"", shape.opacity) : "";
  const std::string colour = ColourText(shape.rgb);
  std::vector<PlotPoint> points = shape.points;
  for (PlotPoint& point : points) point.y += down;
  switch (shape.kind) {
    case PlotShape::Kind::kArea:
      put("<path d=\"{}Z\" fill=\"{}\"{}{}{}\n", PathOf(points), colour, opacity, says,
          shape.text.empty() ? "" : "</path>");
      break;
    case PlotShape::Kind::kLine:
      put("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2g}\"{}/>\n",
          PathOf(points), colour, shape.size, shape.is_dashed ? " stroke-dasharray=\"4,3\"" : "");
      break;
    case PlotShape::Kind::kDot:
      put("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2g}\" fill=\"{}\"{}{}{}\n", points[0].x,
          points[0].y, shape.size, colour, opacity, says, shape.text.empty() ? "" : "</circle>");
      break;
    case PlotShape::Kind::kText:
      put("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.3g}\" fill=\"{}\" "
          "text-anchor=\"{}\"{}{}>{}</text>\n",
          points[0].x, points[0].y, shape.size, colour,
          shape.is_upwards ? "middle" : AnchorName(shape.anchor),
          shape.is_bold ? " font-weight=\"bold\"" : "",
          shape.is_upwards
              ? fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", points[0].x, points[0].y)
              : "",
          XmlText(shape.text));
      break;
  }
}

std::string Svg(std::span<const PlotCanvas> sheets) {
  double width = 0, height = 0;
  for (const PlotCanvas& sheet : sheets) {
    width = std::max(width, sheet.width());
    height += sheet.height();
  }
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, "
      "sans-serif\">\n<title>{2}</title>\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "fill=\"{3}\"/>\n",
      width, height, XmlText(sheets.front().title()), ColourText(sheets.front().theme().ground));
  double down = 0;
  for (const PlotCanvas& sheet : sheets) {
    for (const PlotShape& shape : sheet.shapes()) PutSvg(shape, down, out);
    down += sheet.height();
  }
  return out + "</svg>\n";
}

constexpr std::pair<std::string_view, PlotFormat> kFormats[] = {{"svg", PlotFormat::kSvg},
                                                                {"pdf", PlotFormat::kPdf},
                                                                {"png", PlotFormat::kPng},
                                                                {"html", PlotFormat::kHtml}};

}  // namespace

PlotCanvas::PlotCanvas(double width, double height, const PlotTheme& theme, std::string title)
    : width_(width), height_(height), theme_(theme), title_(std::move(title)) {}

void PlotCanvas::Rect(double x, double y, double width, double height, uint32_t rgb,
                      std::string says, double opacity) {
  Add({.points = {{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}},
       .rgb = rgb,
       .opacity = opacity,
       .text = std::move(says)});
}

void PlotCanvas::Rect(double x, double y, double width, double height, const Paint& paint,
                      std::string says) {
  Rect(x, y, width, height, paint.rgb, std::move(says));
  constexpr double kFirst = 2, kStep = 3;  // of stripes, as in all pictures
  if (width < 2 || height < kFirst + kStep * paint.stripes) return;
  const uint32_t stripe = TextColour(paint.rgb) == "#fff" ? 0xFFFFFF : 0x000000;
  for (uint32_t i = 0; i < paint.stripes; ++i) {
    const double at = y + kFirst + kStep * i + 0.5;
    Line({{x, at}, {x + width, at}}, stripe, 0.8);
  }
}

void PlotCanvas::Area(std::vector<PlotPoint> corners, uint32_t rgb, double opacity) {
  Add({.points = std::move(corners), .rgb = rgb, .opacity = opacity});
}

void PlotCanvas::Line(std::vector<PlotPoint> points, uint32_t rgb, double width, bool is_dashed) {
  Add({.kind = PlotShape::Kind::kLine,
       .points = std::move(points),
       .rgb = rgb,
       .size = width,
       .is_dashed = is_dashed});
}

void PlotCanvas::Dot(double x, double y, double radius, uint32_t rgb, double opacity,
                     std::string says) {
  Add({.kind = PlotShape::Kind::kDot,
       .points = {{x, y}},
       .rgb = rgb,
       .opacity = opacity,
       .size = radius,
       .text = std::move(says)});
}

void PlotCanvas::Text(double x, double y, double size, std::string text, uint32_t rgb,
                      TextAnchor anchor, bool is_bold) {
  Add({.kind = PlotShape::Kind::kText,
       .points = {{x, y}},
       .rgb = rgb,
       .size = size,
       .text = Printable(text),
       .anchor = anchor,
       .is_bold = is_bold});
}

void PlotCanvas::TextUpwards(double x, double y, double size, std::string text, uint32_t rgb) {
  Text(x, y, size, std::move(text), rgb, TextAnchor::kMiddle);
  shapes_.back().is_upwards = true;
}

double PlotTextWidth(std::string_view text, double size) {
  uint64_t width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte <= '~') {
      width += kWidths[byte - ' '];
    } else if ((byte & 0xC0) != 0x80) {  // first byte of another character
      width += byte >= 0xE0 ? 1000 : 556;
    }
  }
  return static_cast<double>(width) * size / 1000;
}

std::string PlotTextThatFits(std::string_view text, double width, double size) {
  if (PlotTextWidth(text, size) <= width) return std::string(text);
  constexpr std::string_view kDots = "...";
  const auto width_of = [&](std::string_view part) { return PlotTextWidth(part, size); };
  const auto [head, tail] = EndsThatFit(text, width - width_of(kDots), width_of);
  return std::string(head).append(kDots).append(tail);
}

std::optional<PlotFormat> ParsePlotFormat(std::string_view name) {
  for (const auto& [known, format] : kFormats)
    if (known == name) return format;
  return std::nullopt;
}

std::optional<PlotFormat> PlotFormatOf(std::string_view path) {
  const size_t point = path.rfind('.');
  return point == path.npos ? std::nullopt : ParsePlotFormat(path.substr(point + 1));
}

std::string PlotText(std::span<const PlotCanvas> sheets, PlotFormat format) {
  switch (format) {
    case PlotFormat::kSvg: return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + Svg(sheets);
    case PlotFormat::kPdf: return PlotPdf(sheets);
    case PlotFormat::kPng: return PlotPng(sheets);
    case PlotFormat::kHtml: break;
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n"
      "<style>body {{ margin: 0; background: #{:06x}; }} svg {{ max-width: 100%; height: auto; "
      "display: block; margin: 0 auto; }}</style></head><body>\n{}</body></html>\n",
      XmlText(sheets.front().title()), sheets.front().theme().ground, Svg(sheets));
}

}  // namespace tasklens
