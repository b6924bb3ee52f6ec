// SPDX-License-Identifier: Apache-2.0
// Messages as JSON: JsonOf(message), for each type that a member may have.
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

template <class T>
json JsonOf(const T& value);
template <class T>
json JsonOf(const std::optional<T>& value);
template <class... Kinds>
json JsonOf(const std::variant<Kinds...>& value);
template <class T>
json JsonOf(const std::map<std::string, T>& values);
template <class T>
json JsonOf(const std::vector<T>& values);

inline json JsonOf(const Nothing&) { return nullptr; }
inline json JsonOf(const AnyJson& any) { return json::parse(any.text, nullptr, false); }
inline json JsonOf(const Packed& packed) { return {{packed.kind, packed.base64}}; }

template <class T>
json JsonOf(const std::optional<T>& value) {
  return value ? JsonOf(*value) : json();
}

template <class... Kinds>
json JsonOf(const std::variant<Kinds...>& value) {
  return std::visit([](const auto& one) { return JsonOf(one); }, value);
}

template <class T>
json JsonOf(const std::map<std::string, T>& values) {
  json object = json::object();
  for (const auto& [name, value] : values) object[name] = JsonOf(value);
  return object;
}

template <class T>
json JsonOf(const std::vector<T>& values) {
  json::array_t array;
  array.reserve(values.size());
  for (const T& value : values) array.push_back(JsonOf(value));
  return array;
}

// Visits the members of a message.
class JsonWriter {
 public:
  using Words = std::initializer_list<std::string_view>;

  template <class T>
  void Required(const char* name, const T& value, Words = {}) {
    object_[name] = JsonOf(value);
  }
  template <class T>
  void Optional(const char* name, const std::optional<T>& value, Words = {}) {
    if (value) object_[name] = JsonOf(*value);
  }
  // A parameter with a default.
  template <class T>
  void Optional(const char* name, const T& value, Words = {}) {
    object_[name] = JsonOf(value);
  }

  json Take() { return std::move(object_); }

 private:
  json object_ = json::object();
};

template <class T>
json JsonOf(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else {
    JsonWriter writer;
    Members<T>::Visit(writer, value);
    return writer.Take();
  }
}

}  // namespace tasklens::messages
