// SPDX-License-Identifier: Apache-2.0
// Reads a JSON object into a struct. Checks every type and describes each error in a sentence:
// "params.task must be an integer from 0 to 4294967295, not a string".
//
// A struct of parameters lists its fields once; the list serves to check, read and document them:
//
//   struct Params {
//     std::string trace;
//     uint32_t task = 0;
//     void Visit(Fields& fields) {
//       fields.Optional("trace", trace);
//       fields.Required("task", task);
//     }
//   };
//
// A name with dots is a member of a member: Required("item.data.trace", trace).
//
// Members that no field names are ignored, as LSP asks (later versions of it may add some); those
// of requests of ours are refused (server/messages/json_reader.h). Threads: one.
#pragma once

#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/protocol/conversion.h"
#include "trace/support/status.h"

namespace tasklens {

class Fields {
 public:
  using Name = ParameterName;
  // The permitted values of a string, or of each string in a list; empty: any.
  using Words = std::initializer_list<std::string_view>;

  // Reads the parameters of a request. They may be absent if all fields are optional.
  static Fields OfParameters(const json& raw);
  // Reads from `object`; error messages call it `where`.
  Fields(const json& object, std::string where);
  // Reads nothing; only collects the names.
  Fields() = default;

  template <class T>
  void Required(std::string_view name, T& value, Words words = {}) {
    Read(name, value, words, true);
  }
  // If the member is missing or null, `value` keeps its value.
  template <class T>
  void Optional(std::string_view name, T& value, Words words = {}) {
    Read(name, value, words, false);
  }
  // Reports an error of the caller's own about the member `name`.
  void Fail(std::string_view name, std::string_view text);

  const Status& status() const { return status_; }
  const std::vector<Name>& names() const { return names_; }

 private:
  template <class T>
  void Read(std::string_view name, T& value, Words words, bool required) {
    names_.push_back({std::string(name), required});
    const json* member = Find(name, required);
    if (!member) return;
    Convert(*member, where_ + "." + names_.back().name, value);
    if (words.size() > 0) CheckWords(name, *member, words);
  }
  // REQUIRES: the member has been read and is a string or a list of strings.
  void CheckWords(std::string_view name, const json& value, Words words);
  const json* Find(std::string_view name, bool required);
  void Mismatch(const json& value, const std::string& where, std::string_view expected);

  void Convert(const json& value, const std::string& where, bool& out);
  void Convert(const json& value, const std::string& where, std::string& out);
  void Convert(const json& value, const std::string& where, uint32_t& out);
  void Convert(const json& value, const std::string& where, int64_t& out);
  void Convert(const json& value, const std::string& where, double& out);
  void Convert(const json& value, const std::string&, json& out) { out = value; }
  void Convert(const json& value, const std::string& where,
               std::map<std::string, std::string>& out);
  template <class T>
  void Convert(const json& value, const std::string& where, std::optional<T>& out) {
    Convert(value, where, out.emplace());
  }
  template <class T>
  void Convert(const json& value, const std::string& where, std::vector<T>& out) {
    if (!value.is_array()) return Mismatch(value, where, "an array");
    out.clear();
    for (size_t i = 0; i < value.size() && status_.ok(); ++i) {
      out.emplace_back();
      Convert(value[i], where + "[" + std::to_string(i) + "]", out.back());
    }
  }
  // For tags, which have 64 bits, more than a number in JavaScript can hold.
  void Convert(const json& value, const std::string& where,
               std::variant<uint64_t, std::string>& out);
  template <class T>
  requires requires(T& t, Fields& f) { VisitMembers(f, t); }
  void Convert(const json& value, const std::string& where, T& out) {
    Fields inner(value, where);
    VisitMembers(inner, out);
    if (status_.ok()) status_ = inner.status();
  }

  const json* object_ = nullptr;
  std::string where_;
  std::vector<Name> names_;
  Status status_;
};

// Messages and other structs have overloads beside their definitions.
template <class T>
requires requires(T& t, Fields& f) { t.Visit(f); }
void VisitMembers(Fields& fields, T& out) { out.Visit(fields); }

template <class Params>
std::vector<ParameterName> NamesOf(const Params&) {
  Fields fields;
  Params params;
  VisitMembers(fields, params);
  return fields.names();
}

template <class Params>
Status Read(const json& raw, Params& params) {
  Fields fields = Fields::OfParameters(raw);
  VisitMembers(fields, params);
  return fields.status();
}

template <class Params>
Result<Params> ReadParams(const json& raw) {
  Params params;
  if (Status s = Read(raw, params); !s.ok()) return s;
  return params;
}

}  // namespace tasklens
