// SPDX-License-Identifier: Apache-2.0
// A codelet is known in every file that submits it, and no other of its name is taken for it.
#include "server/session/code_index.h"

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
  EXPECT_TRUE(view.IsSubmitter("GEMM"));
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("a.c", "gemm")[0])),
              ElementsAre("a.c:1 GEMM"));
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("a.c", "trsm")[0])),
              ElementsAre("a.c:2 INSERT"));
  EXPECT_THAT(Places(view.UsesOf("GEMM")), ElementsAre("a.c:1 GEMM"));
  EXPECT_TRUE(view.WordsSubmittedAt("a.c", 1).contains("gemm"));
  EXPECT_TRUE(view.WordsSubmittedAt("a.c", 3).contains("trsm"));
  EXPECT_THAT(view.WordsSubmittedAt("a.c", 4), IsEmpty());
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
  EXPECT_FALSE(view.IsSubmitter("all"));
  EXPECT_FALSE(view.IsSubmitter("main"));
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("main.c", "gemm")[0])),
              UnorderedElementsAre("w.c:2 starpu_task_insert", "main.c:1 submit_gemm",
                                   "all.c:1 starpu_task_insert"));
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("main.c", "trsm")[0])),
              UnorderedElementsAre("main.c:2 submit", "all.c:2 starpu_task_insert"));
  const auto wrapper = view.FindFunctions("main.c", "submit_gemm");
  ASSERT_EQ(wrapper.size(), 1u);
  EXPECT_THAT(Places(view.SubmissionsIn(wrapper[0])), ElementsAre("w.c:2 starpu_task_insert"));
}

TEST(CodeView, ATaskThatIsFilledFirstIsSubmittedWithItsCodelet) {
  const CodeView view = View({{"a.c",
                               "struct starpu_codelet gemm;\nvoid f(struct starpu_task *t) {\n"
                               " t->cl = &gemm;\n starpu_task_submit(t);\n}\n"}});
  EXPECT_TRUE(view.WordsSubmittedAt("a.c", 3).contains("gemm"));
  EXPECT_THAT(Places(view.SubmissionsOf(view.CodeletsOfWord("a.c", "gemm")[0])),
              ElementsAre("a.c:2 cl"));
}

TEST(CodeView, MacrosThatNameEachOtherEnd) {
  const CodeView view = View({{"a.c",
                               "#define A B starpu_task_insert\n#define B A C\n#define C B\n"
                               "void f() { A(1); }\n"}});
  EXPECT_TRUE(view.IsSubmitter("C"));
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
    return index_.Look(session_, fresh)
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
  EXPECT_EQ(index_.Look(session_, true)->UsesOf("submit").size(), 1u);
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
    const auto view = index_.Look(session_, true);
    std::vector<std::string> lines;
    for (const auto& codelet : view->CodeletsOfVariable((top_ / "main.c").string(), "cl_gemm"))
      for (const auto& [file, call] : view->SubmissionsOf(codelet))
        lines.push_back(fs::path(file->path).filename().string() + ":" +
                        std::to_string(call->name.line) + " " + call->name.text);
    return lines;
  };
  EXPECT_THAT(submissions(), ElementsAre("main.c:2 starpu_task_insert"));
  EXPECT_TRUE(index_.Look(session_, false)->IsSubmitter("f"));
  // A definition that changed counts in files that did not.
  Write("submit.h", "#include \"cl.h\"\n\n#define SUBMIT(x) starpu_task_insert(&cl_trsm, x)\n");
  EXPECT_THAT(submissions(), IsEmpty());
}

TEST_F(CodeIndexTest, StopsWhenItIsTold) {
  Write("a.c", "struct starpu_codelet a;\n");
  const std::atomic<bool> stop = true;
  EXPECT_EQ(index_.Look(session_, true, &stop), nullptr);
  EXPECT_EQ(Codelets("a", false), 1u);
}

}  // namespace
}  // namespace tasklens
