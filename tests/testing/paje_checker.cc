// SPDX-License-Identifier: Apache-2.0
// The Paje rules, one method for each kind of event.
#include "tests/testing/paje_checker.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

namespace tasklens::testing {
namespace {

struct Definition {
  std::string name;
  std::vector<std::pair<std::string, std::string>> fields;  // name, type
};

// Event names with the fields that a reader needs.
const std::map<std::string, std::vector<std::string>>& MandatoryFields() {
  static const std::map<std::string, std::vector<std::string>> kFields = {
      {"PajeDefineContainerType", {"Name", "Type"}},
      {"PajeDefineEventType", {"Name", "Type"}},
      {"PajeDefineStateType", {"Name", "Type"}},
      {"PajeDefineVariableType", {"Name", "Type"}},
      {"PajeDefineLinkType", {"Name", "Type", "StartContainerType", "EndContainerType"}},
      {"PajeDefineEntityValue", {"Name", "Type"}},
      {"PajeCreateContainer", {"Time", "Name", "Type", "Container"}},
      {"PajeDestroyContainer", {"Time", "Name", "Type"}},
      {"PajeNewEvent", {"Time", "Type", "Container", "Value"}},
      {"PajeSetState", {"Time", "Type", "Container", "Value"}},
      {"PajePushState", {"Time", "Type", "Container", "Value"}},
      {"PajePopState", {"Time", "Type", "Container"}},
      {"PajeResetState", {"Time", "Type", "Container"}},
      {"PajeSetVariable", {"Time", "Type", "Container", "Value"}},
      {"PajeAddVariable", {"Time", "Type", "Container", "Value"}},
      {"PajeSubVariable", {"Time", "Type", "Container", "Value"}},
      {"PajeStartLink", {"Time", "Type", "Container", "Value", "StartContainer", "Key"}},
      {"PajeEndLink", {"Time", "Type", "Container", "Value", "EndContainer", "Key"}},
  };
  return kFields;
}

// Unquoted, these are words of the grammar and not strings.
bool IsKeyword(std::string_view word) {
  static const std::set<std::string_view> kKeywords = {"Time",
                                                       "Name",
                                                       "Type",
                                                       "Container",
                                                       "Value",
                                                       "Key",
                                                       "Alias",
                                                       "Color",
                                                       "File",
                                                       "Line",
                                                       "int",
                                                       "hex",
                                                       "double",
                                                       "float",
                                                       "date",
                                                       "string",
                                                       "color",
                                                       "ContainerType",
                                                       "EntityType",
                                                       "StartContainer",
                                                       "EndContainer",
                                                       "SourceContainer",
                                                       "DestContainer",
                                                       "StartContainerType",
                                                       "EndContainerType"};
  return kKeywords.contains(word);
}

// Digits with at most one point, maybe a sign; no exponent.
std::optional<double> PlainNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

class Checker {
 public:
  PajeFile Check(std::string_view text) {
    size_t number = 0;
    while (!text.empty()) {
      const size_t end = text.find('\n');
      line_ = ++number;
      if (end == std::string_view::npos) Violation("the last line does not end");
      CheckLine(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    for (const auto& [key, link] : links_) {
      if (!link.ended || !link.started) Violation("link " + key + " has one end only");
    }
    return std::move(file_);
  }

 private:
  enum class Kind { kContainer, kEvent, kState, kVariable, kLink };
  struct Type {
    Kind kind;
    std::string parent, start, end;
    std::set<std::string> values;  // aliases
    std::set<std::string> words;   // aliases and names
  };
  struct Container {
    std::string type;
    bool alive = true;
  };
  struct StateStack {
    std::vector<std::string> values;
    int64_t set_ns = -1;
    std::string set_value, set_job;
  };
  struct Link {
    bool started = false, ended = false;
    std::string value;
  };

  void Violation(const std::string& what) {
    if (file_.violations.size() < 50)
      file_.violations.push_back("line " + std::to_string(line_) + ": " + what);
  }

  void CheckLine(std::string_view text) {
    if (text.starts_with('%')) return CheckDefinition(text.substr(1));
    if (!open_.empty()) Violation("an event definition is not ended");
    const std::vector<std::string> words = Words(text);
    if (words.empty()) return Violation("a line without words");
    in_body_ = true;
    const auto definition = definitions_.find(words[0]);
    if (definition == definitions_.end()) return Violation("no definition of event " + words[0]);
    const auto& fields = definition->second.fields;
    if (words.size() != fields.size() + 1) {
      return Violation(std::to_string(words.size() - 1) + " fields instead of " +
                       std::to_string(fields.size()));
    }
    PajeLine line{line_, std::stoi(words[0]), definition->second.name, {}};
    for (size_t i = 0; i < fields.size(); ++i) {
      CheckValue(fields[i].second, words[i + 1]);
      line.fields[fields[i].first] = words[i + 1];
    }
    if (line.fields.contains("Time")) CheckTime(line);
    CheckEvent(line);
    file_.lines.push_back(std::move(line));
  }

  void CheckDefinition(std::string_view text) {
    if (in_body_) return Violation("a definition behind an event");
    const std::vector<std::string> words = Words(text, /*keywords=*/true);
    if (!words.empty() && words[0] == "EventDef") {
      if (words.size() != 3) return Violation("%EventDef needs a name and a number");
      if (!MandatoryFields().contains(words[1])) Violation("unknown event " + words[1]);
      if (definitions_.contains(words[2])) Violation("event " + words[2] + " is defined twice");
      open_ = words[2];
      definitions_[open_] = {words[1], {}};
    } else if (!words.empty() && words[0] == "EndEventDef") {
      EndDefinition();
    } else if (words.size() != 2 || open_.empty()) {
      Violation("not a field of an event definition");
    } else {
      static const std::set<std::string> kTypes = {"string", "float", "double", "int",
                                                   "hex",    "date",  "color"};
      if (!kTypes.contains(words[1])) Violation("unknown field type " + words[1]);
      for (const auto& field : definitions_[open_].fields) {
        if (field.first == words[0]) Violation("field " + words[0] + " stands there twice");
      }
      definitions_[open_].fields.push_back({words[0], words[1]});
    }
  }

  void EndDefinition() {
    if (open_.empty()) return Violation("%EndEventDef without %EventDef");
    const Definition& definition = definitions_[open_];
    const auto mandatory = MandatoryFields().find(definition.name);
    for (const std::string& name :
         mandatory == MandatoryFields().end() ? std::vector<std::string>() : mandatory->second) {
      bool found = false;
      for (const auto& field : definition.fields) found |= field.first == name;
      if (!found) Violation(definition.name + " has no field " + name);
    }
    open_.clear();
  }

  std::vector<std::string> Words(std::string_view text, bool keywords = false) {
    std::vector<std::string> words;
    for (size_t at = 0; at < text.size();) {
      if (text[at] == ' ' || text[at] == '\t') {
        ++at;
      } else if (text[at] == '"') {
        const size_t end = text.find('"', at + 1);
        if (end == std::string_view::npos) {
          Violation("a quote is not closed");
          return words;
        }
        if (end == at + 1) Violation("an empty string");
        words.emplace_back(text.substr(at + 1, end - at - 1));
        at = end + 1;
        if (at < text.size() && text[at] != ' ' && text[at] != '\t')
          Violation("text directly behind a quote");
      } else {
        const size_t end = std::min(text.find_first_of(" \t\"", at), text.size());
        words.emplace_back(text.substr(at, end - at));
        if (words.back().starts_with('#')) Violation("an unquoted # begins a comment");
        if (!keywords && IsKeyword(words.back()))
          Violation("the keyword " + words.back() + " is not quoted");
        at = end;
      }
    }
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\t') Violation("a control character");
    }
    return words;
  }

  void CheckValue(const std::string& type, const std::string& text) {
    if (type == "date" || type == "double" || type == "float") {
      if (!PlainNumber(text)) Violation("'" + text + "' is not a plain decimal number");
    } else if (type == "color") {
      CheckColor(text);
    }
  }

  void CheckColor(std::string_view text) {
    size_t parts = 0;
    while (!text.empty()) {
      const size_t end = std::min(text.find(' '), text.size());
      const auto part = PlainNumber(text.substr(0, end));
      if (!part || *part < 0 || *part > 1) return Violation("a colour's part is not from 0 to 1");
      ++parts;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (parts != 3) Violation("a colour has not three parts");
  }

  void CheckTime(PajeLine& line) {
    const double ms = PlainNumber(line["Time"]).value_or(0);
    if (ms < 0) Violation("a negative time");
    line.time_ns = std::llround(ms * 1e6);
    if (line.time_ns < last_ns_) Violation("the time goes back");
    last_ns_ = std::max(last_ns_, line.time_ns);
  }

  void CheckEvent(const PajeLine& line) {
    if (line.name.starts_with("PajeDefine")) {
      if (line.name == "PajeDefineEntityValue") return DefineValue(line);
      return DefineType(line);
    }
    if (line.name == "PajeCreateContainer") return Create(line);
    if (line.name == "PajeDestroyContainer") return Destroy(line);
    const bool link = line.name.ends_with("Link");
    const Kind kind = link                              ? Kind::kLink
                      : line.name.ends_with("State")    ? Kind::kState
                      : line.name.ends_with("Variable") ? Kind::kVariable
                                                        : Kind::kEvent;
    const auto type = types_.find(line["Type"]);
    if (type == types_.end()) return Violation("no type " + line["Type"]);
    if (type->second.kind != kind) Violation(line["Type"] + " is a type of another kind");
    CheckPlace(line["Container"], type->second.parent);
    if (kind == Kind::kState) ChangeState(line, type->second);
    if (kind == Kind::kVariable) ChangeVariable(line);
    if (link) ConnectLink(line, type->second);
  }

  static std::string Identifier(const PajeLine& line) {
    return line.fields.contains("Alias") ? line["Alias"] : line["Name"];
  }

  void DefineType(const PajeLine& line) {
    static const std::map<std::string, Kind> kKinds = {
        {"PajeDefineContainerType", Kind::kContainer},
        {"PajeDefineEventType", Kind::kEvent},
        {"PajeDefineStateType", Kind::kState},
        {"PajeDefineVariableType", Kind::kVariable},
        {"PajeDefineLinkType", Kind::kLink}};
    Type type{kKinds.at(line.name), line["Type"], "", "", {}, {}};
    CheckContainerType(type.parent, /*root=*/true);
    if (type.kind == Kind::kLink) {
      type.start = line["StartContainerType"];
      type.end = line["EndContainerType"];
      CheckContainerType(type.start, false);
      CheckContainerType(type.end, false);
    }
    if (!types_.emplace(Identifier(line), type).second)
      Violation("type " + Identifier(line) + " is defined twice");
  }

  void CheckContainerType(const std::string& name, bool root) {
    if (root && name == "0") return;
    const auto type = types_.find(name);
    if (type == types_.end() || type->second.kind != Kind::kContainer)
      Violation("no container type " + name);
  }

  void DefineValue(const PajeLine& line) {
    const auto type = types_.find(line["Type"]);
    if (type == types_.end()) return Violation("no type " + line["Type"]);
    // Readers find a value by its alias and by its name.
    std::set<std::string> words = {Identifier(line), line["Name"]};
    for (const std::string& word : words) {
      if (!type->second.words.insert(word).second)
        Violation("value " + word + " of " + line["Type"] + " is defined twice");
    }
    type->second.values.insert(Identifier(line));
  }

  void Create(const PajeLine& line) {
    const auto type = types_.find(line["Type"]);
    if (type == types_.end() || type->second.kind != Kind::kContainer)
      return Violation("no container type " + line["Type"]);
    if (line["Container"] == "0") {
      if (type->second.parent != "0") Violation(line["Type"] + " does not belong at the root");
    } else {
      CheckPlace(line["Container"], type->second.parent);
    }
    if (!containers_.emplace(Identifier(line), Container{line["Type"]}).second)
      Violation("container " + Identifier(line) + " is created twice");
  }

  void Destroy(const PajeLine& line) {
    CheckPlace(line["Name"], line["Type"]);
    if (const auto at = containers_.find(line["Name"]); at != containers_.end())
      at->second.alive = false;
  }

  // `container` exists now and is of `type`.
  void CheckPlace(const std::string& container, const std::string& type) {
    const auto at = containers_.find(container);
    if (at == containers_.end()) return Violation("no container " + container);
    if (!at->second.alive) Violation("container " + container + " was destroyed before");
    if (at->second.type != type)
      Violation("container " + container + " is of type " + at->second.type + ", not " + type);
  }

  void ChangeState(const PajeLine& line, const Type& type) {
    StateStack& stack = stacks_[line["Container"] + "\t" + line["Type"]];
    if (line.name == "PajePopState") {
      if (stack.values.empty()) return Violation("nothing to pop");
      stack.values.pop_back();
      return;
    }
    if (line.name == "PajeResetState") return stack.values.clear();
    const std::string& value = line["Value"];
    if (!type.values.contains(value)) Violation("no value " + value + " of " + line["Type"]);
    if (line.name == "PajeSetState") {
      stack.values.clear();
      const auto job = line.fields.find("JobId");
      const std::string of_job = job == line.fields.end() ? "" : job->second;
      // Two tasks of a name may follow one another at once: the first has no length.
      const bool other_task = !of_job.empty() && !stack.set_job.empty() && stack.set_job != of_job;
      if (stack.set_ns == line.time_ns && stack.set_value == value && !other_task)
        Violation("state " + value + " is set twice at the same time");
      stack.set_ns = line.time_ns;
      stack.set_value = value;
      stack.set_job = of_job;
    }
    stack.values.push_back(value);
  }

  void ChangeVariable(const PajeLine& line) {
    const std::string key = line["Container"] + "\t" + line["Type"];
    if (line.name == "PajeSetVariable") {
      variables_.insert(key);
    } else if (!variables_.contains(key)) {
      Violation("a variable is changed before it is set");
    }
  }

  void ConnectLink(const PajeLine& line, const Type& type) {
    const bool start = line.name == "PajeStartLink";
    CheckPlace(start ? line["StartContainer"] : line["EndContainer"],
               start ? type.start : type.end);
    Link& link = links_[line["Type"] + " " + line["Key"]];
    bool& seen = start ? link.started : link.ended;
    if (seen) Violation("link key " + line["Key"] + " is used twice");
    seen = true;
    if (link.value.empty()) link.value = line["Value"];
    if (link.value != line["Value"]) Violation("a link's ends differ in their value");
  }

  PajeFile file_;
  size_t line_ = 0;
  bool in_body_ = false;
  std::string open_;  // the definition being read
  int64_t last_ns_ = 0;
  std::map<std::string, Definition> definitions_;
  std::map<std::string, Type> types_;
  std::map<std::string, Container> containers_;
  std::map<std::string, StateStack> stacks_;
  std::set<std::string> variables_;
  std::map<std::string, Link> links_;
};

}  // namespace

const std::string& PajeLine::operator[](const std::string& field) const {
  static const std::string kNone;
  const auto at = fields.find(field);
  return at == fields.end() ? kNone : at->second;
}

PajeFile CheckPaje(std::string_view text) { return Checker().Check(text); }

}  // namespace tasklens::testing
