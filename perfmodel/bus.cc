// SPDX-License-Identifier: Apache-2.0
// StarPU's files about buses.
#include "perfmodel/bus.h"

#include <cmath>
#include <cstdio>

#include "perfmodel/scanner.h"
#include "trace/support/plain_numbers.h"

namespace tasklens {
namespace {

constexpr std::string_view kConfigHeading = "# Current configuration\n";

// The comment that a file begins with, as a line.
std::string HeadingOf(std::string_view text) {
  if (!text.starts_with('#')) return "";
  return std::string(text.substr(0, text.find('\n')));
}

// Reads all fields of a line, each of them `what`.
template <class Number>
Status ReadRow(const LineScanner& lines, std::string_view what, std::vector<Number>& row) {
  for (const std::string_view field : lines.fields())
    if (!LineScanner::Parse(field, row.emplace_back()))
      return lines.Error("'" + std::string(field) + "' is not " + std::string(what));
  return Status::Ok();
}

}  // namespace

uint32_t Bus::Count(std::string_view kind) const {
  for (const BusCount& row : config)
    if (row.what.find(" " + std::string(kind) + " ") != std::string::npos ||
        row.what.ends_with(" " + std::string(kind) + "s"))
      return row.count;
  return 0;
}

Result<std::vector<BusCount>> ParseBusConfig(std::string_view text, std::string_view name) {
  std::vector<BusCount> config;
  LineScanner lines(text, name);
  while (lines.Next()) {
    BusCount& row = config.emplace_back();
    const size_t mark = lines.line().find("# ");
    if (!LineScanner::Parse(lines.fields()[0], row.count) || mark == std::string_view::npos)
      return lines.Error("expected 'COUNT # DESCRIPTION'");
    row.what = lines.line().substr(mark + 2);
  }
  return config;
}

Result<BusMatrix> ParseBusMatrix(std::string_view text, std::string_view name) {
  BusMatrix matrix;
  matrix.heading = HeadingOf(text);
  LineScanner lines(text, name);
  while (lines.Next()) {
    std::vector<double>& row = matrix.rows.emplace_back();
    if (Status s = ReadRow(lines, "a number", row); !s.ok()) return s;
    if (matrix.rows.size() == 1)
      matrix.has_exponents = lines.fields()[0].find('e') != std::string_view::npos;
    if (row.size() != matrix.rows[0].size())
      return lines.Error("has " + std::to_string(row.size()) + " numbers, the first line has " +
                         std::to_string(matrix.rows[0].size()));
  }
  if (!matrix.rows.empty() && matrix.rows.size() != matrix.rows[0].size())
    return lines.Ended("line " + std::to_string(matrix.rows[0].size()) + " of the matrix");
  return matrix;
}

Result<BusAffinity> ParseBusAffinity(std::string_view text, std::string_view name) {
  BusAffinity affinity;
  affinity.heading = HeadingOf(text);
  LineScanner lines(text, name);
  while (lines.Next()) {
    if (Status s = ReadRow(lines, "the number of a node", affinity.rows.emplace_back()); !s.ok())
      return s;
  }
  return affinity;
}

std::string BusConfigText(const std::vector<BusCount>& config) {
  std::string text(kConfigHeading);
  for (const BusCount& row : config) text += std::to_string(row.count) + " # " + row.what + "\n";
  return text;
}

std::string BusMatrixText(const BusMatrix& matrix) {
  const PlainNumbers plain;
  std::string text = matrix.heading.empty() ? "" : matrix.heading + "\n";
  for (const std::vector<double>& row : matrix.rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      char field[512];
      std::snprintf(field, sizeof(field), matrix.has_exponents ? "%e" : "%f",
                    std::isnan(row[i]) ? NAN : row[i]);
      if (i) text += '\t';
      text += field;
    }
    text += '\n';
  }
  return text;
}

std::string BusAffinityText(const BusAffinity& affinity) {
  std::string text = affinity.heading.empty() ? "" : affinity.heading + "\n";
  for (const std::vector<uint32_t>& row : affinity.rows) {
    for (const uint32_t node : row) text += std::to_string(node) + "\t";
    text += '\n';
  }
  return text;
}

Result<Bus> FindBus(const PerfmodelPlaces& places) {
  for (const std::string& folder : places.folders) {
    const auto path = [&](std::string_view kind) { return BusPath(folder, places.host, kind); };
    const Result<std::string> config = ReadLocked(path("config"));
    if (config.status().code() == ErrorCode::kNotFound) continue;
    const Result<std::string> bandwidth = ReadLocked(path("bandwidth"));
    const Result<std::string> latency = ReadLocked(path("latency"));
    const Result<std::string> affinity = ReadLocked(path("affinity"));
    for (const auto* text : {&config, &bandwidth, &latency, &affinity})
      if (!text->ok()) return text->status();
    const auto counts = ParseBusConfig(*config, path("config"));
    const auto speeds = ParseBusMatrix(*bandwidth, path("bandwidth"));
    const auto delays = ParseBusMatrix(*latency, path("latency"));
    const auto near = ParseBusAffinity(*affinity, path("affinity"));
    for (const Status& s : {counts.status(), speeds.status(), delays.status(), near.status()})
      if (!s.ok()) return s;
    return Bus{*counts, *speeds, *delays, *near};
  }
  return Status(ErrorCode::kNotFound, "there are no measured buses of host '" + places.host + "'");
}

double TransferTime(const Bus& bus, size_t from, size_t to, uint64_t bytes) {
  if (from == to) return 0;
  const auto at = [&](const BusMatrix& matrix) {
    return from < matrix.rows.size() && to < matrix.rows[from].size() ? matrix.rows[from][to] : NAN;
  };
  constexpr double kDirections = 2;
  const double gpus = std::max(1u, bus.Count("CUDA") + bus.Count("OpenCL"));
  const double time =
      at(bus.latency) + kDirections * gpus * static_cast<double>(bytes) / at(bus.bandwidth);
  return std::isfinite(time) ? time : 0;
}

}  // namespace tasklens
