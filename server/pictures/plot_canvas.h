// SPDX-License-Identifier: Apache-2.0
// A sheet to draw plots on, and its output as SVG, PDF or PNG.
//
// Coordinates are 1/72 inch, x to the right, y downwards. Later shapes cover earlier ones. Texts
// are UTF-8 and may come from a trace: each format escapes them. PDF supports Latin-1, PNG ASCII
// and a few other letters; other characters become '?'.
//
// Formats: SVG 1.1 (https://www.w3.org/TR/SVG11/), except for kPagePlot; PDF 1.4 with the built-in
// font Helvetica; PNG with two pixels for 1/72 inch. The same sheet yields the same bytes.
//
// Threads: a canvas is used by one thread; the functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/colours/colours.h"

namespace tasklens {

// Default colours, 0xRRGGBB. They must not be mixed by computation: intermediate colours are drawn
// with an opacity.
struct PlotTheme {
  uint32_t ground, ink, muted, grid;
};
inline constexpr PlotTheme kLightPlot = {0xFFFFFF, 0x1B1F24, 0x555C66, 0xD8DCE2};
inline constexpr PlotTheme kDarkPlot = {0x1B1F24, 0xE6E9ED, 0xA7AEB8, 0x3A414B};
// For SVG inside a page that sets the colours as CSS custom properties
// (https://www.w3.org/TR/css-variables-1/): --plot-ground, --plot-ink, --plot-muted, --plot-grid.
// So one picture serves light and dark themes.
inline constexpr PlotTheme kPagePlot = {0x1000000, 0x1000001, 0x1000002, 0x1000003};

struct PlotPoint {
  double x, y;
};

enum class TextAnchor : uint8_t { kStart, kMiddle, kEnd };

struct PlotShape {
  enum class Kind : uint8_t { kArea, kLine, kDot, kText };
  Kind kind = Kind::kArea;
  std::vector<PlotPoint> points;  // corners of an area or line; centre of a dot; position of a text
  uint32_t rgb = 0;
  double opacity = 1;
  double size = 1;   // width of a line, radius of a dot, height of a text
  std::string text;  // tooltip of an area or dot
  TextAnchor anchor = TextAnchor::kStart;
  bool is_dashed = false, is_upwards = false, is_bold = false;
};

class PlotCanvas {
 public:
  // `title`: alternative text for users who cannot see the picture.
  PlotCanvas(double width, double height, const PlotTheme& theme, std::string title);

  void Add(PlotShape shape) { shapes_.push_back(std::move(shape)); }
  void Rect(double x, double y, double width, double height, uint32_t rgb, std::string says = "",
            double opacity = 1);
  // Fills the rectangle with the stripes of `paint`.
  void Rect(double x, double y, double width, double height, const Paint& paint,
            std::string says = "");
  void Area(std::vector<PlotPoint> corners, uint32_t rgb, double opacity = 1);
  void Line(std::vector<PlotPoint> points, uint32_t rgb, double width = 1, bool is_dashed = false);
  void Dot(double x, double y, double radius, uint32_t rgb, double opacity = 1,
           std::string says = "");
  // `y` is the base line.
  void Text(double x, double y, double size, std::string text, uint32_t rgb,
            TextAnchor anchor = TextAnchor::kStart, bool is_bold = false);
  // Vertical text, read from below; `x` is the base line.
  void TextUpwards(double x, double y, double size, std::string text, uint32_t rgb);

  double width() const { return width_; }
  double height() const { return height_; }
  void set_height(double height) { height_ = height; }
  const PlotTheme& theme() const { return theme_; }
  const std::string& title() const { return title_; }
  std::span<const PlotShape> shapes() const { return shapes_; }

 private:
  double width_, height_;
  PlotTheme theme_;
  std::string title_;
  std::vector<PlotShape> shapes_;
};

// The width of a text in Helvetica; other sans serif fonts are about as wide.
double PlotTextWidth(std::string_view text, double size);
// The text if it fits, else its beginning and end with "..." between.
std::string PlotTextThatFits(std::string_view text, double width, double size);

enum class PlotFormat : uint8_t { kSvg, kPdf, kPng, kHtml };
// By the file name extension; nullopt if unknown.
std::optional<PlotFormat> PlotFormatOf(std::string_view path);
// "svg", "pdf", ...
std::optional<PlotFormat> ParsePlotFormat(std::string_view name);

// Renders the sheets: one below the other in SVG, HTML and PNG, one per page in PDF. REQUIRES: at
// least one sheet.
std::string PlotText(std::span<const PlotCanvas> sheets, PlotFormat format);

}  // namespace tasklens
