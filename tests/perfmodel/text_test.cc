// SPDX-License-Identifier: Apache-2.0
// Models as StarPU's tools print them.
#include "perfmodel/text.h"

#include <gtest/gtest.h>

#include "perfmodel/file.h"
#include "tests/perfmodel/real_files.h"

namespace tasklens {
namespace {

using testing::FileText;
using testing::kPerfmodels;

Perfmodel Model(const std::string& symbol) {
  const auto file = ReadPerfmodel(kPerfmodels + "sampling/codelets/45/" + symbol + ".node0");
  return file.ok() ? file->model : Perfmodel();
}

std::string Text(const Perfmodel& model, std::optional<uint32_t> footprint = {}) {
  std::string text;
  for (const PerfmodelCombination& combination : model.combinations)
    for (size_t i = 0; i < combination.implementations.size(); ++i)
      text += ImplementationText(
          combination.implementations[i],
          ArchName(combination.devices, static_cast<unsigned>(i), combination.number), footprint);
  return text;
}

TEST(PerfmodelText, IsStarPUs) {
  for (const std::string symbol :
       {"demo_cholesky_gemm", "demo_cholesky_potrf", "non_linear_memset_regression_based"}) {
    const std::string reference = kPerfmodels + "reference/display-" + symbol;
    EXPECT_EQ(Text(Model(symbol)), FileText(reference + ".txt"));
    EXPECT_EQ(PerfmodelXml(Model(symbol), symbol), FileText(reference + ".xml"));
  }
}

TEST(PerfmodelText, HasOneEntryForAFootprint) {
  EXPECT_EQ(Text(Model("demo_cholesky_gemm"), 0x6eb141a2),
            "# performance model for cpu0_impl0 (Comb0)\n"
            "# hash\t\tsize\t\tflops\t\tmean (us or J)\tstddev (us or J)\t\tn\n"
            "6eb141a2\t3072           \t8.192000e+03   \t4.600404e+00   \t3.385341e-01   \t57\n");
}

TEST(PerfmodelText, HasOneParameter) {
  const Perfmodel model = Model("non_linear_memset_regression_based");
  const PerfmodelImplementation& first = model.combinations[0].implementations[0];
  const auto text = [&](const char* parameter, std::optional<uint32_t> footprint = {}) {
    const auto result = ParameterText(first, parameter, footprint, "d");
    return result.ok() ? *result : result.status().message();
  };
  EXPECT_EQ(text("a"), "3.504031e-06\n");
  EXPECT_EQ(text("alpha"), "1.007673e-02\n");
  EXPECT_EQ(text("mean", 0x5955a081), "2.635620e+03   \n");
  EXPECT_EQ(text("stddev", 0x5955a081), "2.067096e+02   \n");
  EXPECT_EQ(text("path-file-debug"), "d\n");
  EXPECT_NE(text("speed").find("no parameter is called 'speed'"), std::string::npos);
}

TEST(PerfmodelText, TellsTheCoresOfCpusOnly) {
  const Perfmodel model{{{0, {{}, {.kind = kCudaDevice, .number = 2}}, {}}}};
  EXPECT_NE(PerfmodelXml(model, "s")
                .find("    <device type=\"CPU\" id=\"0\" ncores=\"1\"/>\n"
                      "    <device type=\"CUDA\" id=\"2\"/>\n"),
            std::string::npos);
}

TEST(PerfmodelText, ShowsTheCoefficientsOfSeveralTerms) {
  PerfmodelImplementation implementation;
  implementation.multiple = {{"M^2*N", "a<b"}, {1, 2, 3}};
  EXPECT_EQ(ImplementationText(implementation, "cpu0_impl0 (Comb0)", {}),
            "# performance model for cpu0_impl0 (Comb0)\n"
            "\tMultiple: y = intercept + c1 M^2*N + c2 a<b\n"
            "\t\tintercept = 1.000000e+00\n\t\tc1 = 2.000000e+00\n\t\tc2 = 3.000000e+00\n");
  const Perfmodel model{{{0, {{}}, {implementation}}}};
  EXPECT_NE(PerfmodelXml(model, "s").find("<monomial name=\"a&lt;b\" coef=\"3.000000e+00\"/>"),
            std::string::npos);
}

}  // namespace
}  // namespace tasklens
