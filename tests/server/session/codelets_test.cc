// SPDX-License-Identifier: Apache-2.0
// Codelets and kernels are found in sources as people write them.
#include "server/session/codelets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tasklens {
namespace {

std::string Describe(const std::vector<SourceCodelet>& codelets) {
  std::string text;
  for (const SourceCodelet& codelet : codelets) {
    text +=
        std::to_string(codelet.variable.line) + ":" + codelet.variable.text + "=" + codelet.name;
    for (const SourceWord& kernel : codelet.kernels)
      text += " " + std::to_string(kernel.line) + ":" + kernel.text;
    text += "\n";
  }
  return text;
}

TEST(FindCodelets, ReadsAnInitializer) {
  EXPECT_EQ(Describe(FindCodelets("static struct starpu_codelet gemm_cl = {\n"
                                  "  .cpu_funcs = {gemm_cpu, gemm_avx},\n"
                                  "  .cuda_funcs = {gemm_cuda}, .nbuffers = 3,\n"
                                  "  .modes = {STARPU_R, STARPU_R, STARPU_RW},\n"
                                  "  .name = \"gemm\"};\n")),
            "0:gemm_cl=gemm 1:gemm_cpu 1:gemm_avx 2:gemm_cuda\n");
}

TEST(FindCodelets, ReadsStatements) {
  EXPECT_EQ(Describe(FindCodelets("struct starpu_codelet cl;\n"
                                  "int main() {\n"
                                  "  starpu_codelet_init(&cl);\n"
                                  "  cl.cpu_funcs[0] = work;\n"
                                  "  cl.cpu_func = NULL;\n"
                                  "  cl.name = \"work\";\n}\n")),
            "0:cl=work 3:work\n");
}

TEST(FindCodelets, FollowsThePerfmodelToItsSymbol) {
  const auto codelets = FindCodelets(
      "static struct starpu_perfmodel m = {.type = STARPU_HISTORY_BASED, .symbol = \"app_f\"};\n"
      "static struct starpu_codelet f = {.cpu_funcs = {g}, .model = &m, .name = \"f\"};\n");
  ASSERT_EQ(codelets.size(), 1u);
  EXPECT_EQ(codelets[0].symbol, "app_f");
}

TEST(FindCodelets, CommentsAndTextsAreNoWords) {
  EXPECT_EQ(Describe(FindCodelets("// struct starpu_codelet a;\n"
                                  "/* struct starpu_codelet b; */\n"
                                  "const char* s = \"struct starpu_codelet c\";\n"
                                  "starpu_codelet d = {.name = \"a \\\"d\\\"\" /* name */};\n")),
            "3:d=a \"d\"\n");
}

TEST(FindCodelets, AnyTextIsReadToItsEnd) {
  for (const char* text : {"", "\"", "'", "/*", "//", "struct starpu_codelet x = {", "x.",
                           "struct starpu_codelet x = {.cpu_funcs = {", "\\", "\"\\"})
    FindCodelets(text);
  EXPECT_EQ(Describe(FindCodelets("starpu_codelet x = {.cpu_funcs = {f")), "0:x= 0:f\n");
}

TEST(FindFunction, FindsTheDefinitionNotTheCallOrTheDeclaration) {
  const std::string source =
      "void f(void** b, void* arg);\n"
      "int main() { f(0, 0); }\n"
      "void f(void** b, void (*arg)(int)) {\n}\n";
  EXPECT_EQ(FindFunction(source, "f").line, 2u);
  EXPECT_EQ(FindFunction(source, "g").line, UINT32_MAX);
}

TEST(WordAt, TakesTheWordAroundAPlace) {
  EXPECT_EQ(WordAt("insert(&gemm_cl, 3)", 10), "gemm_cl");
  EXPECT_EQ(WordAt("insert(&gemm_cl, 3)", 8), "gemm_cl");
  EXPECT_EQ(WordAt("a + b", 2), "");
  EXPECT_EQ(WordAt("ab", 99), "ab");
}

}  // namespace
}  // namespace tasklens
