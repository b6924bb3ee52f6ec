// SPDX-License-Identifier: Apache-2.0
// Codelets, kernels, macros and calls are found in sources as people write them.
#include "server/sources/source_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "server/sources/macro_expansion.h"

namespace tasklens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::string Codelets(std::string_view source) {
  std::string text;
  for (const SourceCodelet& codelet : ReadSourceCode(source).codelets) {
    text +=
        std::to_string(codelet.variable.line) + ":" + codelet.variable.text + "=" + codelet.name;
    for (const SourceWord& kernel : codelet.kernels)
      text += " " + std::to_string(kernel.line) + ":" + kernel.text;
    text += "\n";
  }
  return text;
}

std::vector<std::string> Functions(std::string_view source) {
  std::vector<std::string> found;
  for (const SourceFunction& function : ReadSourceCode(source).functions)
    found.push_back((function.is_macro ? "#" : "") + function.name.text + " " +
                    std::to_string(function.name.line) + "-" + std::to_string(function.last_line));
  return found;
}

std::vector<std::string> Calls(std::string_view source) {
  std::vector<std::string> found;
  for (const SourceCall& call : ReadSourceCode(source).calls) {
    std::string text = std::to_string(call.name.line) + "-" + std::to_string(call.last_line) + " " +
                       call.name.text;
    for (const std::string& word : call.words) text += " " + word;
    found.push_back(text);
  }
  return found;
}

TEST(SourceCode, ReadsAnInitializer) {
  EXPECT_EQ(Codelets("static struct starpu_codelet gemm_cl = {\n"
                     "  .cpu_funcs = {gemm_cpu, gemm_avx},\n"
                     "  .cuda_funcs = {gemm_cuda}, .nbuffers = 3,\n"
                     "  .modes = {STARPU_R, STARPU_R, STARPU_RW},\n"
                     "  .name = \"gemm\"};\n"),
            "0:gemm_cl=gemm 1:gemm_cpu 1:gemm_avx 2:gemm_cuda\n");
}

TEST(SourceCode, ReadsStatements) {
  EXPECT_EQ(Codelets("struct starpu_codelet cl;\n"
                     "int main() {\n"
                     "  starpu_codelet_init(&cl);\n"
                     "  cl.cpu_funcs[0] = work;\n"
                     "  cl.cpu_func = NULL;\n"
                     "  cl.name = \"work\";\n}\n"),
            "0:cl=work 3:work\n");
  EXPECT_EQ(Codelets("void fill(struct starpu_codelet *cl) {\n"
                     "  starpu_codelet_init(cl);\n"
                     "  cl->cpu_funcs[0] = work;\n}\n"),
            "0:cl= 2:work\n");
  EXPECT_EQ(Codelets("struct context { int n; struct starpu_codelet cl; };\n"
                     "void fill(struct context *c) { c->cl.cpu_funcs[0] = work; }\n"),
            "0:cl= 1:work\n");
}

TEST(SourceCode, FollowsThePerfmodelToItsSymbol) {
  for (const char* model :
       {"static struct starpu_perfmodel m = {.type = STARPU_HISTORY_BASED, .symbol = \"app_f\"};\n",
        "struct starpu_perfmodel m;\nvoid init() { m.symbol = \"app\" \"_f\"; }\n"}) {
    const auto codelets =
        ReadSourceCode(std::string(model) +
                       "static struct starpu_codelet f = {.cpu_funcs = {g}, .model = &m};\n")
            .codelets;
    ASSERT_EQ(codelets.size(), 1u);
    EXPECT_EQ(codelets[0].symbol, "app_f");
  }
}

TEST(SourceCode, EachElementOfAnArrayIsACodelet) {
  EXPECT_EQ(Codelets("static struct starpu_codelet cls[] = {\n"
                     "  {.cpu_funcs = {a}, .name = \"A\"},\n"
                     "  [1] = {.name = \"B\", .cpu_funcs = {b}},\n};\n"),
            "0:cls=A 1:a\n0:cls=B 2:b\n");
  EXPECT_EQ(Codelets("struct starpu_codelet cls[2];\nvoid f() {\n"
                     "  cls[0].cpu_funcs[0] = a;\n  cls[1].cpu_funcs[0] = b;\n}\n"),
            "0:cls= 2:a 3:b\n");
}

TEST(SourceCode, ReadsCPlusPlus) {
  EXPECT_EQ(Codelets("namespace app { inline namespace v1 {\n"
                     "starpu_codelet cl{.cpu_funcs = {&kernels::gemm<double>},\n"
                     "  .cuda_funcs = {reinterpret_cast<starpu_cuda_func_t>(gpu)}, .name = "
                     "R\"(g\"1)\"};\n}}\n"),
            "1:cl=g\"1 1:gemm 2:gpu\n");
  EXPECT_EQ(Codelets("static struct starpu_codelet a = {.cpu_funcs = {(starpu_cpu_func_t) f}},\n"
                     "  b = {.cpu_func = g};\n"),
            "0:a= 0:f\n1:b= 1:g\n");
}

TEST(SourceCode, KnowsWhatIsOnlyDeclared) {
  const auto codelets = ReadSourceCode(
                            "extern struct starpu_codelet far;\n"
                            "struct starpu_codelet *pointer = &far;\n"
                            "int f(struct starpu_codelet *cl, int n) { return n; }\n"
                            "struct starpu_codelet make(void);\n"
                            "struct starpu_codelet near;\n"
                            "void g(void) { far.cpu_funcs[0] = k; other.cpu_funcs[0] = k; "
                            "thing.name = \"x\"; }\n")
                            .codelets;
  ASSERT_EQ(codelets.size(), 3u);
  EXPECT_EQ(codelets[0].variable.text, "far");
  EXPECT_FALSE(codelets[0].is_defined);
  EXPECT_EQ(codelets[1].variable.text, "near");
  EXPECT_TRUE(codelets[1].is_defined);
  EXPECT_EQ(codelets[2].variable.text, "other");
  EXPECT_FALSE(codelets[2].is_defined);
}

TEST(SourceCode, CommentsAndTextsAreNoWords) {
  EXPECT_EQ(Codelets("// struct starpu_codelet a; \\\n struct starpu_codelet a2;\n"
                     "/* struct starpu_codelet b; */\n"
                     "const char* s = \"struct starpu_codelet c\";\n"
                     "starpu_codelet d = {.name = \"a \\\"d\\\"\" /* name */};\n"),
            "4:d=a \"d\"\n");
}

TEST(SourceCode, FindsFunctionsWhereverTheyAreDefined) {
  EXPECT_THAT(Functions("extern \"C\" {\nvoid f(void** b, void (*arg)(int)) {\n}\n}\n"),
              ElementsAre("f 1-2"));
  EXPECT_THAT(Functions("namespace a::b {\nstatic void f() noexcept(true) {\n}\n"
                        "class C : public D {\n auto m() const -> int { return 1; }\n};\n}\n"),
              ElementsAre("f 1-2", "m 4-4"));
  EXPECT_THAT(
      Functions("void f(void** b);\nint g() { f(0); }\nvoid f(void** b) __attribute__((x))\n"
                "{ if (1) { } }\n"),
      ElementsAre("g 1-1", "f 2-3"));
  EXPECT_THAT(Functions("struct starpu_codelet cl = { .cpu_funcs = { f } };\n"
                        "int table[] = { 1, 2 };\nvoid g(void)\n{\n}\n"),
              ElementsAre("g 2-4"));
}

TEST(SourceCode, BranchesOfIfLeaveBracesInBalance) {
  EXPECT_THAT(Functions("#ifdef A\nvoid f(int) {\n#else\nvoid f(long) {\n#endif\n}\nvoid g() {}\n"),
              ElementsAre("f 1-1", "f 3-5", "g 6-6"));
  EXPECT_THAT(Functions("#if 0\n}\n#endif\nvoid g() {}\n"), ElementsAre("g 3-3"));
}

TEST(SourceCode, RemembersMacrosAndWhatTheyHold) {
  const SourceCode code = ReadSourceCode(
      "#define SUBMIT(h) \\\n  starpu_task_insert(&gemm, \\\n    STARPU_RW, h, 0)\n"
      "#define N 4\n#include <x.h>\n");
  ASSERT_EQ(code.functions.size(), 2u);
  EXPECT_TRUE(code.functions[0].is_macro);
  EXPECT_EQ(code.functions[0].name.text, "SUBMIT");
  EXPECT_EQ(code.functions[0].last_line, 2u);
  EXPECT_THAT(code.functions[0].words, ElementsAre("starpu_task_insert", "gemm", "STARPU_RW", "h"));
}

TEST(SourceCode, MacrosThatPasteWordsAreExpanded) {
  const std::string macros =
      "#define CODELET(x) \\\n"
      "  void x##_cpu(void *b[], void *a); \\\n"
      "  static struct starpu_codelet cl_##x = {.cpu_funcs = {x##_cpu}, .name = #x}\n"
      "#define KERNEL(x) void x##_cpu(void *b[], void *a)\n"
      "#define CL(x) cl_##x\n"
      "#define SUBMIT(x, ...) starpu_task_insert(&CL(x), ##__VA_ARGS__)\n"
      "#define ALL(X) X(gemm) X(trsm)\n"
      "#define CODELET2(x) CODELET(x);\n";
  const std::string use = macros +
                          "CODELET(potrf);\n"
                          "ALL(CODELET2)\n"
                          "KERNEL(gemm) {\n"
                          "}\n"
                          "void f() {\n"
                          "  SUBMIT(gemm, STARPU_RW, h);\n"
                          "  starpu_task_insert(&CL(trsm), 0);\n"
                          "  task->cl = &CL(potrf);\n"
                          "}\n";
  EXPECT_EQ(Codelets(use),
            "8:cl_potrf=potrf 8:potrf_cpu\n"
            "9:cl_gemm=gemm 9:gemm_cpu\n"
            "9:cl_trsm=trsm 9:trsm_cpu\n");
  EXPECT_THAT(Functions(use), Contains("gemm_cpu 10-11"));
  EXPECT_THAT(Calls(use), ElementsAre("13-13 SUBMIT gemm STARPU_RW h",
                                      "13-13 starpu_task_insert cl_gemm STARPU_RW h",
                                      "14-14 starpu_task_insert cl_trsm", "14-14 CL trsm",
                                      "15-15 cl cl_potrf", "15-15 CL potrf"));
  const SourceCodelet codelet = ReadSourceCode(use).codelets[0];
  EXPECT_EQ(codelet.variable.begin_byte, 8u);  // of "potrf" in CODELET(potrf)
  EXPECT_EQ(codelet.variable.end_byte, 13u);
  // Of another file.
  MacroTable table;
  AddPastingMacros(ReadSourceCode(macros).functions, table);
  EXPECT_EQ(ReadSourceCode("CODELET(syrk);\n", table).codelets.size(), 1u);
}

TEST(SourceCode, MacrosThatPasteEndlesslyEnd) {
  std::string bomb = "#define A0(x) x##x\n";
  for (int i = 1; i < 40; ++i)
    bomb += "#define A" + std::to_string(i) + "(x) A" + std::to_string(i - 1) + "(x) A" +
            std::to_string(i - 1) + "(x##x) A" + std::to_string(i) + "(x)\n";
  bomb += "void f() {\n";
  for (int i = 0; i < 40; ++i) bomb += "A" + std::to_string(i) + "(A39(a))(\n";
  ReadSourceCode(bomb);
  ReadSourceCode("#define P(x) x##P(x)\nP(P(P(P)\nP(##)P(,,,)\n#define Q(\n#define R(a");
}

TEST(SourceCode, RemembersCallsWithTheirWords) {
  EXPECT_THAT(Calls("int main(void) {\n  starpu_task_insert(&gemm,\n    STARPU_R, a[i],\n    0);\n"
                    "  SUBMIT_ALL;\n  if (x) return f(1);\n  task->cl = &gemm;\n}\n"
                    "int n = g(2);\n"),
              ElementsAre("1-3 starpu_task_insert gemm STARPU_R a i", "4-4 SUBMIT_ALL", "5-5 f",
                          "6-6 cl gemm"));
}

TEST(SourceCode, ACallKnowsItsFunction) {
  const SourceCode code = ReadSourceCode("void a() { f(); }\nvoid b() { { g(); } }\n");
  ASSERT_EQ(code.calls.size(), 2u);
  EXPECT_EQ(code.functions[static_cast<size_t>(code.calls[0].function)].name.text, "a");
  EXPECT_EQ(code.functions[static_cast<size_t>(code.calls[1].function)].name.text, "b");
}

TEST(SourceCode, ALambdaOfAVariableIsAFunction) {
  EXPECT_THAT(Functions("int main() {\n auto f = [&](int a) -> int { return a; };\n"
                        " each([&] { g(); });\n int x = t[1]; { }\n auto h = [] {\n };\n}\n"),
              ElementsAre("main 0-6", "f 1-1", "h 4-5"));
}

TEST(SourceCode, AnyTextIsReadToItsEnd) {
  for (const char* text : {"",
                           "\"",
                           "'",
                           "/*",
                           "//",
                           "#",
                           "#define",
                           "#define X(",
                           "struct starpu_codelet x = {",
                           "x.",
                           "x->",
                           "struct starpu_codelet x = {.cpu_funcs = {",
                           "\\",
                           "\"\\",
                           "R\"",
                           "R\"(",
                           "a(",
                           ")",
                           "}",
                           "extern \"C\" {",
                           "struct starpu_codelet a[",
                           "task->cl = &"})
    ReadSourceCode(text);
  EXPECT_EQ(Codelets("starpu_codelet x = {.cpu_funcs = {f"), "0:x= 0:f\n");
}

TEST(SourceCode, RandomWordsAreReadToTheirEnd) {
  const std::vector<std::string> words = {"struct ",   "starpu_codelet ",
                                          "x",         "cl",
                                          ".",         "->",
                                          "=",         "{",
                                          "}",         "(",
                                          ")",         "[",
                                          "]",         ",",
                                          ";",         "\"",
                                          "'",         "\n",
                                          "#if\n",     "#else\n",
                                          "#endif\n",  "#define ",
                                          "cpu_funcs", "&",
                                          "*",         "\\",
                                          "<",         ">",
                                          "R\"",       "/*",
                                          "*/",        "//"};
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (size_t i = 0; i < 40; ++i) text += words[random() % words.size()];
    const SourceCode code = ReadSourceCode(text);
    for (const SourceCall& call : code.calls)
      ASSERT_LT(call.function, static_cast<int32_t>(code.functions.size())) << text;
  }
}

// Each would take hours if every bracket looked at every other.
TEST(SourceCode, HostileTextsCostLittle) {
  const size_t size = 1 << 20;
  std::string text(size, '(');
  text += std::string(size, ']');
  ReadSourceCode(text);
  ReadSourceCode(std::string(size, '{') + std::string(size, ')'));
  std::string branches;
  for (size_t i = 0; i < size / 8; ++i) branches += "#if\n{\n";
  ReadSourceCode(branches);
  std::string fields = "struct starpu_codelet c = {";
  for (size_t i = 0; i < size / 8; ++i) fields += ".cpu_funcs = {f,";
  ReadSourceCode(fields);
  std::string declarations;
  for (size_t i = 0; i < size / 8; ++i) declarations += "starpu_codelet a;a.cpu_func = f;";
  ReadSourceCode(declarations);
}

TEST(SourceCode, KnowsWhatSubmits) {
  for (const char* name : {"starpu_task_insert", "starpu_insert_task", "starpu_mpi_task_insert",
                           "starpu_task_submit", "starpu_task_submit_to_ctx"})
    EXPECT_TRUE(SubmitsTasks(name)) << name;
  for (const char* name : {"starpu_task_wait_for_all", "my_task_insert", "starpu_init", ""})
    EXPECT_FALSE(SubmitsTasks(name)) << name;
}

TEST(WordAt, TakesTheWordAroundAPlace) {
  EXPECT_EQ(WordAt("insert(&gemm_cl, 3)", 10), "gemm_cl");
  EXPECT_EQ(WordAt("insert(&gemm_cl, 3)", 8), "gemm_cl");
  EXPECT_EQ(WordAt("a + b", 2), "");
  EXPECT_EQ(WordAt("ab", 99), "ab");
}

}  // namespace
}  // namespace tasklens
