// SPDX-License-Identifier: Apache-2.0
// What the history says, and that nothing of a repository runs while it is asked.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <string>

#include "server/sources/traced_text.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLater = 1'000'000'300'000'000'000;

// A repository with a.c, "one\n" at 1,000,000,100 s and "two\n" at 1,000,000,200 s, and a program
// that leaves the file `ran` when it runs.
class GitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::path(::testing::TempDir()) / "history.XXXXXX";
    top_ = fs::canonical(mkdtemp(name.data()));
    Shell("git init -q");
    Shell("git config user.name n && git config user.email e@example.org");
    Write("a.c", "one\n");
    Shell("git add a.c && " + At(100) + "git commit -q -m 1");
    Write("a.c", "two\n");
    Shell(At(200) + "git commit -q -a -m 2");
    Write("evil", "#!/bin/sh\ntouch '" + (top_ / "ran").string() + "'\nexit 1\n");
    chmod((top_ / "evil").c_str(), 0755);
  }
  void TearDown() override {
    Shell("chmod -R u+w .");
    fs::remove_all(top_);
  }

  static std::string At(int second) {
    const std::string date = "'@1000000" + std::to_string(second) + " +0000' ";
    return "GIT_AUTHOR_DATE=" + date + "GIT_COMMITTER_DATE=" + date;
  }
  void Write(const std::string& name, const std::string& text) {
    fs::create_directories((top_ / name).parent_path());
    std::ofstream(top_ / name, std::ios::binary) << text;
  }
  // The output of a command in the repository, where EVIL is the program.
  std::string Shell(const std::string& command) {
    const std::string line = "cd '" + top_.string() + "' && export HOME=/nonexistent EVIL='" +
                             (top_ / "evil").string() + "' && " + command;
    std::string output;
    FILE* pipe = popen(line.c_str(), "r");
    for (int c; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0) << command;
    while (!output.empty() && output.back() == '\n') output.pop_back();
    return output;
  }
  void RemoveTree() {
    const std::string tree = Shell("git rev-parse HEAD^{tree}");
    const fs::path object = top_ / ".git/objects" / tree.substr(0, 2) / tree.substr(2);
    Shell("chmod -R u+w .git/objects");
    ASSERT_TRUE(fs::remove(object));
  }
  // The text of a file that was edited after a run of this time.
  std::optional<std::string> TextInHistory(const std::string& path, int64_t at_ns) {
    TracedRunFacts run;
    run.started_ns = at_ns;
    const TracedTexts texts = FindTracedTexts({path}, run);
    return texts.empty() ? std::nullopt : std::optional(*texts.at(path).text);
  }
  bool HasRun() const { return fs::exists(top_ / "ran"); }
  std::string Path() const { return (top_ / "a.c").string(); }

  fs::path top_;
};

TEST_F(GitTest, KnowsATextByItsTimeAndACommitByItsText) {
  EXPECT_EQ(TextInHistory(Path(), kLater), "two\n");
  EXPECT_EQ(TextInHistory(Path(), kLater - 150'000'000'000), "one\n");
  EXPECT_EQ(TextInHistory(Path(), kLater - 250'000'000'000), std::nullopt);
  EXPECT_EQ(CommitOf(Path(), "two\n"), Shell("git rev-parse HEAD"));
  EXPECT_EQ(CommitOf(Path(), "never there\n"), "");
}

TEST_F(GitTest, ANameIsNoPattern) {
  Write("[ab].c", "in brackets\n");
  Shell("git add '[ab].c' && " + At(250) + "git commit -q -m 3");
  EXPECT_EQ(TextInHistory((top_ / "[ab].c").string(), kLater), "in brackets\n");
  Write("a*", "not in the history\n");
  EXPECT_EQ(TextInHistory((top_ / "a*").string(), kLater), std::nullopt);
}

// Settings that make one command of git or another run a program of the repository. Those in the
// last rows take effect where objects are missing.
struct Attack {
  const char* name;
  const char* commands;
  bool is_tree_missing = false;
};
void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }
constexpr const char* kPartial =
    "git config core.repositoryformatversion 1 && git config extensions.partialClone origin && "
    "git config remote.origin.promisor true && git config protocol.allow always && "
    "git config protocol.file.allow always && git config protocol.ext.allow always && "
    "git config protocol.ssh.allow always && git config remote.origin.url ";
const Attack kAttacks[] = {
    {"textconv", "echo '* diff=x' > .gitattributes && git config diff.x.textconv \"$EVIL\""},
    {"diff driver", "echo '* diff=x' > .gitattributes && git config diff.x.command \"$EVIL\""},
    {"diff.external", "git config diff.external \"$EVIL\""},
    {"filter",
     "echo '* filter=x' > .git/info/attributes && git config filter.x.clean \"$EVIL\" && "
     "git config filter.x.smudge \"$EVIL\" && git config filter.x.required true"},
    {"filter process",
     "echo '* filter=x' > .git/info/attributes && git config filter.x.process \"$EVIL\""},
    {"fsmonitor", "git config core.fsmonitor \"$EVIL\" && touch a.c"},
    {"hooks",
     "mkdir h && for n in post-index-change reference-transaction post-checkout pre-auto-gc; do "
     "cp evil h/$n; done && git config core.hooksPath \"$PWD/h\" && touch a.c"},
    {"pager", "git config core.pager \"$EVIL\" && git config pager.log \"$EVIL\""},
    {"signature",
     "git config log.showSignature true && git config gpg.program \"$EVIL\" && "
     "git cat-file commit HEAD | sed 's/^$/gpgsig -----BEGIN PGP SIGNATURE-----\\n "
     "x\\n -----END PGP SIGNATURE-----\\n/' > signed && "
     "git update-ref HEAD $(git hash-object --literally -t commit -w signed)"},
    {"alias", "git config alias.log '!'\"$EVIL\" && git config alias.cat-file '!'\"$EVIL\""},
    {"includeIf",
     "printf '[diff]\\n external = %s\\n[core]\\n pager = %s\\n fsmonitor = %s\\n' \"$EVIL\" "
     "\"$EVIL\" \"$EVIL\" > more && git config 'includeIf.onbranch:**.path' \"$PWD/more\""},
    {"alternates",
     "git clone -q --bare . other.git && echo \"$PWD/other.git/objects\" > "
     ".git/objects/info/alternates && git config core.alternateRefsCommand \"$EVIL\""},
    {"uploadpack", "\"$PWD/.git\" && git config remote.origin.uploadpack \"$EVIL\"", true},
    {"sshCommand", "ssh://localhost/x && git config core.sshCommand \"$EVIL\"", true},
    {"ext", "\"ext::$EVIL\"", true},
    {"gitProxy", "git://localhost/x && git config core.gitProxy \"$EVIL\"", true},
};

class HostileGitTest : public GitTest, public ::testing::WithParamInterface<Attack> {};

TEST_P(HostileGitTest, NothingOfARepositoryRuns) {
  const Attack& attack = GetParam();
  if (attack.is_tree_missing) RemoveTree();
  Shell((attack.is_tree_missing ? kPartial : "") + std::string(attack.commands));
  fs::remove(top_ / "ran");  // of the preparations
  const auto text = TextInHistory(Path(), kLater);
  const std::string commit = CommitOf(Path(), "two\n");
  EXPECT_FALSE(HasRun());
  if (attack.is_tree_missing) {
    EXPECT_EQ(text, std::nullopt);
  } else {
    EXPECT_EQ(text, "two\n");
    EXPECT_EQ(commit, Shell("git rev-parse HEAD"));
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, HostileGitTest, ::testing::ValuesIn(kAttacks),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::erase_if(name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

}  // namespace
}  // namespace tasklens
