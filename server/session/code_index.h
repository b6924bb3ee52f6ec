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
#include "server/session/source_code.h"

namespace tasklens {

struct Document;
struct Session;

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

  // Whether `name` submits a task wherever it is used: a function of StarPU's, a macro around one,
  // or a function with one such use.
  bool IsSubmitter(const std::string& name) const;
  // The variables that the macro or function `name` submits by itself, whatever its arguments are.
  const std::set<std::string>& VariablesOf(const std::string& name) const;
  // The uses of submitters that name the variable, or that stand for it.
  std::vector<CallPlace> SubmissionsOf(const CodeletPlace& codelet) const;
  // The uses of the macro or function `name`.
  std::vector<CallPlace> UsesOf(const std::string& name) const;
  // The submissions within it.
  std::vector<CallPlace> SubmissionsIn(const FunctionPlace& function) const;
  // The words of the uses of submitters on line `line` (from 0), with the variables that they
  // submit by themselves.
  std::set<std::string> WordsSubmittedAt(const std::string& path, uint32_t line) const;

 private:
  void FindSubmittingMacros();
  void FindWrappers();

  const std::vector<File> files_;  // by path
  std::unordered_map<std::string, std::vector<CodeletPlace>> by_variable_, by_word_;
  std::unordered_map<std::string, std::vector<FunctionPlace>> functions_;
  std::unordered_map<std::string, std::vector<CallPlace>> calls_;      // by the name used
  std::unordered_map<std::string, std::set<std::string>> submitters_;  // with their variables
};

class CodeIndex {
 public:
  static constexpr size_t kMaxSources = 5000;

  // `fresh`: whether to look at the disk again. Otherwise files are as they were when somebody last
  // looked. nullptr when stopped.
  std::shared_ptr<const CodeView> Look(const Session& session, bool fresh, Stop stop = nullptr);

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
