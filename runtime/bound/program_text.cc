// SPDX-License-Identifier: Apache-2.0
// Linear programs as other solvers read them.
#include <cstdio>

#include "runtime/bound/program.h"
#include "trace/support/plain_numbers.h"

namespace tasklens::runtime {
namespace {

std::string Number(double value) {
  const PlainNumbers plain;
  char text[32];
  snprintf(text, sizeof(text), "%.9g", value + 0.0);  // no "-0"
  return text;
}

// " +2 x", " -x"
std::string TermText(const BoundProgram& program, const BoundProgram::Term& term) {
  const std::string& name = program.columns[term.column].name;
  if (term.factor == 1) return " +" + name;
  if (term.factor == -1) return " -" + name;
  return (term.factor < 0 ? " " : " +") + Number(term.factor) + " " + name;
}

// What a comment must not hold.
std::string Comment(std::string text) {
  for (size_t at; (at = text.find("*/")) != std::string::npos;) text.erase(at, 1);
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

std::string Names(const BoundProgram& program, BoundProgram::Column::Kind kind) {
  std::string names;
  for (const auto& column : program.columns)
    if (column.kind == kind) names += (names.empty() ? "" : ",") + column.name;
  return names;
}

}  // namespace

std::string LpText(const BoundProgram& program, bool optional) {
  std::string text = "/* milliseconds */\nmin: " + program.columns[0].name + ";\n\n";
  for (const auto& row : program.rows) {
    if (!row.comment.empty()) text += "/* " + Comment(row.comment) + " */\n";
    // (One variable without a name would be a limit of it, which "bin" below takes back.)
    if (row.terms.size() == 1) text += row.name + ":";
    for (const auto& term : row.terms) text += TermText(program, term);
    text += row.low == row.high      ? " = " + Number(row.low)
            : row.high == kUnlimited ? " >= " + Number(row.low)
                                     : " <= " + Number(row.high);
    text += ";\n";
  }
  if (const auto names = Names(program, BoundProgram::Column::kWhole); !names.empty())
    text += optional ? "\n/* int " + names + "; */\n" : "\nint " + names + ";\n";
  if (const auto names = Names(program, BoundProgram::Column::kZeroOrOne); !names.empty())
    text += "\nbin " + names + ";\n";
  return text;
}

std::string MpsText(const BoundProgram& program, bool optional) {
  char line[256];
  const auto field = [&line](const std::string& column, const std::string& row, double value) {
    snprintf(line, sizeof(line), "    %-8s  %-8s  %12s\n", column.c_str(), row.c_str(),
             Number(value).c_str());
    return std::string(line);
  };
  std::string text = "NAME          BOUND\nROWS\n N  TMAX\n";
  for (const auto& row : program.rows) {
    if (!row.comment.empty()) text += "* " + Comment(row.comment) + "\n";
    text += row.low == row.high ? " E  " : row.high == kUnlimited ? " G  " : " L  ";
    text += row.name + "\n";
  }
  std::vector<std::string> entries(program.columns.size());
  entries[0] = field(program.columns[0].name, "TMAX", 1);
  for (const auto& row : program.rows)
    for (const auto& term : row.terms)
      entries[term.column] += field(program.columns[term.column].name, row.name, term.factor);
  text += "COLUMNS\n";
  for (const bool whole : {false, true}) {
    if (whole) text += "    MARKER    'MARKER'  'INTORG'\n";
    for (size_t i = 0; i < program.columns.size(); ++i) {
      const auto kind = program.columns[i].kind;
      const bool is_whole = kind == BoundProgram::Column::kZeroOrOne ||
                            (kind == BoundProgram::Column::kWhole && !optional);
      if (is_whole == whole) text += entries[i];
    }
    if (whole) text += "    MARKER    'MARKER'  'INTEND'\n";
  }
  text += "RHS\n";
  for (const auto& row : program.rows) {
    const double side = row.high == kUnlimited ? row.low : row.high;
    if (side != 0) text += field("RHS", row.name, side);
  }
  text += "BOUNDS\n";
  for (const auto& column : program.columns) {
    if (column.kind == BoundProgram::Column::kZeroOrOne) {
      text += " BV BND       " + column.name + "\n";
    } else if (column.kind == BoundProgram::Column::kWhole && !optional) {
      text += " PL BND       " + column.name + "\n";  // some readers take 1 for the default
    }
  }
  return text + "ENDATA\n";
}

}  // namespace tasklens::runtime
