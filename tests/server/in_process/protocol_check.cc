// SPDX-License-Identifier: Apache-2.0
// The grammar of types, and objects with their members.
#include "tests/server/in_process/protocol_check.h"

#include <QByteArray>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>

namespace tasklens::testing {
namespace {

using nlohmann::json;

constexpr std::string_view kColumn = " column";
constexpr std::string_view kSchema = "ide-plugin/protocol.json";

std::vector<std::string> SplitAlternatives(std::string_view type) {
  std::vector<std::string> alternatives;
  for (size_t end; (end = type.find(" | ")) != type.npos; type.remove_prefix(end + 3))
    alternatives.emplace_back(type.substr(0, end));
  alternatives.emplace_back(type);
  return alternatives;
}

// How many numbers a packed column has; nothing: it is none.
std::optional<size_t> PackedLength(const json& value) {
  static const std::map<std::string, int> kBytes = {
      {"i8", 1}, {"i16", 2}, {"i32", 4}, {"f32", 4}, {"f64", 8}};
  if (!value.is_object() || value.size() != 1 || !value.begin()->is_string()) return std::nullopt;
  const auto bytes = kBytes.find(value.begin().key());
  const auto decoded =
      QByteArray::fromBase64Encoding(QByteArray::fromStdString(value.begin()->get<std::string>()),
                                     QByteArray::AbortOnBase64DecodingErrors);
  if (bytes == kBytes.end() || !decoded || decoded.decoded.size() % bytes->second != 0)
    return std::nullopt;
  return static_cast<size_t>(decoded.decoded.size() / bytes->second);
}

// Whether the value is of a type that has no parts; nothing where the type has some.
std::optional<bool> IsOfBase(std::string_view type, const json& value) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "string" || type == "uri") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "integer" || type == "ns") return value.is_number_integer();
  if (type == "count")
    return value.is_number_unsigned() || (value.is_number_integer() && value >= 0);
  if (type == "packed") return PackedLength(value).has_value();
  if (type == "any") return true;
  if (type.starts_with("'")) return value == type.substr(1, type.size() - 2);
  return std::nullopt;
}

}  // namespace

ProtocolCheck& ProtocolCheck::Instance() {
  static ProtocolCheck check;
  return check;
}

ProtocolCheck::ProtocolCheck() {
  std::ifstream file{std::string(kSchema)};
  protocol_ = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (protocol_.is_discarded()) {
    std::fprintf(stderr, "%s is missing, or no JSON\n", std::string(kSchema).c_str());
    std::abort();
  }
  const auto add = [this](const std::string& name, const json& shape) {
    if (shape.is_object()) shapes_[name] = MembersOf(name, shape);
  };
  for (const auto& [name, shape] : protocol_["types"].items()) add(name, shape);
  for (const char* kind : {"requests", "notifications"}) {
    for (const auto& [method, message] : protocol_[kind].items()) {
      add(method + " parameters", message["parameters"]);
      add(method + " answer", message.value("answer", json()));
    }
  }
}

ProtocolCheck::Members ProtocolCheck::MembersOf(const std::string& name, const json& shape) const {
  Members members;
  if (shape.contains("extends")) {
    const std::string parent = shape["extends"];
    members = MembersOf(parent, protocol_["types"][parent]);
  }
  for (const auto& [key, entry] : shape.items()) {
    if (!entry.is_array()) continue;
    const bool is_optional = key.ends_with('?');
    members[key.substr(0, key.size() - (is_optional ? 1 : 0))] = {entry[0], is_optional, name};
  }
  return members;
}

ProtocolCheck::Faults ProtocolCheck::OfType(const std::string& type, const json& value,
                                            const std::string& at) {
  Faults worst;
  for (const std::string& one : SplitAlternatives(type)) {
    Faults found = OfOne(one, value, at);
    if (found.empty()) return {};
    // Those of the alternative that was meant: what fits it is looked into farthest.
    if (worst.empty() || found[0].at.size() > worst[0].at.size()) worst = std::move(found);
  }
  return worst;
}

ProtocolCheck::Faults ProtocolCheck::OfOne(std::string_view type, const json& value,
                                           const std::string& at) {
  if (type.starts_with("{")) {
    if (!value.is_object()) return {{at, "is no object"}};
    Faults faults;
    const std::string element(type.substr(1, type.size() - 2));
    for (const auto& [name, one] : value.items())
      for (Fault& fault : OfType(element, one, at + "." + name)) faults.push_back(std::move(fault));
    return faults;
  }
  if (type.ends_with("[]")) return OfArray(type.substr(0, type.size() - 2), value, at);
  if (type.ends_with(kColumn)) {
    const std::string_view element = type.substr(0, type.size() - kColumn.size());
    return element == "packed" ? OfOne(element, value, at) : OfArray(element, value, at);
  }
  const std::string name(type);
  if (const std::optional<bool> is_it = IsOfBase(type, value))
    return *is_it ? Faults{} : Faults{{at, "is no " + name}};
  const json& shape = protocol_["types"].at(name);
  return shape.contains("is") ? OfType(shape["is"], value, at) : OfObject(name, value, at);
}

ProtocolCheck::Faults ProtocolCheck::OfArray(std::string_view element, const json& value,
                                             const std::string& at) {
  if (!value.is_array()) return {{at, "is no array"}};
  if (std::all_of(value.begin(), value.end(),
                  [&](const json& one) { return IsOfBase(element, one).value_or(false); }))
    return {};
  Faults faults;
  for (size_t i = 0; i < value.size(); ++i)
    for (Fault& fault : OfType(std::string(element), value[i], at + "[" + std::to_string(i) + "]"))
      faults.push_back(std::move(fault));
  return faults;
}

ProtocolCheck::Faults ProtocolCheck::OfObject(const std::string& shape, const json& value,
                                              const std::string& at) {
  if (!value.is_object()) return {{at, "is no object"}};
  const Members& members = MembersOf(shape);
  Faults faults;
  std::map<size_t, std::string> lengths;  // of columns: a name for each
  for (const auto& [name, part] : value.items()) {
    const std::string place = at + "." + name;
    const auto member = members.find(name);
    if (member == members.end()) {
      faults.push_back({place, "is not in protocol.json"});
      continue;
    }
    for (Fault& fault : OfType(member->second.type, part, place))
      faults.push_back(std::move(fault));
    if (member->second.type.find(kColumn) == std::string::npos || part.is_null()) continue;
    lengths[PackedLength(part).value_or(part.size())] = name;
  }
  for (const auto& [name, member] : members)
    if (!member.is_optional && !value.contains(name))
      faults.push_back({at + "." + name, "is missing"});
  if (lengths.size() > 1)
    faults.push_back({at, "has columns of different lengths: " + lengths.begin()->second + " and " +
                              lengths.rbegin()->second});
  if (faults.empty())
    for (const auto& [name, part] : value.items())
      seen_.insert(members.at(name).declared_by + "." + name);
  return faults;
}

namespace {

template <class Faults>
std::vector<std::string> Lines(const Faults& faults) {
  std::vector<std::string> lines;
  for (const auto& fault : faults) lines.push_back(fault.at + " " + fault.what);
  return lines;
}

}  // namespace

std::vector<std::string> ProtocolCheck::FaultsOf(const std::string& shape, const json& object) {
  return Lines(OfObject(shape, object, shape));
}

std::vector<std::string> ProtocolCheck::FaultsOfRequest(const std::string& method,
                                                        const json& params) {
  if (!protocol_["requests"].contains(method)) return {method + " is no request of protocol.json"};
  const std::string shape = method + " parameters";
  json given = params.is_null() ? json::object() : params;
  given.erase("workDoneToken");
  for (const auto& [name, member] : MembersOf(shape))
    if (member.is_optional && given.contains(name) && given[name].is_null()) given.erase(name);
  return Lines(OfObject(shape, given, method + " params"));
}

std::vector<std::string> ProtocolCheck::FaultsOfAnswer(const std::string& method,
                                                       const json& result) {
  const json& answer = protocol_["requests"].at(method)["answer"];
  const std::string at = method + " answer";
  return Lines(answer.is_string() ? OfType(answer, result, at) : OfObject(at, result, at));
}

std::vector<std::string> ProtocolCheck::FaultsOfNotification(const std::string& method,
                                                             const json& params) {
  if (!protocol_["notifications"].contains(method))
    return {method + " is no notification of protocol.json"};
  return Lines(OfObject(method + " parameters", params, method));
}

std::map<std::string, ProtocolCheck::Parameters> ProtocolCheck::Requests() const {
  std::map<std::string, Parameters> requests;
  for (const auto& [method, message] : protocol_["requests"].items()) {
    Parameters& parameters = requests[method];
    for (const auto& [name, member] : MembersOf(method + " parameters"))
      parameters[name] = !member.is_optional;
  }
  return requests;
}

std::map<std::string, json> ProtocolCheck::Defaults(const std::string& method) const {
  std::map<std::string, json> defaults;
  for (const auto& [key, entry] : protocol_["requests"].at(method)["parameters"].items())
    if (entry.is_array() && entry.size() > 2 && entry[2].contains("default"))
      defaults[key.substr(0, key.size() - 1)] = entry[2]["default"];
  return defaults;
}

std::set<std::string> ProtocolCheck::Unseen() const {
  std::set<std::string> unseen;
  for (const auto& [shape, members] : shapes_)
    for (const auto& [name, member] : members)
      if (const std::string key = member.declared_by + "." + name; !seen_.contains(key))
        unseen.insert(key);
  return unseen;
}

}  // namespace tasklens::testing
