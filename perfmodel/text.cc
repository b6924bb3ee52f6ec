// SPDX-License-Identifier: Apache-2.0
// What StarPU's tools print of perfmodels.
#include "perfmodel/text.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <ranges>

#include "perfmodel/file.h"
#include "trace/support/plain_numbers.h"
#include "trace/support/read_number.h"

namespace tasklens {
namespace {

[[gnu::format(printf, 2, 3)]] void Append(std::string& text, const char* format, ...) {
  const PlainNumbers plain;
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  const int n = std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  text.append(line, static_cast<size_t>(std::clamp(n, 0, static_cast<int>(sizeof(line)) - 1)));
}

std::string_view KindName(int kind) {
  for (const DeviceKind& row : DeviceKinds())
    if (row.number == kind) return row.name;
  return "unknown";
}

void AppendEscaped(std::string& xml, std::string_view text) {
  for (const char c : text) {
    if (c == '&') {
      xml += "&amp;";
    } else if (c == '<') {
      xml += "&lt;";
    } else if (c == '"') {
      xml += "&quot;";
    } else {
      xml += c;
    }
  }
}

void AppendRegressions(std::string& text, const PerfmodelImplementation& implementation) {
  const PowerLaw& law = implementation.power_law;
  const ShiftedPowerLaw& shifted = implementation.shifted;
  const PerfmodelType type = GuessType(implementation);
  if (type != PerfmodelType::kPowerLaw && type != PerfmodelType::kShiftedPowerLaw) return;
  Append(text, "\tRegression : #sample = %" PRIu64 "\n", law.samples);
  Append(text, "\tLinear: y = alpha size ^ beta\n\t\talpha = %e\n\t\tbeta = %e\n", law.alpha,
         law.beta);
  if (type == PerfmodelType::kShiftedPowerLaw)
    Append(text, "\tNon-Linear: y = a size ^b + c\n\t\ta = %e\n\t\tb = %e\n\t\tc = %e\n", shifted.a,
           shifted.b, shifted.c);
}

void AppendMultiple(std::string& text, const MultipleRegression& multiple) {
  if (multiple.coefficients.empty()) return;
  text += "\tMultiple: y = intercept";
  for (size_t i = 1; i < multiple.coefficients.size(); ++i)
    text += " + c" + std::to_string(i) + (i <= multiple.terms.size() ? " " : "") +
            (i <= multiple.terms.size() ? multiple.terms[i - 1] : "");
  Append(text, "\n\t\tintercept = %e\n", multiple.coefficients[0]);
  for (size_t i = 1; i < multiple.coefficients.size(); ++i)
    Append(text, "\t\tc%zu = %e\n", i, multiple.coefficients[i]);
}

}  // namespace

std::string ImplementationText(const PerfmodelImplementation& implementation,
                               std::string_view arch_name, std::optional<uint32_t> footprint) {
  std::string text = "# performance model for " + std::string(arch_name) + "\n";
  AppendRegressions(text, implementation);
  AppendMultiple(text, implementation.multiple);
  if (implementation.entries.empty()) return text;
  text += "# hash\t\tsize\t\tflops\t\tmean (us or J)\tstddev (us or J)\t\tn\n";
  for (const PerfmodelEntry& entry : std::views::reverse(implementation.entries)) {
    if (footprint && entry.footprint != *footprint) continue;
    Append(text, "%08x\t%-15" PRIu64 "\t%-15e\t%-15e\t%-15e\t%" PRIu64 "\n", entry.footprint,
           entry.size_bytes, entry.flops, entry.mean, entry.deviation, entry.samples);
  }
  return text;
}

Result<std::string> ParameterText(const PerfmodelImplementation& implementation,
                                  std::string_view parameter, std::optional<uint32_t> footprint,
                                  std::string_view debug_path) {
  const struct {
    std::string_view name;
    double value;
  } numbers[] = {
      {"a", implementation.shifted.a},         {"b", implementation.shifted.b},
      {"c", implementation.shifted.c},         {"alpha", implementation.power_law.alpha},
      {"beta", implementation.power_law.beta},
  };
  std::string text;
  for (const auto& number : numbers) {
    if (number.name != parameter) continue;
    Append(text, "%e\n", number.value);
    return text;
  }
  if (parameter == "path-file-debug") return std::string(debug_path) + "\n";
  if (parameter != "mean" && parameter != "stddev")
    return Status(ErrorCode::kInvalidArgument,
                  "no parameter is called '" + std::string(parameter) +
                      "'; there are a, b, c, alpha, beta, mean, stddev and path-file-debug");
  for (const PerfmodelEntry& entry : std::views::reverse(implementation.entries))
    if (!footprint || entry.footprint == *footprint)
      Append(text, "%-15e\n", parameter == "mean" ? entry.mean : entry.deviation);
  return text;
}

namespace {

void AppendXml(std::string& xml, const PerfmodelImplementation& implementation) {
  const PowerLaw& law = implementation.power_law;
  const ShiftedPowerLaw& shifted = implementation.shifted;
  const MultipleRegression& multiple = implementation.multiple;
  switch (GuessType(implementation)) {
    case PerfmodelType::kPowerLaw:
      xml += "      <!-- time = alpha size ^ beta -->\n";
      Append(xml,
             "      <l_regression sumlnx=\"%e\" sumlnx2=\"%e\" sumlny=\"%e\" sumlnxlny=\"%e\" "
             "alpha=\"%e\" beta=\"%e\" nsample=\"%" PRIu64 "\" minx=\"%" PRIu64 "\" maxx=\"%" PRIu64
             "\"/>\n",
             law.sum_ln_x, law.sum_ln_x2, law.sum_ln_y, law.sum_ln_x_ln_y, law.alpha, law.beta,
             law.samples, law.min_x, law.max_x);
      break;
    case PerfmodelType::kShiftedPowerLaw:
      xml += "      <!-- time = a size ^b + c -->\n";
      Append(xml, "      <nl_regression a=\"%e\" b=\"%e\" c=\"%e\"/>\n", shifted.a, shifted.b,
             shifted.c);
      break;
    case PerfmodelType::kMultiple:
      Append(xml, "      <ml_regression constant=\"%e\"", multiple.coefficients[0]);
      xml += multiple.coefficients.size() > 1 ? ">\n" : "/>\n";
      for (size_t i = 1; i < multiple.coefficients.size(); ++i) {
        xml += "        <monomial name=\"";
        AppendEscaped(xml,
                      i <= multiple.terms.size() ? multiple.terms[i - 1] : "c" + std::to_string(i));
        Append(xml, "\" coef=\"%e\"/>\n", multiple.coefficients[i]);
      }
      if (multiple.coefficients.size() > 1) xml += "      </ml_regression>\n";
      break;
    case PerfmodelType::kHistory: break;
  }
  for (const PerfmodelEntry& entry : std::views::reverse(implementation.entries))
    Append(xml,
           "      <entry footprint=\"%08x\" size=\"%" PRIu64
           "\" flops=\"%e\" mean=\"%e\" deviation=\"%e\" sum=\"%e\" sum2=\"%e\" nsample=\"%" PRIu64
           "\"/>\n",
           entry.footprint, entry.size_bytes, entry.flops, entry.mean, entry.deviation, entry.sum,
           entry.sum2, entry.samples);
}

}  // namespace

std::string PerfmodelXml(const Perfmodel& model, std::string_view symbol) {
  std::string xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<!DOCTYPE StarPUPerfmodel SYSTEM \"starpu-perfmodel.dtd\">\n";
  // (A comment may not hold "--".)
  if (!symbol.empty() && symbol.find("--") == std::string_view::npos)
    xml += "<!-- symbol " + std::string(symbol) + " -->\n";
  xml += "<!-- All times in us -->\n";
  Append(xml, "<perfmodel version=\"%d\">\n", kPerfmodelVersion);
  for (const PerfmodelCombination& combination : model.combinations) {
    xml += "  <combination>\n";
    for (const PerfmodelDevice& device : combination.devices) {
      Append(xml, "    <device type=\"%s\" id=\"%d\"", std::string(KindName(device.kind)).c_str(),
             device.number);
      if (device.kind == kCpuDevice) Append(xml, " ncores=\"%d\"", device.cores);
      xml += "/>\n";
    }
    for (size_t i = 0; i < combination.implementations.size(); ++i) {
      Append(xml, "    <implementation id=\"%zu\">\n", i);
      xml += "      <!-- " +
             ArchName(combination.devices, static_cast<unsigned>(i), combination.number) + " -->\n";
      AppendXml(xml, combination.implementations[i]);
      xml += "    </implementation>\n";
    }
    xml += "  </combination>\n";
  }
  return xml + "</perfmodel>\n";
}

Result<CombinationFilter> ArchFilter(const std::string& arch) {
  if (arch.empty()) return CombinationFilter([](const PerfmodelCombination&) { return true; });
  for (const DeviceKind& kind : DeviceKinds()) {
    if (!arch.starts_with(kind.label)) continue;
    std::string_view rest = std::string_view(arch).substr(kind.label.size());
    const bool is_cores = rest.starts_with(':');
    if (is_cores || rest.starts_with('_')) rest.remove_prefix(1);
    int number = -1;
    if (!rest.empty() && !ReadNumber(rest, number)) continue;
    return CombinationFilter([=, kind = kind.number](const PerfmodelCombination& combination) {
      if (combination.devices.size() != 1 || combination.devices[0].kind != kind) return false;
      const PerfmodelDevice& device = combination.devices[0];
      if (is_cores) return device.cores == number;
      return number < 0 || device.number == number;
    });
  }
  return {ErrorCode::kInvalidArgument,
          "no architecture is called '" + arch + "'; there are cpu, cpu:CORES, cuda, cudaN, ..."};
}

Result<std::string> ModelText(const Perfmodel& model, const ModelSelection& selection,
                              const std::string& debug_path, const std::string& name) {
  // "cpu0_impl0", as the text calls an implementation, with or without the " (Comb0)" behind it.
  const bool is_of_one = selection.arch.find("_impl") != selection.arch.npos;
  const auto is_named = [&](std::string_view name) {
    return name == selection.arch || (name.starts_with(selection.arch) &&
                                      name.substr(selection.arch.size()).starts_with(" ("));
  };
  const auto is_wanted = ArchFilter(is_of_one ? "" : selection.arch);
  if (!is_wanted.ok()) return is_wanted.status();
  bool any = !is_of_one && model.combinations.empty();
  std::string text;
  for (const PerfmodelCombination& combination : model.combinations) {
    if (!(*is_wanted)(combination)) continue;
    any |= !is_of_one;
    for (size_t i = 0; i < combination.implementations.size(); ++i) {
      const std::string arch =
          ArchName(combination.devices, static_cast<unsigned>(i), combination.number);
      if (is_of_one && !is_named(arch)) continue;
      any = true;
      const PerfmodelImplementation& implementation = combination.implementations[i];
      if (selection.parameter.empty()) {
        text += ImplementationText(implementation, arch, selection.footprint);
        continue;
      }
      const auto parameter = ParameterText(implementation, selection.parameter, selection.footprint,
                                           debug_path + arch + ".debug");
      if (!parameter.ok()) return parameter.status();
      text += "# performance model for " + arch + "\n" + *parameter;
    }
  }
  if (any) return text;
  return {ErrorCode::kNotFound,
          name + ": knows nothing of the architecture '" + selection.arch + "'"};
}

std::string CombinationsText(const Perfmodel& model, std::string_view symbol) {
  std::string text = "Model <" + std::string(symbol) + ">\n";
  for (const PerfmodelCombination& combination : model.combinations) {
    const size_t count = combination.devices.size();
    Append(text, "\tComb %d: %zu device%s\n", combination.number, count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count; ++i) {
      const PerfmodelDevice& device = combination.devices[i];
      std::string name = DevicesName({&device, 1});
      name.resize(name.find_last_not_of("-0123456789") + 1);
      Append(text, "\t\tDevice %zu: type: %s - devid: %d - ncores: %d\n", i, name.c_str(),
             device.number, device.cores);
    }
  }
  return text;
}

}  // namespace tasklens
