// SPDX-License-Identifier: Apache-2.0
// Sheets as pages of a PDF 1.4 document (ISO 32000-1), with the built-in font Helvetica in
// WinAnsiEncoding and compressed contents (FlateDecode).
#include <fmt/format.h>
#include <zlib.h>

#include <cmath>
#include <iterator>
#include <set>
#include <vector>

#include "server/pictures/plot_formats.h"

namespace tasklens {
namespace {

// Encodes a text in WinAnsiEncoding, which equals Latin-1 for these characters; others become '?'.
std::string Latin1(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      out += text[i];
    } else if ((byte == 0xC2 || byte == 0xC3) && i + 1 < text.size()) {
      out += static_cast<char>((byte & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3F));
    } else if ((byte & 0xC0) != 0x80) {
      out += '?';
    }
  }
  return out;
}

std::string PdfString(std::string_view text) {
  std::string out = "(";
  for (const char c : Latin1(text)) {
    if (c == '(' || c == ')' || c == '\\') out += '\\';
    out += c;
  }
  return out + ")";
}

std::string Colour(uint32_t rgb, std::string_view what) {
  return fmt::format("{:.3g} {:.3g} {:.3g} {}\n", (rgb >> 16 & 255) / 255., (rgb >> 8 & 255) / 255.,
                     (rgb & 255) / 255., what);
}

// Opacities are rounded to a twentieth; each is a graphics state in the resources.
int OpacityStep(double opacity) {
  return static_cast<int>(std::lround(std::min(std::max(opacity, 0.), 1.) * 20));
}

class Page {
 public:
  explicit Page(const PlotCanvas& sheet) : sheet_(sheet) {}

  std::string Content(std::set<int>& opacities) {
    out_ = Colour(sheet_.theme().ground, "rg") +
           fmt::format("0 0 {:.2f} {:.2f} re f\n", sheet_.width(), sheet_.height());
    for (const PlotShape& shape : sheet_.shapes()) {
      const int step = OpacityStep(shape.opacity);
      opacities.insert(step);
      if (step != step_) fmt::format_to(std::back_inserter(out_), "/O{} gs\n", step_ = step);
      Put(shape);
    }
    return std::move(out_);
  }

 private:
  double Up(double y) const { return sheet_.height() - y; }

  void Path(const PlotShape& shape) {
    char command = 'm';
    for (const PlotPoint& point : shape.points) {
      fmt::format_to(std::back_inserter(out_), "{:.2f} {:.2f} {}\n", point.x, Up(point.y), command);
      command = 'l';
    }
  }

  void Put(const PlotShape& shape) {
    const double x = shape.points[0].x, y = Up(shape.points[0].y);
    switch (shape.kind) {
      case PlotShape::Kind::kArea:
        out_ += Colour(shape.rgb, "rg");
        Path(shape);
        out_ += "f\n";
        break;
      case PlotShape::Kind::kLine:
        out_ += Colour(shape.rgb, "RG");
        fmt::format_to(std::back_inserter(out_), "{:.2f} w {} 0 d\n", shape.size,
                       shape.is_dashed ? "[4 3]" : "[]");
        Path(shape);
        out_ += "S\n";
        break;
      case PlotShape::Kind::kDot:
        // A line of length 0 with round ends is a disc.
        out_ += Colour(shape.rgb, "RG");
        fmt::format_to(std::back_inserter(out_),
                       "q {0:.2f} w [] 0 d 1 J {1:.2f} {2:.2f} m {1:.2f} "
                       "{2:.2f} l S Q\n",
                       2 * shape.size, x, y);
        break;
      case PlotShape::Kind::kText: PutText(shape, x, y); break;
    }
  }

  void PutText(const PlotShape& shape, double x, double y) {
    const double width = PlotTextWidth(shape.text, shape.size);
    const double before = shape.is_upwards || shape.anchor == TextAnchor::kMiddle ? width / 2
                          : shape.anchor == TextAnchor::kEnd                      ? width
                                                                                  : 0;
    out_ += Colour(shape.rgb, "rg");
    fmt::format_to(std::back_inserter(out_), "BT /{} {:.2f} Tf ", shape.is_bold ? "B" : "F",
                   shape.size);
    if (shape.is_upwards) {
      fmt::format_to(std::back_inserter(out_), "0 1 -1 0 {:.2f} {:.2f} Tm ", x, y - before);
    } else {
      fmt::format_to(std::back_inserter(out_), "{:.2f} {:.2f} Td ", x - before, y);
    }
    out_ += PdfString(shape.text) + " Tj ET\n";
  }

  const PlotCanvas& sheet_;
  std::string out_;
  int step_ = -1;
};

std::string Compressed(const std::string& text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(text.data()), static_cast<uLong>(text.size()),
            Z_DEFAULT_COMPRESSION);
  out.resize(size);
  return out;
}

}  // namespace

std::string PlotPdf(std::span<const PlotCanvas> sheets) {
  // Objects from 1 on: catalog, pages, two fonts, the title; then a page and its contents for each
  // sheet.
  constexpr size_t kFirstPage = 6;
  std::vector<std::string> objects(kFirstPage - 1 + 2 * sheets.size());
  std::string kids;
  for (size_t i = 0; i < sheets.size(); ++i) {
    const size_t page = kFirstPage + 2 * i;
    std::set<int> opacities;
    const std::string content = Compressed(Page(sheets[i]).Content(opacities));
    std::string states;
    for (const int step : opacities)
      fmt::format_to(std::back_inserter(states), "/O{} << /ca {:.2f} >> ", step, step / 20.);
    objects[page - 1] = fmt::format(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {:.2f} {:.2f}] /Contents {} 0 R /Resources << "
        "/Font << /F 3 0 R /B 4 0 R >> /ExtGState << {}>> >> >>",
        sheets[i].width(), sheets[i].height(), page + 1, states);
    objects[page] = fmt::format("<< /Length {} /Filter /FlateDecode >>\nstream\n", content.size()) +
                    content + "\nendstream";
    fmt::format_to(std::back_inserter(kids), "{} 0 R ", page);
  }
  objects[0] = "<< /Type /Catalog /Pages 2 0 R >>";
  objects[1] = fmt::format("<< /Type /Pages /Kids [{}] /Count {} >>", kids, sheets.size());
  for (const size_t i : {2, 3})
    objects[i] = fmt::format(
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica{} /Encoding "
        "/WinAnsiEncoding >>",
        i == 2 ? "" : "-Bold");
  objects[4] = "<< /Title " + PdfString(sheets.front().title()) + " /Producer (TaskLens) >>";
  std::string out = "%PDF-1.4\n%\xE2\xE3\xCF\xD3\n", places = "0000000000 65535 f \n";
  for (size_t i = 0; i < objects.size(); ++i) {
    fmt::format_to(std::back_inserter(places), "{:010} 00000 n \n", out.size());
    out += fmt::format("{} 0 obj\n", i + 1) + objects[i] + "\nendobj\n";
  }
  const size_t table = out.size();
  fmt::format_to(
      std::back_inserter(out),
      "xref\n0 {0}\n{1}trailer\n<< /Size {0} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{2}\n"
      "%%EOF\n",
      objects.size() + 1, places, table);
  return out;
}

}  // namespace tasklens
