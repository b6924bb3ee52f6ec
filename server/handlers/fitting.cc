// SPDX-License-Identifier: Apache-2.0
// One function for each form that some clients do not support.
#include "server/handlers/fitting.h"

#include <algorithm>
#include <set>
#include <vector>

#include "server/protocol/message.h"
#include "server/protocol/text.h"

namespace tasklens {
namespace {

constexpr int kFunctionKind = 12;  // the protocol's SymbolKind; known to every client

bool IsPunctuation(char c) {
  return c > ' ' && c < 0x7f && !isalnum(static_cast<unsigned char>(c));
}

// Removes the marks from one line. Between backquotes only the backquote is a mark.
std::string PlainLine(std::string_view line) {
  std::string text;
  bool is_code = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '`') {
      is_code = !is_code;
    } else if (is_code) {
      text += c;
    } else if (c == '\\' && i + 1 < line.size() && IsPunctuation(line[i + 1])) {
      text += line[++i];
    } else if (c == '[') {  // [text](target)
      continue;
    } else if (c == ']' && line.substr(i + 1).starts_with('(')) {
      i = std::min(line.find(')', i), line.size() - 1);
    } else if (c != '*' && c != ']') {
      text += c;
    }
  }
  return text;
}

using Cells = std::vector<std::string>;

// "| a | b |"
Cells CellsOf(std::string_view row) {
  Cells cells;
  std::string cell;
  for (size_t i = 1; i < row.size(); ++i) {
    if (row[i] == '\\' && i + 1 < row.size()) {
      cell += row[i];
      cell += row[++i];
    } else if (row[i] == '|') {
      const std::string text = PlainLine(std::exchange(cell, ""));
      const size_t begin = text.find_first_not_of(' ');
      cells.push_back(
          begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
    } else {
      cell += row[i];
    }
  }
  return cells;
}

size_t WidthOf(std::string_view text) { return ColumnsOf(text, PositionEncoding::kUtf32); }

// `rows` of a table: the header, the alignment of the columns, the body.
std::string PlainTable(const std::vector<std::string_view>& rows) {
  std::vector<Cells> table;
  for (const std::string_view row : rows) table.push_back(CellsOf(row));
  const Cells setting = table.size() > 1 ? table[1] : Cells();
  if (table.size() > 1) table.erase(table.begin() + 1);
  std::vector<size_t> widths;
  for (const Cells& cells : table) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], WidthOf(cells[i]));
  }
  std::string text;
  for (const Cells& cells : table) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string room(widths[i] - WidthOf(cells[i]), ' ');
      const bool is_right = i < setting.size() && setting[i].ends_with(':');
      line += (i == 0 ? "" : "  ") + (is_right ? room + cells[i] : cells[i] + room);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

json FittingHover(const ClientAbilities& client, json hover) {
  if (client.markdown || !hover.is_object() || !hover["contents"].is_object()) return hover;
  json& contents = hover["contents"];
  contents["kind"] = "plaintext";
  contents["value"] = PlainText(contents["value"].get_ref<const std::string&>());
  return hover;
}

// Keeps commands, and turns edits that the server can request into commands: `data` has the
// parameters of tasklens/silence.
json FittingActions(const ClientAbilities& client, json actions) {
  if (client.code_action_literals || !actions.is_array()) return actions;
  json commands = json::array();
  for (const json& action : actions) {
    if (action.contains("command")) commands.push_back(action["command"]);
    if (action.contains("edit") && client.apply_edit)
      commands.push_back({{"title", action["title"]},
                          {"command", "tasklens.silence"},
                          {"arguments", {action["data"]}}});
  }
  return commands;
}

void FitKinds(const std::set<int>& known, json& symbols) {
  for (json& symbol : symbols)
    if (!known.contains(symbol["kind"].get<int>())) symbol["kind"] = kFunctionKind;
}

json FittingDocumentSymbols(const ClientAbilities& client, const json& params, json symbols) {
  if (!symbols.is_array()) return symbols;
  FitKinds(client.document_symbol_kinds, symbols);
  if (client.symbol_trees) return symbols;
  json list = json::array();
  for (json& symbol : symbols)
    list.push_back(
        {{"name", std::move(symbol["name"])},
         {"kind", symbol["kind"]},
         {"location",
          {{"uri", params["textDocument"]["uri"]}, {"range", std::move(symbol["range"])}}}});
  return list;
}

json FittingWorkspaceSymbols(const ClientAbilities& client, json symbols) {
  if (symbols.is_array()) FitKinds(client.workspace_symbol_kinds, symbols);
  return symbols;
}

json FittingFolds(const ClientAbilities& client, json folds) {
  if (client.most_folds > 0 && folds.is_array() && folds.size() > client.most_folds)
    folds.erase(folds.begin() + static_cast<json::difference_type>(client.most_folds), folds.end());
  return folds;
}

}  // namespace

json Fitting(const ClientAbilities& client, std::string_view method, const json& params,
             json answer) {
  if (method == "textDocument/hover") return FittingHover(client, std::move(answer));
  if (method == "textDocument/codeAction") return FittingActions(client, std::move(answer));
  if (method == "textDocument/documentSymbol")
    return FittingDocumentSymbols(client, params, std::move(answer));
  if (method == "textDocument/foldingRange") return FittingFolds(client, std::move(answer));
  if (method == "workspace/symbol") return FittingWorkspaceSymbols(client, std::move(answer));
  return answer;
}

std::string PlainText(std::string_view markdown) {
  std::string text;
  std::vector<std::string_view> rows;  // of the current table
  for (size_t begin = 0; begin < markdown.size();) {
    const size_t end = std::min(markdown.find('\n', begin), markdown.size());
    const std::string_view line = markdown.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with('|')) {
      rows.push_back(line);
      continue;
    }
    if (!rows.empty()) text += PlainTable(std::exchange(rows, {}));
    text += PlainLine(line) + "\n";
  }
  if (!rows.empty()) text += PlainTable(rows);
  return text;
}

}  // namespace tasklens
