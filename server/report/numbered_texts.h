// SPDX-License-Identifier: Apache-2.0
// Tables of distinct strings; columns hold the index of a string.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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

// Texts as patterns and the numbers in them: of "job 12" the pattern is "job \x01", the number 12.
class NumberedPatterns {
 public:
  void Add(std::string_view text) {
    constexpr size_t kMostDigits = 15;  // exact in JavaScript
    std::string pattern;
    for (size_t at = 0, end; at < text.size(); at = end) {
      end = std::min(text.find_first_not_of("123456789", at), text.size());
      if (end > at) end = std::min(text.find_first_not_of("0123456789", at), text.size());
      if (end > at && end - at <= kMostDigits) {
        numbers_.push_back(std::stoll(std::string(text.substr(at, end - at))));
        pattern += '\x01';
      } else {
        end = std::max(end, at + 1);
        pattern += text[at] == '\x01' ? " " : text.substr(at, end - at);
      }
    }
    pattern_of_.push_back(patterns_.Of(pattern));
  }
  const std::vector<size_t>& pattern_of() const { return pattern_of_; }  // by text
  const std::vector<int64_t>& numbers() const { return numbers_; }       // of all texts, in order
  nlohmann::json TakePatterns() { return patterns_.Take(); }

 private:
  NumberedTexts patterns_;
  std::vector<size_t> pattern_of_;
  std::vector<int64_t> numbers_;
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
