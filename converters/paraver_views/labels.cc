// SPDX-License-Identifier: Apache-2.0
// Resolves types and values of events by their names in the trace.
#include <algorithm>

#include "converters/paraver_views/configuration.h"
#include "converters/readers/prv_labels.h"

namespace tasklens {
namespace {

std::vector<int64_t> TypesCalled(const PrvLabels& labels, const std::string& label) {
  std::vector<int64_t> types;
  for (const auto& [number, type] : labels.types)
    if (type.label == label) types.push_back(number);
  return types;
}

std::vector<int64_t> ValuesCalled(const PrvLabels& labels, const std::string& label) {
  std::vector<int64_t> values;
  for (const auto& [number, type] : labels.types)
    for (const auto& [value, text] : *type.values)
      if (text == label) values.push_back(value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

template <class Called>
void Choose(ViewFunction& filter, const Called& called) {
  constexpr std::string_view kUnknown = "Unknown";
  if (filter.parameters.empty() || filter.labels.size() != filter.parameters[0].size()) return;
  std::vector<double> numbers;
  for (size_t i = 0; i < filter.labels.size(); ++i) {
    const std::string& label = filter.labels[i];
    std::vector<int64_t> found;
    if (!label.empty() && label != kUnknown) found = called(label);
    if (found.empty())
      numbers.push_back(filter.parameters[0][i]);
    else
      numbers.insert(numbers.end(), found.begin(), found.end());
  }
  filter.parameters[0] = std::move(numbers);
}

}  // namespace

void ChooseByLabels(ViewConfiguration& configuration, std::string_view pcf) {
  PrvLabels labels;
  ReadPcf(pcf, labels);
  for (ViewWindow& window : configuration.windows) {
    if (const auto type = window.functions.find("evt_type"); type != window.functions.end())
      Choose(type->second, [&](const std::string& label) { return TypesCalled(labels, label); });
    if (const auto value = window.functions.find("evt_value"); value != window.functions.end())
      Choose(value->second, [&](const std::string& label) { return ValuesCalled(labels, label); });
  }
}

}  // namespace tasklens
