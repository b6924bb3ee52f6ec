// SPDX-License-Identifier: Apache-2.0
// What all sources of the workspace say about tasks together, so that a codelet is known in the
// file that submits it as well as in the one that defines it.
//
// Sources are the C, C++, CUDA and HIP files below the roots, those that a trace names, and open
// documents, which count as the client has them. Codelets and functions are known of all; macros
// and calls, which are many, of those that speak of StarPU or include a file that does. At most
// kMaxSources files are read, none above 4 MiB; folders of tools are left out (folders.h). Macros
// that paste words are expanded wherever they are used, whichever of these files defines them.
//
// Threads: any.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/stop.h"
#include "server/sources/source_code.h"

namespace tasklens {

struct Document;

// An immutable value.
class CodeView {
 public:
  struct File {
    std::string path;
    std::shared_ptr<const SourceCode> code;
  };
  struct CodeletPlace {
    const File* file;
    const SourceCodelet* codelet;
    bool operator==(const CodeletPlace&) const = default;
  };
  struct FunctionPlace {
    const File* file;
    const SourceFunction* function;
  };
  struct CallPlace {
    const File* file;
    const SourceCall* call;
  };

  explicit CodeView(std::vector<File> files);

  const File* FindFile(const std::string& path) const;
  // What the variable `word` in the file `path` is: the codelet of that file; else those of headers
  // and what other files define and fill. Of an array, all elements.
  std::vector<CodeletPlace> CodeletsOfVariable(const std::string& path,
                                               const std::string& word) const;
  // The codelets that `word` there stands for: a variable, a name, a symbol or a kernel.
  std::vector<CodeletPlace> CodeletsOfWord(const std::string& path, const std::string& word) const;
  // Where the function or macro `name` is defined, in `path` where it is there.
  std::vector<FunctionPlace> FindFunctions(const std::string& path, const std::string& name) const;

  // The submitters that `name` is in `path`: macros with a submission in them, and functions (also
  // lambdas that a variable holds) around one place that submits. What submits is a function of
  // StarPU's, or a submitter again; a function's calls of itself do not count. The name in another
  // file counts where this one has none, unless it is static there.
  std::vector<FunctionPlace> FindSubmitters(const std::string& path, const std::string& name) const;
  // The codelets that a submitter submits, kMaxCodelets at most: those of its own, whatever it is
  // given, and with `given` those that its uses name, or the uses of submitters that pass it on.
  static constexpr size_t kMaxCodelets = 64;
  std::vector<CodeletPlace> CodeletsOf(const FunctionPlace& submitter, bool given) const;
  // Those that the uses of submitters on line `line` (from 0) submit; with `name` only its uses.
  std::vector<CodeletPlace> CodeletsSubmittedAt(const std::string& path, uint32_t line,
                                                const std::string& name = "") const;
  // The uses of submitters that name the codelet's variable, or that stand for it.
  std::vector<CallPlace> SubmissionsOf(const CodeletPlace& codelet) const;
  // The uses of a macro or function.
  std::vector<CallPlace> UsesOf(const FunctionPlace& submitter) const;
  // The submissions within it.
  std::vector<CallPlace> SubmissionsIn(const FunctionPlace& function) const;

 private:
  // What a submitter submits by itself: words of a macro are those of the file that uses it.
  struct Submitter {
    const File* file;
    std::set<std::string> words;
    std::vector<CodeletPlace> codelets;
  };
  using Submitters = std::unordered_map<const SourceFunction*, Submitter>;
  // By the name that is used: the functions and macros that use it.
  using Users = std::unordered_map<std::string_view, std::vector<FunctionPlace>>;

  Users FindUsers() const;
  // Those that come to a submission in the end, with every function in between.
  std::set<const SourceFunction*> FindThoseThatSubmit(const Users& users) const;
  void FillSubmitters(const Users& users);
  // Adds what a submitter submits by itself; `calls`: a function's. False: that was known.
  bool Learn(const FunctionPlace& place, const std::vector<const SourceCall*>& calls);
  // Calls `use` with all others that use the function or macro `place`.
  template <class Use>
  void ForUsersOf(const FunctionPlace& place, const Users& users, const Use& use) const;
  // Whether `name` means `place` in `file`.
  bool Sees(const File& file, const FunctionPlace& place) const;
  bool Submits(const File& file, const std::string& name) const;
  // The codelets that a use of `name` stands for in `file`.
  std::vector<CodeletPlace> CodeletsBehind(const File& file, const std::string& name) const;
  std::vector<FunctionPlace> FindSubmitters(const File& file, const std::string& name) const;
  std::vector<CodeletPlace> CodeletsNamedIn(const CallPlace& call) const;
  // All that is submitted there.
  std::vector<CodeletPlace> CodeletsSubmittedAt(const CallPlace& use) const;
  bool IsNamedIn(const CallPlace& call, const std::string& variable) const;

  const std::vector<File> files_;  // by path
  std::unordered_map<std::string, std::vector<CodeletPlace>> by_variable_, by_word_;
  std::unordered_map<std::string, std::vector<FunctionPlace>> functions_;  // in the files' order
  std::unordered_map<std::string, std::vector<CallPlace>> calls_;          // by the name used
  Submitters submitters_;
  std::unordered_map<std::string, std::vector<FunctionPlace>> macros_around_;  // by word
};

// The files that are read.
struct CodeSources {
  std::vector<std::string> folders;  // all sources below these
  std::vector<std::string> others;
  std::vector<std::shared_ptr<const Document>>
      documents;  // whose text counts in place of the disk's
};

class CodeIndex {
 public:
  static constexpr size_t kMaxSources = 5000;

  // `fresh`: whether to look at the disk again. Otherwise files are as they were when somebody last
  // looked. nullptr when stopped.
  std::shared_ptr<const CodeView> Look(const CodeSources& sources, bool fresh, Stop stop = nullptr);

 private:
  struct Entry {
    int64_t modified_ns = -1;
    std::shared_ptr<const Document> document;  // nullptr: it is the disk's
    std::shared_ptr<const SourceCode> code;
    bool has_calls = false;                    // and macros
    std::shared_ptr<const MacroTable> macros;  // of other files, that were expanded; nullptr: none
  };
  static Entry Read(const std::string& path, std::shared_ptr<const Document> document,
                    int64_t modified_ns, bool with_calls,
                    std::shared_ptr<const MacroTable> macros = nullptr);
  // Reads the calls of files that include one that has them. False when stopped.
  bool FollowIncludes(Stop stop);
  // Reads those anew that use macros of others which paste words. False when stopped.
  bool ExpandMacros(Stop stop);

  std::mutex mutex_;
  std::vector<std::string> listed_;
  std::vector<std::string> listed_roots_;
  std::map<std::string, Entry> entries_;  // by path
  std::shared_ptr<const CodeView> view_;
};

}  // namespace tasklens
