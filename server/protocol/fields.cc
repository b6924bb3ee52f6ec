// SPDX-License-Identifier: Apache-2.0
// One conversion for each type a parameter can have.
#include "server/protocol/fields.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tasklens {
namespace {

// Describes the type of a wrong value.
std::string Describe(const json& value) {
  switch (value.type()) {
    case json::value_t::null: return "null";
    case json::value_t::object: return "an object";
    case json::value_t::array: return "an array";
    case json::value_t::string: return "a string";
    case json::value_t::boolean: return "a boolean";
    case json::value_t::number_float:
      // The parser also returns a floating-point number for an integer that is too large.
      return std::fabs(value.get<double>()) < 0x1p63 ? "a number with a fraction"
                                                     : "a number beyond 64 bits";
    default: return value.dump();
  }
}

}  // namespace

Fields::Fields(const json& object, std::string where) : where_(std::move(where)) {
  if (object.is_object()) {
    object_ = &object;
  } else {
    Mismatch(object, where_, "an object");
  }
}

Fields Fields::OfParameters(const json& raw) {
  static const json kEmpty = json::object();
  return {raw.is_null() ? kEmpty : raw, "params"};
}

void Fields::CheckWords(std::string_view name, const json& value, Words words) {
  if (!status_.ok()) return;
  const bool is_list = value.is_array();
  std::string choice;
  for (const std::string_view& word : words)
    choice += (&word == words.begin()     ? ""
               : &word + 1 == words.end() ? (is_list ? " and " : " or ")
                                          : ", ") +
              std::string(word);
  for (const json& one : is_list ? value : json::array({value}))
    if (const auto& text = one.get_ref<const std::string&>();
        std::find(words.begin(), words.end(), text) == words.end())
      Fail(name, (is_list ? "takes " : "is ") + choice + ", not '" + text + "'");
}

void Fields::Fail(std::string_view name, std::string_view text) {
  if (status_.ok())
    status_ = Status(ErrorCode::kInvalidArgument,
                     where_ + "." + std::string(name) + " " + std::string(text));
}

const json* Fields::Find(std::string_view name, bool required) {
  if (!object_ || !status_.ok()) return nullptr;
  const json* value = object_;
  for (size_t begin = 0, end = 0; end != name.npos; begin = end + 1) {
    const std::string_view so_far = name.substr(0, end);
    if (!value->is_object()) {
      Mismatch(*value, where_ + "." + std::string(so_far), "an object");
      return nullptr;
    }
    end = name.find('.', begin);
    const auto it = value->find(std::string(name.substr(begin, end - begin)));
    if (it == value->end() || it->is_null()) {
      if (required) Fail(name.substr(0, end), "is missing");
      return nullptr;
    }
    value = &*it;
  }
  return value;
}

void Fields::Mismatch(const json& value, const std::string& where, std::string_view expected) {
  if (!status_.ok()) return;
  status_ = Status(ErrorCode::kInvalidArgument,
                   where + " must be " + std::string(expected) + ", not " + Describe(value));
}

void Fields::Convert(const json& value, const std::string& where, bool& out) {
  if (!value.is_boolean()) return Mismatch(value, where, "true or false");
  out = value.get<bool>();
}

void Fields::Convert(const json& value, const std::string& where, std::string& out) {
  if (!value.is_string()) return Mismatch(value, where, "a string");
  out = value.get<std::string>();
}

void Fields::Convert(const json& value, const std::string& where, uint32_t& out) {
  constexpr uint64_t kMax = std::numeric_limits<uint32_t>::max();
  if (!value.is_number_unsigned() || value.get<uint64_t>() > kMax)
    return Mismatch(value, where, "an integer from 0 to " + std::to_string(kMax));
  out = value.get<uint32_t>();
}

void Fields::Convert(const json& value, const std::string& where, int64_t& out) {
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() &&
       value.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()}))
    return Mismatch(value, where, "an integer");
  out = value.get<int64_t>();
}

void Fields::Convert(const json& value, const std::string& where, double& out) {
  if (!value.is_number()) return Mismatch(value, where, "a number");
  out = value.get<double>();
}

void Fields::Convert(const json& value, const std::string& where,
                     std::map<std::string, std::string>& out) {
  if (!value.is_object()) return Mismatch(value, where, "an object of strings");
  out.clear();
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) return Mismatch(text, where + "." + key, "a string");
    out[key] = text.get<std::string>();
  }
}

void Fields::Convert(const json& value, const std::string& where,
                     std::variant<uint64_t, std::string>& out) {
  if (value.is_number_unsigned())
    out = value.get<uint64_t>();
  else if (value.is_string())
    out = value.get<std::string>();
  else
    Mismatch(value, where, "an integer from 0 or a string");
}

void Write(json&& answer, json& out) { out = std::move(answer); }

}  // namespace tasklens
