// SPDX-License-Identifier: Apache-2.0
// Rasterizes sheets (PNG, ISO 15948) with antialiasing: every shape becomes polygons, and the
// opacity in a pixel is the area that a polygon covers.
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "server/pictures/plot_formats.h"
#include "server/pictures/plot_letters.h"

namespace tasklens {
namespace {

constexpr double kScale = 2;  // pixels for 1/72 inch
constexpr int kSubLines = 4;  // vertical samples per pixel; horizontally the cover is exact

using Points = std::vector<PlotPoint>;

class Pixels {
 public:
  Pixels(size_t width, size_t height) : width_(width), height_(height), rgb_(3 * width * height) {}

  size_t width() const { return width_; }
  size_t height() const { return height_; }
  const uint8_t* Row(size_t y) const { return rgb_.data() + 3 * width_ * y; }

  // Fills polygons of one colour that may overlap, by winding number, so that no pixel is painted
  // twice.
  void Fill(const std::vector<Points>& polygons, uint32_t rgb, double opacity) {
    double top = 1e9, bottom = -1e9;
    edges_.clear();
    for (const Points& points : polygons)
      for (size_t i = 0; i < points.size(); ++i) {
        PlotPoint a = points[i], b = points[(i + 1) % points.size()];
        const int winding = a.y < b.y ? 1 : -1;
        if (a.y > b.y) std::swap(a, b);
        top = std::min(top, a.y);
        bottom = std::max(bottom, b.y);
        if (a.y < b.y) edges_.push_back({a, b, winding});
      }
    std::sort(edges_.begin(), edges_.end(),
              [](const Edge& a, const Edge& b) { return a.a.y < b.a.y; });
    const auto first = static_cast<int64_t>(std::floor(std::max(top, 0.)));
    const int64_t last =
        std::min<int64_t>(static_cast<int64_t>(std::ceil(bottom)), static_cast<int64_t>(height_));
    size_t next = 0;
    active_.clear();
    for (int64_t y = first; y < last; ++y) {
      cover_.assign(width_, 0);
      while (next < edges_.size() && edges_[next].a.y < static_cast<double>(y + 1))
        active_.push_back(next++);
      std::erase_if(active_,
                    [&](size_t edge) { return edges_[edge].b.y <= static_cast<double>(y); });
      for (int line = 0; line < kSubLines; ++line)
        CoverLine(static_cast<double>(y) + (line + 0.5) / kSubLines);
      Mix(static_cast<size_t>(y), rgb, opacity);
    }
  }

 private:
  struct Edge {
    PlotPoint a, b;  // a above b
    int winding;
  };
  struct Crossing {
    double x;
    int winding;
  };

  void CoverLine(double y) {
    crossings_.clear();
    for (const size_t i : active_) {
      const Edge& edge = edges_[i];
      if (edge.a.y <= y && y < edge.b.y)
        crossings_.push_back(
            {edge.a.x + (edge.b.x - edge.a.x) * (y - edge.a.y) / (edge.b.y - edge.a.y),
             edge.winding});
    }
    std::sort(crossings_.begin(), crossings_.end(),
              [](const Crossing& a, const Crossing& b) { return a.x < b.x; });
    int winding = 0;
    for (size_t i = 0; i + 1 < crossings_.size(); ++i) {
      winding += crossings_[i].winding;
      if (winding != 0) CoverSpan(crossings_[i].x, crossings_[i + 1].x);
    }
  }

  void CoverSpan(double from, double to) {
    from = std::max(from, 0.);
    to = std::min(to, static_cast<double>(width_));
    if (from >= to) return;
    for (auto x = static_cast<size_t>(from); x < width_ && static_cast<double>(x) < to; ++x) {
      const double left = static_cast<double>(x);
      cover_[x] += (std::min(to, left + 1) - std::max(from, left)) / kSubLines;
    }
  }

  void Mix(size_t y, uint32_t rgb, double opacity) {
    for (size_t x = 0; x < width_; ++x) {
      if (cover_[x] <= 0) continue;
      const double share = std::min(cover_[x], 1.) * opacity;
      uint8_t* pixel = rgb_.data() + 3 * (width_ * y + x);
      for (int i = 0; i < 3; ++i)
        pixel[i] = static_cast<uint8_t>(
            std::lround(pixel[i] * (1 - share) + (rgb >> (16 - 8 * i) & 255) * share));
    }
  }

  size_t width_, height_;
  std::vector<uint8_t> rgb_;
  std::vector<Edge> edges_;
  std::vector<size_t> active_;
  std::vector<Crossing> crossings_;
  std::vector<double> cover_;
};

// A stroke from a to b, `width` wide, and longer by `longer` at both ends to close corners.
Points Stroke(PlotPoint a, PlotPoint b, double width, double longer) {
  double dx = b.x - a.x, dy = b.y - a.y;
  const double length = std::hypot(dx, dy);
  if (length == 0) {
    dx = 1;
    dy = 0;
  } else {
    dx /= length;
    dy /= length;
  }
  const double half = width / 2;
  a = {a.x - dx * longer, a.y - dy * longer};
  b = {b.x + dx * longer, b.y + dy * longer};
  return {{a.x - dy * half, a.y + dx * half},
          {b.x - dy * half, b.y + dx * half},
          {b.x + dy * half, b.y - dx * half},
          {a.x + dy * half, a.y - dx * half}};
}

void AddDashes(PlotPoint a, PlotPoint b, double width, std::vector<Points>& strokes) {
  const double on = 4 * kScale, off = 3 * kScale, length = std::hypot(b.x - a.x, b.y - a.y);
  for (double at = 0; at < length; at += on + off) {
    const double from = at / length, to = std::min(at + on, length) / length;
    strokes.push_back(Stroke({a.x + (b.x - a.x) * from, a.y + (b.y - a.y) * from},
                             {a.x + (b.x - a.x) * to, a.y + (b.y - a.y) * to}, width, 0));
  }
}

// The letters of a text; '?' for characters without a letter.
std::vector<const PlotLetter*> LettersOf(std::string_view text) {
  std::vector<const PlotLetter*> letters;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= ' ' && byte <= '~') {
      letters.push_back(&kPlotLetters[byte - ' ']);
    } else if (text.substr(i, 2) == "\xC2\xB5") {
      letters.push_back(&kPlotMicro);
    } else if (text.substr(i, 2) == "\xC3\x97") {
      letters.push_back(&kPlotTimes);
    } else if ((byte & 0xC0) != 0x80) {
      letters.push_back(&kPlotLetters['?' - ' ']);
    }
  }
  return letters;
}

std::vector<Points> TextStrokes(const PlotShape& shape, double down) {
  const double unit = shape.size * 0.72 / kPlotLetterRows * kScale;
  const std::vector<const PlotLetter*> letters = LettersOf(shape.text);
  double columns = 0;
  for (const PlotLetter* letter : letters) columns += letter->width + 1.2;
  // As wide as the other formats assume, so that texts do not run into their neighbours.
  const double across =
      columns > 0 ? PlotTextWidth(shape.text, shape.size) * kScale / columns : unit;
  double at = 0;
  if (shape.is_upwards || shape.anchor == TextAnchor::kMiddle) at = -columns / 2;
  if (!shape.is_upwards && shape.anchor == TextAnchor::kEnd) at = -columns;
  const PlotPoint origin = {shape.points[0].x * kScale, (shape.points[0].y + down) * kScale};
  const double width = unit * (shape.is_bold ? 1.7 : 1.15);
  std::vector<Points> strokes;
  for (const PlotLetter* letter : letters) {
    const auto point = [&](size_t i) {
      const double x = (at + letter->strokes[i] - '0') * across;
      const double y = (letter->strokes[i + 1] - 'j') * unit;
      return shape.is_upwards ? PlotPoint{origin.x + y, origin.y - x}
                              : PlotPoint{origin.x + x, origin.y + y};
    };
    for (size_t i = 0; i + 3 < letter->strokes.size(); i += 2) {
      if (letter->strokes[i + 2] == ' ') {
        ++i;  // skip to the next stroke
        continue;
      }
      strokes.push_back(Stroke(point(i), point(i + 2), width, width / 2));
    }
    at += letter->width + 1.2;
  }
  return strokes;
}

void Draw(const PlotShape& shape, double down, Pixels& pixels) {
  const auto pixel = [&](const PlotPoint& point) {
    return PlotPoint{point.x * kScale, (point.y + down) * kScale};
  };
  std::vector<Points> polygons;
  switch (shape.kind) {
    case PlotShape::Kind::kArea:
      polygons.emplace_back();
      for (const PlotPoint& point : shape.points) polygons.back().push_back(pixel(point));
      break;
    case PlotShape::Kind::kLine:
      for (size_t i = 0; i + 1 < shape.points.size(); ++i) {
        const PlotPoint a = pixel(shape.points[i]), b = pixel(shape.points[i + 1]);
        if (shape.is_dashed)
          AddDashes(a, b, shape.size * kScale, polygons);
        else
          polygons.push_back(Stroke(a, b, shape.size * kScale, 0));
      }
      break;
    case PlotShape::Kind::kDot: {
      constexpr int kCorners = 20;
      const PlotPoint middle = pixel(shape.points[0]);
      polygons.emplace_back();
      for (int i = 0; i < kCorners; ++i) {
        const double angle = 2 * std::numbers::pi * i / kCorners;
        polygons.back().push_back({middle.x + shape.size * kScale * std::cos(angle),
                                   middle.y + shape.size * kScale * std::sin(angle)});
      }
      break;
    }
    case PlotShape::Kind::kText: polygons = TextStrokes(shape, down); break;
  }
  pixels.Fill(polygons, shape.rgb, shape.opacity);
}

void PutBigEndian(uint32_t value, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

void PutChunk(std::string_view name, std::string_view bytes, std::string& out) {
  PutBigEndian(static_cast<uint32_t>(bytes.size()), out);
  const size_t begin = out.size();
  out += name;
  out += bytes;
  PutBigEndian(static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(out.data()) + begin,
                                           static_cast<uInt>(out.size() - begin))),
               out);
}

std::string Encoded(const Pixels& pixels) {
  std::string head, lines;
  PutBigEndian(static_cast<uint32_t>(pixels.width()), head);
  PutBigEndian(static_cast<uint32_t>(pixels.height()), head);
  head += std::string("\x08\x02\0\0\0", 5);  // 8 bits each of red, green and blue
  for (size_t y = 0; y < pixels.height(); ++y) {
    lines += '\0';  // no filter
    lines.append(reinterpret_cast<const char*>(pixels.Row(y)), 3 * pixels.width());
  }
  uLongf size = compressBound(static_cast<uLong>(lines.size()));
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
            reinterpret_cast<const Bytef*>(lines.data()), static_cast<uLong>(lines.size()), 6);
  packed.resize(size);
  std::string out = "\x89PNG\r\n\x1A\n", density;
  PutChunk("IHDR", head, out);
  constexpr auto kPixelsPerMetre = static_cast<uint32_t>(72 * kScale / 0.0254 + 0.5);
  PutBigEndian(kPixelsPerMetre, density);
  PutBigEndian(kPixelsPerMetre, density);
  PutChunk("pHYs", density + '\x01', out);
  PutChunk("IDAT", packed, out);
  PutChunk("IEND", "", out);
  return out;
}

}  // namespace

std::string PlotPng(std::span<const PlotCanvas> sheets) {
  double width = 0, height = 0;
  for (const PlotCanvas& sheet : sheets) {
    width = std::max(width, sheet.width());
    height += sheet.height();
  }
  Pixels pixels(static_cast<size_t>(std::ceil(width * kScale)),
                static_cast<size_t>(std::ceil(height * kScale)));
  const auto right = static_cast<double>(pixels.width()),
             bottom = static_cast<double>(pixels.height());
  pixels.Fill({{{0, 0}, {right, 0}, {right, bottom}, {0, bottom}}}, sheets.front().theme().ground,
              1);
  double down = 0;
  for (const PlotCanvas& sheet : sheets) {
    for (const PlotShape& shape : sheet.shapes()) Draw(shape, down, pixels);
    down += sheet.height();
  }
  return Encoded(pixels);
}

}  // namespace tasklens
