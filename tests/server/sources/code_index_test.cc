// SPDX-License-Identifier: Apache-2.0
// A codelet is known in every file that submits it, and no other of its name is taken for it.
#include "server/sources/code_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "server/session/session.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

CodeView View(const std::map<std::string, std::string>& texts) {
  std::vector<CodeView::File> files;
  for (const auto& [path, text] : texts)
    files.push_back({path, std::make_shared<const SourceCode>(ReadSourceCode(text))});
  return CodeView(std::move(files));
}

std::vector<std::string> Places(const std::vector<CodeView::CodeletPlace>& codelets) {
  std::vector<std::string> places;
  for (const auto& [file, codelet] : codelets)
    places.push_back(file->path + ":" + std::to_string(codelet->variable.line));
  return places;
}

std::vector<std::string> Places(const std::vector<CodeView::CallPlace>& calls) {
  std::vector<std::string> places;
  for (const auto& [file, call] : calls)
    places.push_back(file->path + ":" + std::to_string(call->name.line) + " " + call->name.text);
  return places;
}

std::vector<std::string> Variables(const std::vector<CodeView::CodeletPlace>& codelets) {
  std::vector<std::string> variables;
  for (const auto& place : codelets) variables.push_back(place.codelet->variable.text);
  return variables;
}

// The uses of what `name` submits with in the file `path`.
std::vector<std::string> Uses(const CodeView& view, const std::string& path,
                              const std::string& name) {
  std::vector<std::string> uses;
  for (const auto& submitter : view.FindSubmitters(path, name))
    for (std::string& use : Places(view.UsesOf(submitter))) uses.push_back(std::move(use));
  return uses;
}

// What the submitter `name` of the file `path` submits in the end.
std::vector<std::string> Submitted(const CodeView& view, const std::string& path,
                                   const std::string& name) {
  std::vector<std::string> variables;
  for (const auto& submitter : view.FindSubmitters(path, name))
    for (std::string& variable : Variables(view.CodeletsOf(submitter, /*given=*/true)))
      variables.push_back(std::move(variable));
  return variables;
}

TEST(CodeView, FindsACodeletThatAnotherFileDefines) {
  const CodeView view = View({{"kernels.c", "struct starpu_codelet gemm = {.cpu_funcs = {k}};\n"},
                              {"main.c",
                               "extern struct starpu_codelet gemm;\n"
                               "int main() {\n starpu_task_insert(&gemm, 0);\n}\n"}});
  const auto found = view.CodeletsOfWord("main.c", "gemm");
  EXPECT_THAT(Places(found), ElementsAre("kernels.c:0"));
  EXPECT_THAT(Places(view.SubmissionsOf(found[0])), ElementsAre("main.c:2 starpu_task_insert"));
  EXPECT_THAT(Places(view.CodeletsOfWord("main.c", "k")), ElementsAre("kernels.c:0"));
}

TEST(CodeView, ACodeletOfAHeaderIsThatOfAllWhoIncludeIt) {
  const CodeView view = View({{"cl.h", "static struct starpu_codelet cl = {.name = \"n\"};\n"},
                              {"a.c", "void f() { starpu_task_insert(&cl, 0); }\n"}});
  const auto found = view.CodeletsOfWord("a.c", "cl");
  EXPECT_THAT(Places(found), ElementsAre("cl.h:0"));
  EXPECT_THAT(Places(view.SubmissionsOf(found[0])), ElementsAre("a.c:0 starpu_task_insert"));
}

TEST(CodeView, StaticCodeletsOfOneNameAreDifferent) {
  const std::string text =
      "static struct starpu_codelet cl = {.cpu_funcs = {k}};\n"
      "void f() { starpu_task_insert(&cl, 0); }\n";
  const CodeView view = View({{"a.c", text}, {"b.c", text}, {"c.c", "extern int cl;\n"}});
  const auto found = view.CodeletsOfWord("b.c", "cl");
  EXPECT_THAT(Places(found), ElementsAre("b.c:0"));
  EXPECT_THAT(Places(view.SubmissionsOf(found[0])), ElementsAre("b.c:1 starpu_task_insert"));
  EXPECT_THAT(view.CodeletsOfWord("c.c", "cl"), IsEmpty());
  EXPECT_THAT(Places(view.CodeletsOfWord("a.c", "k")), ElementsAre("a.c:0"));
}

TEST(CodeView, WhatAnotherFileFillsBelongsToTheCodelet) {
  const CodeView view =
      View({{"cl.c", "struct starpu_codelet cl;\n"},
            {"init.c", "void init() { starpu_codelet_init(&cl); cl.cpu_funcs[0] = work; }\n"}});
  EXPECT_THAT(Places(view.CodeletsOfWord("cl.c", "cl")), ElementsAre("cl.c:0", "init.c:0"));
  EXPECT_THAT(Places(view.CodeletsOfWord("cl.c", "work")), ElementsAre("init.c:0"));
}

TEST(CodeView, MacrosSubmitWhatTheyNameAndWhatTheyAreGiven) {
  const CodeView view = View({{"cl.h",
                               "static struct starpu_codelet gemm, trsm;\n"
                               "#define INSERT(cl, ...) starpu_task_insert(cl, __VA_ARGS__, 0)\n"
                               "#define GEMM(h) INSERT(&gemm, STARPU_RW, h)\n"},
                              {"a.c",
                               "void f() {\n GEMM(a);\n INSERT(&trsm,\n  b);\n"
                               " other(&gemm);\n}\n"}});
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("a.c", "gemm")[0])),
              ElementsAre("a.c:1 GEMM"));
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("a.c", "trsm")[0])),
              ElementsAre("a.c:2 INSERT"));
  EXPECT_THAT(Uses(view, "a.c", "GEMM"), ElementsAre("a.c:1 GEMM"));
  EXPECT_THAT(Variables(view.CodeletsSubmittedAt("a.c", 1)), ElementsAre("gemm"));
  EXPECT_THAT(Variables(view.CodeletsSubmittedAt("a.c", 3)), ElementsAre("trsm"));
  EXPECT_THAT(view.CodeletsSubmittedAt("a.c", 4), IsEmpty());
}

TEST(CodeView, AFunctionAroundOneSubmissionIsAWrapper) {
  const CodeView view =
      View({{"w.c",
             "struct starpu_codelet gemm, trsm;\n"
             "void submit_gemm(int h) {\n starpu_task_insert(&gemm, h, 0);\n}\n"
             "void submit(struct starpu_codelet *cl) {\n struct starpu_task *task = "
             "starpu_task_create();\n task->cl = cl;\n starpu_task_submit(task);\n}\n"},
            {"main.c", "int main() {\n submit_gemm(1);\n submit(&trsm);\n}\n"},
            {"all.c",
             "void all() {\n starpu_task_insert(&gemm, 0);\n starpu_task_insert(&trsm, 0);\n}\n"}});
  EXPECT_THAT(view.FindSubmitters("all.c", "all"), IsEmpty());
  EXPECT_THAT(view.FindSubmitters("main.c", "main"), IsEmpty());
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("main.c", "gemm")[0])),
              UnorderedElementsAre("w.c:2 starpu_task_insert", "main.c:1 submit_gemm",
                                   "all.c:1 starpu_task_insert"));
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("main.c", "trsm")[0])),
              UnorderedElementsAre("main.c:2 submit", "all.c:2 starpu_task_insert"));
  const auto wrapper = view.FindFunctions("main.c", "submit_gemm");
  ASSERT_EQ(wrapper.size(), 1u);
  EXPECT_THAT(Places(view.SubmissionsIn(wrapper[0])), ElementsAre("w.c:2 starpu_task_insert"));
}

TEST(CodeView, WrappersAreFollowedToAnyDepth) {
  std::string text =
      "struct starpu_codelet gemm, trsm;\n"
      "static void w0(struct starpu_codelet *cl, int h) { starpu_task_insert(cl, h, 0); }\n";
  for (int depth = 1; depth <= 40; ++depth)
    text += "static void w" + std::to_string(depth) + "(struct starpu_codelet *cl, int h) { w" +
            std::to_string(depth - 1) + "(cl, h); }\n";
  text += "static void top(int h) {\n w40(&gemm, h);\n}\nint main() {\n top(1);\n}\n";
  const CodeView view = View({{"a.c", text}});
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("a.c", "gemm")[0])),
              ElementsAre("a.c:43 w40", "a.c:46 top"));
  EXPECT_THAT(Submitted(view, "a.c", "w0"), ElementsAre("gemm"));
  EXPECT_THAT(Submitted(view, "a.c", "top"), ElementsAre("gemm"));
}

TEST(CodeView, ThousandsOfWrappersCostLittle) {
  std::string text = "struct starpu_codelet gemm;\n#define M0(c) starpu_task_insert(c, 0)\n";
  for (int i = 1; i <= 5000; ++i)
    text += "#define M" + std::to_string(i) + "(c) M" + std::to_string(i - 1) + "(c)\n";
  text += "void w0(struct starpu_codelet *c) { M5000(c); }\n";
  for (int i = 1; i <= 5000; ++i)
    text += "void w" + std::to_string(i) + "(struct starpu_codelet *c) { w" +
            std::to_string(i - 1) + "(c); }\n";
  const CodeView view = View({{"a.c", text + "int main() {\n w5000(&gemm);\n}\n"}});
  EXPECT_THAT(Submitted(view, "a.c", "M0"), ElementsAre("gemm"));
  EXPECT_THAT(Submitted(view, "a.c", "w2500"), ElementsAre("gemm"));
}

TEST(CodeView, WrappersThatCallThemselvesOrEachOtherEnd) {
  const CodeView view =
      View({{"a.c",
             "struct starpu_codelet gemm;\n"
             "void down(int n) {\n if (n) down(n - 1);\n starpu_task_insert(&gemm, 0);\n}\n"
             "void even(int n);\n"
             "void odd(int n) { if (n) even(n - 1); }\n"
             "void even(int n) { odd(n); starpu_task_insert(&gemm, 0); }\n"
             "void endless() { endless(); }\n"
             "int main() {\n down(3);\n even(3);\n}\n"}});
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("a.c", "gemm")[0])),
              ElementsAre("a.c:2 down", "a.c:3 starpu_task_insert", "a.c:7 starpu_task_insert",
                          "a.c:10 down"));
  EXPECT_THAT(view.FindSubmitters("a.c", "even"), IsEmpty());
  EXPECT_THAT(view.FindSubmitters("a.c", "endless"), IsEmpty());
}

TEST(CodeView, AFunctionAroundSeveralWrappersIsNone) {
  const CodeView view = View({{"a.c",
                               "struct starpu_codelet gemm, trsm;\n"
                               "void g(int h) { starpu_task_insert(&gemm, h, 0); }\n"
                               "void t(int h) { starpu_task_insert(&trsm, h, 0); }\n"
                               "void both(int h) { g(h); t(h); }\n"
                               "void step(int h) { both(h); }\n"}});
  EXPECT_EQ(view.FindSubmitters("a.c", "g").size(), 1u);
  EXPECT_THAT(view.FindSubmitters("a.c", "both"), IsEmpty());
  EXPECT_THAT(view.FindSubmitters("a.c", "step"), IsEmpty());
}

TEST(CodeView, WrappersOfOneNameInSeveralProgramsAreDifferent) {
  const auto program = [](const std::string& kind, const std::string& codelet) {
    return kind + "struct starpu_codelet " + codelet + ";\n" + kind +
           "void submit(int h) { starpu_task_insert(&" + codelet +
           ", h, 0); }\nint main() { submit(1); }\n";
  };
  const CodeView view =
      View({{"a.c", program("static ", "gemm")},
            {"b.c", program("static ", "trsm")},
            {"c.c", program("", "cl")},
            {"d.c", "void f(int h) { submit(h); }\n"},
            {"e.c", "static void submit(int h) { }\nint main() { submit(1); }\n"}});
  EXPECT_THAT(Submitted(view, "a.c", "submit"), ElementsAre("gemm"));
  EXPECT_THAT(Submitted(view, "d.c", "submit"), ElementsAre("cl"));
  EXPECT_THAT(Uses(view, "c.c", "submit"), ElementsAre("c.c:2 submit", "d.c:0 submit"));
  EXPECT_THAT(view.FindSubmitters("e.c", "submit"), IsEmpty());
}

TEST(CodeView, AWrapperKeepsTheCodeletsOfItsOwnFile) {
  const CodeView view = View({{"w.c",
                               "static struct starpu_codelet gemm;\n"
                               "void submit_gemm(int h) { starpu_task_insert(&gemm, h, 0); }\n"},
                              {"run.c", "void run(int h) { submit_gemm(h); }\n"},
                              {"main.c", "int main() { run(1); }\n"}});
  EXPECT_THAT(
      Places(view.SubmissionsOf(view.CodeletsOfWord("w.c", "gemm")[0])),
      UnorderedElementsAre("w.c:1 starpu_task_insert", "run.c:0 submit_gemm", "main.c:0 run"));
}

TEST(CodeView, AParameterIsNotTheVariableOfItsName) {
  const CodeView view = View({{"a.c",
                               "struct starpu_codelet cl, gemm;\n"
                               "#define INSERT(cl, h) starpu_task_insert(cl, h, 0)\n"
                               "void submit(struct starpu_codelet *cl, int h) { INSERT(cl, h); }\n"
                               "int main() {\n submit(&gemm, 1);\n}\n"}});
  EXPECT_THAT(view.SubmissionsOf(view.CodeletsOfWord("a.c", "cl")[0]), IsEmpty());
  EXPECT_THAT(Submitted(view, "a.c", "INSERT"), ElementsAre("gemm"));
  EXPECT_THAT(Submitted(view, "a.c", "submit"), ElementsAre("gemm"));
}

TEST(CodeView, MacrosAreFollowedThroughMacrosAndFunctions) {
  const CodeView view = View({{"a.h",
                               "static struct starpu_codelet gemm, trsm;\n"
                               "#define INSERT(c, ...) starpu_task_insert(c, __VA_ARGS__, 0)\n"
                               "#define RW(c, h) INSERT(c, STARPU_RW, h)\n"
                               "#define GEMM(h) submit(&gemm, h)\n"
                               "static inline void submit(struct starpu_codelet *c, int h) {\n"
                               " RW(c, h);\n}\n"},
                              {"a.c", "int main() {\n GEMM(1);\n RW(&trsm, 2);\n}\n"}});
  EXPECT_THAT(Submitted(view, "a.c", "INSERT"), UnorderedElementsAre("gemm", "trsm"));
  EXPECT_THAT(Submitted(view, "a.c", "GEMM"), ElementsAre("gemm"));
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("a.c", "gemm")[0])),
              ElementsAre("a.c:1 GEMM"));
}

TEST(CodeView, ALambdaThatAVariableHoldsIsAWrapper) {
  const CodeView view =
      View({{"a.cc",
             "starpu_codelet gemm, trsm;\n"
             "static const auto global = [](int h) { starpu_task_insert(&trsm, h, 0); };\n"
             "int main() {\n"
             " auto submit = [&](starpu_codelet *c) mutable -> void {\n"
             "  starpu_task_insert(c, STARPU_RW, h, 0);\n };\n"
             " submit(&gemm);\n"
             " auto again = [=] { submit(&gemm); };\n"
             " again();\n global(1);\n"
             " each([&](int h) { starpu_task_insert(&gemm, h, 0); });\n}\n"}});
  EXPECT_THAT(
      Places(view.SubmissionsOf(view.CodeletsOfWord("a.cc", "gemm")[0])),
      ElementsAre("a.cc:6 submit", "a.cc:7 submit", "a.cc:8 again", "a.cc:10 starpu_task_insert"));
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("a.cc", "trsm")[0])),
              ElementsAre("a.cc:1 starpu_task_insert", "a.cc:9 global"));
  EXPECT_THAT(Submitted(view, "a.cc", "submit"), ElementsAre("gemm"));
}

TEST(CodeView, ATaskThatIsFilledFirstIsSubmittedWithItsCodelet) {
  const CodeView view = View({{"a.c",
                               "struct starpu_codelet gemm;\nvoid f(struct starpu_task *t) {\n"
                               " t->cl = &gemm;\n starpu_task_submit(t);\n}\n"}});
  EXPECT_THAT(Variables(view.CodeletsSubmittedAt("a.c", 3)), ElementsAre("gemm"));
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("a.c", "gemm")[0])),
              ElementsAre("a.c:2 cl"));
}

TEST(CodeView, MacrosThatNameEachOtherEnd) {
  const CodeView view = View({{"a.c",
                               "#define A B starpu_task_insert\n#define B A C\n#define C B\n"
                               "void f() { A(1); }\n"}});
  EXPECT_THAT(Uses(view, "a.c", "C"), IsEmpty());
  EXPECT_THAT(Uses(view, "a.c", "A"), ElementsAre("a.c:3 A"));
}

class CodeIndexTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::path(::testing::TempDir()) / "code.XXXXXX";
    top_ = fs::canonical(mkdtemp(name.data()));
    session_.roots.Add(top_.string());
  }
  void TearDown() override { fs::remove_all(top_); }

  void Write(const std::string& name, const std::string& text) {
    fs::create_directories((top_ / name).parent_path());
    std::ofstream(top_ / name) << text;
  }
  size_t Codelets(const std::string& variable, bool fresh) {
    return index_.Look(session_.Sources(), fresh)
        ->CodeletsOfVariable((top_ / "main.c").string(), variable)
        .size();
  }

  fs::path top_;
  Session session_;
  CodeIndex index_;
};

TEST_F(CodeIndexTest, ReadsTheSourcesOfTheWorkspace) {
  Write("src/a.cpp", "starpu_codelet a;\n");
  Write(".git/b.c", "struct starpu_codelet b;\n");
  Write("notes.txt", "struct starpu_codelet c;\n");
  EXPECT_EQ(Codelets("a", false), 1u);
  EXPECT_EQ(Codelets("b", false), 0u);
  EXPECT_EQ(Codelets("c", false), 0u);
}

TEST_F(CodeIndexTest, NoticesWhatChangedOnTheDiskWhenItIsAsked) {
  Write("a.c", "struct starpu_codelet a;\n");
  EXPECT_EQ(Codelets("a", true), 1u);
  Write("b.c", "struct starpu_codelet b;\n");
  EXPECT_EQ(Codelets("b", false), 0u);
  EXPECT_EQ(Codelets("b", true), 1u);
  fs::remove(top_ / "a.c");
  EXPECT_EQ(Codelets("a", true), 0u);
}

TEST_F(CodeIndexTest, AnOpenDocumentCountsAsTheClientHasIt) {
  Write("a.c", "struct starpu_codelet a;\n");
  const std::string path = (top_ / "a.c").string();
  EXPECT_EQ(Codelets("a", false), 1u);
  session_.documents[path] = std::make_shared<const Document>(
      Document{"file://" + path, path, 1, Text("struct starpu_codelet z;\n"), {}});
  EXPECT_EQ(Codelets("a", false), 0u);
  EXPECT_EQ(Codelets("z", false), 1u);
  session_.documents.clear();
  EXPECT_EQ(Codelets("a", false), 1u);
}

TEST_F(CodeIndexTest, FollowsIncludesToCallsOfFilesThatDoNotNameStarPU) {
  Write("include/cl.h", "#include <starpu.h>\nvoid submit(void);\n");
  Write("app.h", "#include \"include/cl.h\"\n");
  Write("wrap.c", "#include \"cl.h\"\nvoid submit(void) { starpu_task_insert(0); }\n");
  Write("a.c", "#include \"app.h\"\nvoid f(void) { submit(); }\n");
  Write("b.c", "void g(void) { submit(); }\n");
  EXPECT_EQ(Uses(*index_.Look(session_.Sources(), true), (top_ / "a.c").string(), "submit").size(),
            1u);
}

TEST_F(CodeIndexTest, ExpandsMacrosOfOtherFilesThatPasteWords) {
  Write("cl.h",
        "#include <starpu.h>\n"
        "#define CL(x) cl_##x\n"
        "#define CODELET(x) struct starpu_codelet CL(x) = {.cpu_funcs = {x##_cpu}}\n");
  Write("submit.h", "#include \"cl.h\"\n#define SUBMIT(x) starpu_task_insert(&CL(x), 0)\n");
  Write("a_codelets.c", "#include \"cl.h\"\nCODELET(gemm);\n");
  Write("main.c", "#include \"submit.h\"\nvoid f(void) {\n  SUBMIT(gemm);\n}\n");
  const auto submissions = [&] {
    const auto view = index_.Look(session_.Sources(), true);
    std::vector<std::string> lines;
    for (const auto& codelet : view->CodeletsOfVariable((top_ / "main.c").string(), "cl_gemm"))
      for (const auto& [file, call] : view->SubmissionsOf(codelet))
        lines.push_back(fs::path(file->path).filename().string() + ":" +
                        std::to_string(call->name.line) + " " + call->name.text);
    return lines;
  };
  EXPECT_THAT(submissions(), ElementsAre("main.c:2 starpu_task_insert"));
  EXPECT_EQ(index_.Look(session_.Sources(), false)
                ->FindSubmitters((top_ / "main.c").string(), "f")
                .size(),
            1u);
  // A definition that changed counts in files that did not.
  Write("submit.h", "#include \"cl.h\"\n\n#define SUBMIT(x) starpu_task_insert(&cl_trsm, x)\n");
  EXPECT_THAT(submissions(), IsEmpty());
}

TEST_F(CodeIndexTest, StopsWhenItIsTold) {
  Write("a.c", "struct starpu_codelet a;\n");
  const std::atomic<bool> stop = true;
  EXPECT_EQ(index_.Look(session_.Sources(), true, &stop), nullptr);
  EXPECT_EQ(Codelets("a", false), 1u);
}

}  // namespace
}  // namespace tasklens
