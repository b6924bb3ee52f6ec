// SPDX-License-Identifier: Apache-2.0
// Writes messages as JSON; has an overload for each type of a member.
//
// A style chooses the JSON type and the names of members: WireStyle is that of the protocol;
// server/answers/printed.cc has the style of the commands.
//
// Threads: pure functions.
#pragma once

#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "server/messages/members.h"

namespace tasklens::messages {

template <class Style>
class JsonWriter {
 public:
  using Json = typename Style::Json;
  using Words = std::initializer_list<std::string_view>;

  static Json Of(const Nothing&) { return nullptr; }
  static Json Of(const AnyJson& any) { return Json::parse(any.text, nullptr, false); }
  static Json Of(const Packed& packed) { return {{packed.kind, packed.base64}}; }
  template <class T>
  static Json Of(const std::optional<T>& value) {
    return value ? Of(*value) : Json();
  }
  template <class... Kinds>
  static Json Of(const std::variant<Kinds...>& value) {
    return std::visit([](const auto& one) { return Of(one); }, value);
  }
  template <class T>
  static Json Of(const std::map<std::string, T>& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = Of(value);
    return object;
  }
  template <class T>
  static Json Of(const std::vector<T>& values) {
    typename Json::array_t array;
    array.reserve(values.size());
    for (const T& value : values) array.push_back(Of(value));
    return array;
  }
  template <class T>
  static Json Of(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else {
      JsonWriter writer;
      Members<T>::Visit(writer, value);
      return std::move(writer.object_);
    }
  }

  // Called by Members<T>::Visit() for each member.
  template <class T>
  void Required(const char* name, const T& value, Words = {}) {
    object_[Style::NameOf(name)] = Of(value);
  }
  template <class T>
  void Optional(const char* name, const std::optional<T>& value, Words = {}) {
    if (value) Required(name, *value);
  }
  // A parameter with a default.
  template <class T>
  void Optional(const char* name, const T& value, Words = {}) {
    Required(name, value);
  }

 private:
  Json object_ = Json::object();
};

struct WireStyle {
  using Json = json;
  static const char* NameOf(const char* name) { return name; }
};

template <class T>
json JsonOf(const T& value) {
  return JsonWriter<WireStyle>::Of(value);
}

}  // namespace tasklens::messages
