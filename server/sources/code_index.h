// SPDX-License-Identifier: Apache-2.0
// An index of all sources of the workspace, so that a codelet is known both in the file that
// defines it and in the files that submit it.
//
// Sources are the C, C++, CUDA and HIP files below the roots, the files that a trace names, and
// open documents, with the client's text. Codelets and functions are indexed for all files; macros
// and calls, which are numerous, only for files that mention StarPU or include a file that does. At
// most kMaxSources files are read, none above 4 MiB. Folders of tools are skipped (folders.h).
// Macros that paste tokens are expanded in all files, whichever file defines them.
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
  // Returns the codelets of the variable `word` in the file `path`: those of that file; else those
  // of headers, and those that other files define or fill. For an array, all elements.
  std::vector<CodeletPlace> CodeletsOfVariable(const std::string& path,
                                               const std::string& word) const;
  // Returns the codelets that `word` in `path` names: as a variable, a name, a symbol or a kernel.
  std::vector<CodeletPlace> CodeletsOfWord(const std::string& path, const std::string& word) const;
  // Returns the definitions of the function or macro `name`; those in `path` if it has any.
  std::vector<FunctionPlace> FindFunctions(const std::string& path, const std::string& name) const;

  // Returns the submitters named `name` in `path`. A submitter is a macro that contains a
  // submission, or a function (or a lambda in a variable) with one submitting call. A submitting
  // call names a function of StarPU or another submitter; recursive calls do not count. If `path`
  // defines no such name, definitions in other files count, unless they are static.
  std::vector<FunctionPlace> FindSubmitters(const std::string& path, const std::string& name) const;
  // Returns the codelets that a submitter submits, at most kMaxCodelets: those named in its body,
  // and with `given` also those that its callers pass, directly or through other submitters.
  static constexpr size_t kMaxCodelets = 64;
  std::vector<CodeletPlace> CodeletsOf(const FunctionPlace& submitter, bool given) const;
  // Returns the codelets that the calls of submitters on line `line` (from 0) submit; with `name`
  // only calls of `name`.
  std::vector<CodeletPlace> CodeletsSubmittedAt(const std::string& path, uint32_t line,
                                                const std::string& name = "") const;
  // Returns the calls of submitters that name the codelet's variable or submit it themselves.
  std::vector<CallPlace> SubmissionsOf(const CodeletPlace& codelet) const;
  // Returns the calls of a macro or function.
  std::vector<CallPlace> UsesOf(const FunctionPlace& submitter) const;
  // Returns the submissions inside a function.
  std::vector<CallPlace> SubmissionsIn(const FunctionPlace& function) const;

 private:
  // The codelets that a submitter names itself. The words of a macro are resolved in the file that
  // uses it.
  struct Submitter {
    const File* file;
    std::set<std::string> words;
    std::vector<CodeletPlace> codelets;
  };
  using Submitters = std::unordered_map<const SourceFunction*, Submitter>;
  // The functions and macros that use a name, by that name.
  using Users = std::unordered_map<std::string_view, std::vector<FunctionPlace>>;

  Users FindUsers() const;
  // Calls `learns` for each user of a function of StarPU that submits tasks. If it returns true,
  // the user has learnt something, and its users learn it too.
  template <class Learns>
  void Spread(const Users& users, const Learns& learns) const;
  // Returns the functions that lead to a submission, directly or through other functions.
  std::set<const SourceFunction*> FindThoseThatSubmit(const Users& users) const;
  void FillSubmitters(const Users& users);
  // Adds what a submitter submits itself; `calls` are the calls of a function. Returns false if
  // nothing was new.
  bool Learn(const FunctionPlace& place, const std::vector<const SourceCall*>& calls);
  // Calls `use` with each other function or macro that uses `place`.
  template <class Use>
  void ForUsersOf(const FunctionPlace& place, const Users& users, const Use& use) const;
  // True if `name` in `file` refers to `place`.
  bool Sees(const File& file, const FunctionPlace& place) const;
  bool Submits(const File& file, const std::string& name) const;
  // The codelets that a use of `name` in `file` submits.
  std::vector<CodeletPlace> CodeletsBehind(const File& file, const std::string& name) const;
  std::vector<FunctionPlace> FindSubmitters(const File& file, const std::string& name) const;
  std::vector<CodeletPlace> CodeletsNamedIn(const CallPlace& call) const;
  // All codelets that the call submits.
  std::vector<CodeletPlace> CodeletsSubmittedAt(const CallPlace& use) const;
  bool IsNamedIn(const CallPlace& call, const std::string& variable) const;

  const std::vector<File> files_;  // by path
  std::unordered_map<std::string, std::vector<CodeletPlace>> by_variable_, by_word_;
  std::unordered_map<std::string, std::vector<FunctionPlace>> functions_;  // in the files' order
  std::unordered_map<std::string, std::vector<CallPlace>> calls_;          // by the name used
  Submitters submitters_;
  std::unordered_map<std::string, std::vector<FunctionPlace>> macros_around_;  // by word
};

// The files to index.
struct CodeSources {
  std::vector<std::string> folders;  // all sources below these
  std::vector<std::string> others;
  std::vector<std::shared_ptr<const Document>>
      documents;  // whose text counts in place of the disk's
};

class CodeIndex {
 public:
  static constexpr size_t kMaxSources = 5000;

  // Returns the index. `fresh`: checks the disk for changes; otherwise files are as at the last
  // check. Returns nullptr when stopped.
  std::shared_ptr<const CodeView> Look(const CodeSources& sources, bool fresh, Stop stop = nullptr);

 private:
  struct Entry {
    int64_t modified_ns = -1;
    std::shared_ptr<const Document> document;  // nullptr: read from the disk
    std::shared_ptr<const SourceCode> code;
    bool has_calls = false;                    // and macros
    std::shared_ptr<const MacroTable> macros;  // of other files, expanded here; nullptr: none
  };
  static Entry Read(const std::string& path, std::shared_ptr<const Document> document,
                    int64_t modified_ns, bool with_calls,
                    std::shared_ptr<const MacroTable> macros = nullptr);
  // Reads the calls of files that include a file with calls. Returns false when stopped.
  bool FollowIncludes(Stop stop);
  // Reads again the files that use token-pasting macros of other files. Returns false when stopped.
  bool ExpandMacros(Stop stop);

  std::mutex mutex_;
  std::vector<std::string> listed_;
  std::vector<std::string> listed_roots_;
  std::map<std::string, Entry> entries_;  // by path
  std::shared_ptr<const CodeView> view_;
};

}  // namespace tasklens
