// SPDX-License-Identifier: Apache-2.0
// Tables of distinct strings; columns hold the index of a string.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "trace/model/trace_model.h"

namespace tasklens {

// Distinct strings, numbered in the order of their first use.
class NumberedTexts {
 public:
  size_t Of(const std::string& text) {
    const auto [it, is_new] = numbers_.try_emplace(text, numbers_.size());
    if (is_new) list_.push_back(it->first);
    return it->second;
  }
  nlohmann::json Take() { return std::move(list_); }

 private:
  std::unordered_map<std::string, size_t> numbers_;
  nlohmann::json list_ = nlohmann::json::array();
};

// The same for strings of the model, by StringId.
class NumberedNames {
 public:
  explicit NumberedNames(const TraceModel& model) : model_(model) {}
  size_t Of(StringId id) {
    const auto [it, is_new] = numbers_.try_emplace(id, numbers_.size());
    if (is_new) list_.push_back(model_.str(id));
    return it->second;
  }
  nlohmann::json Take() { return std::move(list_); }

 private:
  const TraceModel& model_;
  std::unordered_map<StringId, size_t> numbers_;
  nlohmann::json list_ = nlohmann::json::array();
};

}  // namespace tasklens
