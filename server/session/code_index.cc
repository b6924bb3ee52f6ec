// SPDX-License-Identifier: Apache-2.0
// Lists sources, reads those that changed, and joins what they say.
#include "server/session/code_index.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "server/session/folders.h"
#include "server/session/macro_expansion.h"
#include "server/session/session.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxSeen = 200'000;  // files and folders looked at below the roots
constexpr int kMaxDepth = 24;
constexpr uintmax_t kMaxSourceBytes = uintmax_t{4} << 20;
constexpr int kMaxMacroRounds = 8;  // macros around macros around macros

bool IsSource(const fs::path& path) {
  static const std::set<std::string> kExtensions = {".c",   ".cc", ".cpp", ".cxx", ".C",
                                                    ".h",   ".hh", ".hpp", ".hxx", ".H",
                                                    ".inl", ".cu", ".cuh", ".hip", ".ipp"};
  return kExtensions.contains(path.extension().string());
}

bool IsHeader(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  return extension.starts_with(".h") || extension == ".H" || extension == ".cuh" ||
         extension == ".inl" || extension == ".ipp";
}

std::vector<std::string> ListSources(const std::vector<std::string>& roots, Stop stop) {
  std::set<std::string> found;
  size_t seen = 0;
  for (const std::string& root : roots) {
    std::error_code error;
    fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied, error);
    for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
      if (++seen > kMaxSeen || found.size() >= CodeIndex::kMaxSources || Stopped(stop))
        return {found.begin(), found.end()};
      std::error_code ignored;
      if (it->is_directory(ignored)) {
        if (IsFolderOfTools(it->path().filename().string()) || it.depth() >= kMaxDepth)
          it.disable_recursion_pending();
      } else if (IsSource(it->path()) && it->is_regular_file(ignored) && !it->is_symlink(ignored)) {
        found.insert(it->path().string());
      }
    }
  }
  return {found.begin(), found.end()};
}

std::string TextOfFile(const std::string& path) {
  std::error_code error;
  const uintmax_t bytes = fs::file_size(path, error);
  if (error || bytes > kMaxSourceBytes) return "";
  std::string text(bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

// Of a function that is no macro, the uses within it.
template <class Use>
void ForCallsIn(const CodeView::FunctionPlace& place, const Use& use) {
  const auto number = static_cast<int32_t>(place.function - place.file->code->functions.data());
  for (const SourceCall& call : place.file->code->calls)
    if (call.function == number) use(call);
}

}  // namespace

CodeView::CodeView(std::vector<File> files) : files_(std::move(files)) {
  for (const File& file : files_)
    for (const SourceCodelet& codelet : file.code->codelets) {
      const CodeletPlace place = {&file, &codelet};
      by_variable_[codelet.variable.text].push_back(place);
      std::set<std::string> words = {codelet.name, codelet.symbol};
      for (const SourceWord& kernel : codelet.kernels) words.insert(kernel.text);
      words.erase("");
      for (const std::string& word : words) by_word_[word].push_back(place);
    }
  // Of a large workspace's functions and calls, only those that somebody may ask for are sorted in.
  for (const File& file : files_)
    for (const SourceFunction& function : file.code->functions)
      if (function.is_macro || by_word_.contains(function.name.text))
        functions_[function.name.text].push_back({&file, &function});
  FindSubmittingMacros();
  FindWrappers();
  for (const File& file : files_)
    for (const SourceCall& call : file.code->calls)
      if (call.name.text == "cl" || IsSubmitter(call.name.text))
        calls_[call.name.text].push_back({&file, &call});
}

void CodeView::FindSubmittingMacros() {
  for (int round = 0; round < kMaxMacroRounds; ++round) {
    bool is_new = false;
    for (const auto& [name, places] : functions_) {
      for (const FunctionPlace& place : places) {
        if (!place.function->is_macro) continue;
        const auto& words = place.function->words;
        if (std::none_of(words.begin(), words.end(),
                         [&](const std::string& word) { return IsSubmitter(word); }))
          continue;
        const auto [it, is_first] = submitters_.try_emplace(name);
        const size_t before = it->second.size();
        for (const std::string& word : words) {
          if (by_variable_.contains(word)) it->second.insert(word);
          if (word == name) continue;
          const std::set<std::string> inner = VariablesOf(word);
          submitters_[name].insert(inner.begin(), inner.end());
        }
        is_new = is_new || is_first || submitters_[name].size() > before;
      }
    }
    if (!is_new) return;
  }
}

void CodeView::FindWrappers() {
  // Functions around macros and around StarPU's own; not around each other, which would be all.
  std::unordered_map<std::string, std::set<std::string>> wrappers;
  for (const File& file : files_) {
    std::map<int32_t, std::vector<const SourceCall*>> submissions;  // by function
    for (const SourceCall& call : file.code->calls)
      if (call.name.text == "cl" || IsSubmitter(call.name.text))
        submissions[call.function].push_back(&call);
    for (const auto& [number, calls] : submissions) {
      const SourceFunction& function = file.code->functions[static_cast<size_t>(number)];
      const std::string& name = function.name.text;
      // What a macro stands for is where it is used.
      std::set<std::pair<uint32_t, size_t>> places;
      for (const SourceCall* call : calls)
        if (call->name.text != "cl") places.emplace(call->name.line, call->name.begin_byte);
      if (places.size() != 1 || name == "main" || IsSubmitter(name)) continue;
      if (!by_word_.contains(name)) functions_[name].push_back({&file, &function});
      std::set<std::string>& variables = wrappers[name];
      for (const SourceCall* call : calls) {
        for (const std::string& word : call->words)
          if (by_variable_.contains(word)) variables.insert(word);
        const std::set<std::string>& inner = VariablesOf(call->name.text);
        variables.insert(inner.begin(), inner.end());
      }
    }
  }
  submitters_.merge(wrappers);
}

const CodeView::File* CodeView::FindFile(const std::string& path) const {
  const auto it =
      std::lower_bound(files_.begin(), files_.end(), path,
                       [](const File& file, const std::string& p) { return file.path < p; });
  return it != files_.end() && it->path == path ? &*it : nullptr;
}

std::vector<CodeView::CodeletPlace> CodeView::CodeletsOfVariable(const std::string& path,
                                                                 const std::string& word) const {
  const auto all = by_variable_.find(word);
  if (all == by_variable_.end()) return {};
  std::vector<CodeletPlace> own, shared;
  bool is_own = false;
  for (const CodeletPlace& place : all->second) {
    if (place.file->path == path) {
      own.push_back(place);
      is_own = is_own || place.codelet->is_defined;
    } else if (!place.codelet->is_static || IsHeader(place.file->path)) {
      shared.push_back(place);
    }
  }
  // One that only this file can see is its own.
  const bool is_hidden = is_own && std::all_of(own.begin(), own.end(),
                                               [](const auto& p) { return p.codelet->is_static; });
  if (!is_hidden || IsHeader(path)) {
    // What another file defines under this name is another one; what it fills is this.
    for (const CodeletPlace& place : shared)
      if (!is_own || !place.codelet->is_defined) own.push_back(place);
  }
  return own;
}

std::vector<CodeView::CodeletPlace> CodeView::CodeletsOfWord(const std::string& path,
                                                             const std::string& word) const {
  std::vector<CodeletPlace> places = CodeletsOfVariable(path, word);
  if (!places.empty()) return places;
  if (const auto it = by_word_.find(word); it != by_word_.end()) places = it->second;
  // Of the same word in several programs, that of this file counts.
  const auto is_here = [&](const CodeletPlace& place) { return place.file->path == path; };
  if (std::any_of(places.begin(), places.end(), is_here))
    std::erase_if(places, std::not_fn(is_here));
  return places;
}

std::vector<CodeView::FunctionPlace> CodeView::FindFunctions(const std::string& path,
                                                             const std::string& name) const {
  const auto it = functions_.find(name);
  if (it == functions_.end()) return {};
  std::vector<FunctionPlace> here;
  for (const FunctionPlace& place : it->second)
    if (place.file->path == path) here.push_back(place);
  return here.empty() ? it->second : here;
}

bool CodeView::IsSubmitter(const std::string& name) const {
  return SubmitsTasks(name) || submitters_.contains(name);
}

const std::set<std::string>& CodeView::VariablesOf(const std::string& name) const {
  static const std::set<std::string> kNone;
  const auto it = submitters_.find(name);
  return it == submitters_.end() ? kNone : it->second;
}

std::vector<CodeView::CallPlace> CodeView::SubmissionsOf(const CodeletPlace& codelet) const {
  const std::string& variable = codelet.codelet->variable.text;
  std::unordered_map<const File*, bool> seen;
  const auto is_seen_in = [&](const File* file) {
    const auto [it, is_new] = seen.try_emplace(file);
    if (is_new) {
      const std::vector<CodeletPlace> there = CodeletsOfVariable(file->path, variable);
      it->second = std::find(there.begin(), there.end(), codelet) != there.end();
    }
    return it->second;
  };
  std::vector<CallPlace> found;
  for (const auto& [name, calls] : calls_) {
    // A macro's words are those of the file that uses it, a function's of the file that has it.
    const bool stands_for_one = VariablesOf(name).contains(variable);
    for (const CallPlace& place : calls) {
      const auto& words = place.call->words;
      const bool is_named = std::find(words.begin(), words.end(), variable) != words.end();
      if (!is_named && !stands_for_one) continue;
      bool is_it = is_seen_in(place.file);
      if (!is_it && stands_for_one) {
        const std::vector<FunctionPlace> makers = FindFunctions(place.file->path, name);
        is_it = std::any_of(makers.begin(), makers.end(),
                            [&](const FunctionPlace& maker) { return is_seen_in(maker.file); });
      }
      if (is_it) found.push_back(place);
    }
  }
  std::sort(found.begin(), found.end(), [](const CallPlace& a, const CallPlace& b) {
    return std::pair(a.file, a.call) < std::pair(b.file, b.call);
  });
  return found;
}

std::vector<CodeView::CallPlace> CodeView::UsesOf(const std::string& name) const {
  const auto it = calls_.find(name);
  return it == calls_.end() ? std::vector<CallPlace>{} : it->second;
}

std::vector<CodeView::CallPlace> CodeView::SubmissionsIn(const FunctionPlace& place) const {
  std::vector<CallPlace> found;
  if (!place.function->is_macro)
    ForCallsIn(place, [&](const SourceCall& call) {
      if (IsSubmitter(call.name.text)) found.push_back({place.file, &call});
    });
  return found;
}

std::set<std::string> CodeView::WordsSubmittedAt(const std::string& path, uint32_t line) const {
  std::set<std::string> words;
  const File* file = FindFile(path);
  if (!file) return words;
  for (const SourceCall& call : file->code->calls) {
    if (line < call.name.line || line > call.last_line || !IsSubmitter(call.name.text)) continue;
    words.insert(call.words.begin(), call.words.end());
    const std::set<std::string>& own = VariablesOf(call.name.text);
    words.insert(own.begin(), own.end());
    // starpu_task_submit(task): what was put into a task before, where that is one thing only.
    if (call.function < 0) continue;
    std::set<std::string> put;
    ForCallsIn({file, &file->code->functions[static_cast<size_t>(call.function)]},
               [&](const SourceCall& other) {
                 if (other.name.text == "cl") put.insert(other.words.begin(), other.words.end());
               });
    if (put.size() == 1 && call.name.text.find("submit") != std::string::npos) words.merge(put);
  }
  return words;
}

CodeIndex::Entry CodeIndex::Read(const std::string& path, std::shared_ptr<const Document> document,
                                 int64_t modified_ns, bool with_calls,
                                 std::shared_ptr<const MacroTable> macros) {
  const std::string text = document ? document->text.text() : TextOfFile(path);
  auto code = std::make_shared<SourceCode>(ReadSourceCode(text, macros ? *macros : MacroTable()));
  Entry entry{modified_ns, std::move(document), nullptr, with_calls, std::move(macros)};
  entry.has_calls =
      with_calls || text.find("starpu") != text.npos || text.find("STARPU") != text.npos;
  if (!entry.has_calls) {
    code->calls.clear();
    code->used_outside.clear();
    std::erase_if(code->functions, [](const SourceFunction& f) { return f.is_macro; });
  }
  code->calls.shrink_to_fit();
  code->functions.shrink_to_fit();
  entry.code = std::move(code);
  return entry;
}

bool CodeIndex::FollowIncludes(Stop stop) {
  std::set<std::string> speaking;  // names of files
  for (const auto& [path, entry] : entries_)
    if (entry.has_calls) speaking.insert(fs::path(path).filename().string());
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (auto& [path, entry] : entries_) {
      const auto& includes = entry.code->includes;
      if (entry.has_calls || std::none_of(includes.begin(), includes.end(), [&](const auto& name) {
            return speaking.contains(name);
          }))
        continue;
      if (Stopped(stop)) return false;
      entry = Read(path, entry.document, entry.modified_ns, true);
      speaking.insert(fs::path(path).filename().string());
      is_new = true;
    }
  }
  return true;
}

bool CodeIndex::ExpandMacros(Stop stop) {
  const auto macros = std::make_shared<MacroTable>();
  // Those of headers last, as they count for others; and twice, as a macro may be around one of a
  // file that comes later.
  for (int round = 0; round < 2; ++round)
    for (const bool of_headers : {false, true})
      for (const auto& [path, entry] : entries_)
        if (IsHeader(path) == of_headers) AddPastingMacros(entry.code->functions, *macros);
  for (auto& [path, entry] : entries_) {
    const auto is_one = [&](const std::string& name) { return macros->contains(name); };
    const auto& outside = entry.code->used_outside;
    const auto& calls = entry.code->calls;
    const bool uses_one =
        !macros->empty() && (std::any_of(outside.begin(), outside.end(), is_one) ||
                             std::any_of(calls.begin(), calls.end(), [&](const SourceCall& call) {
                               return is_one(call.name.text);
                             }));
    if (uses_one ? entry.macros && *entry.macros == *macros : !entry.macros) continue;
    if (Stopped(stop)) return false;
    entry = Read(path, entry.document, entry.modified_ns, true, uses_one ? macros : nullptr);
  }
  return true;
}

std::shared_ptr<const CodeView> CodeIndex::Look(const Session& session, bool fresh, Stop stop) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // What is missing is looked at the next time.
  const auto give_up = [&] {
    listed_roots_.clear();
    listed_.clear();
    view_ = nullptr;
    return nullptr;
  };
  if (fresh || listed_roots_ != session.roots.folders) {
    listed_ = ListSources(session.roots.folders, stop);
    listed_roots_ = session.roots.folders;
    fresh = true;
    if (Stopped(stop)) return give_up();
  }
  std::set<std::string> paths(listed_.begin(), listed_.end());
  for (const auto& trace : session.traces)
    for (std::string& path : trace->sources->Paths()) paths.insert(std::move(path));
  std::map<std::string, std::shared_ptr<const Document>> documents;
  for (const auto& [key, document] : session.documents)
    if (IsSource(document->path)) documents[document->path] = document;
  for (const auto& [path, document] : documents) paths.insert(path);

  bool is_changed = !view_;
  for (const std::string& path : paths) {
    if (Stopped(stop)) return give_up();
    const auto [it, is_new] = entries_.try_emplace(path);
    Entry& entry = it->second;
    const auto open = documents.find(path);
    const auto document = open == documents.end() ? nullptr : open->second;
    const bool is_as_before = !is_new && entry.code && entry.document == document;
    if (is_as_before && (document || !fresh)) continue;
    const int64_t modified_ns = document ? -1 : ModifiedNs(path);
    if (is_as_before && entry.modified_ns == modified_ns) continue;
    entry = Read(path, document, modified_ns, false);
    is_changed = true;
  }
  is_changed = std::erase_if(entries_,
                             [&](const auto& entry) { return !paths.contains(entry.first); }) > 0 ||
               is_changed;
  if (!is_changed) return view_;
  if (!FollowIncludes(stop) || !ExpandMacros(stop)) return give_up();
  std::vector<CodeView::File> files;
  for (const auto& [path, entry] : entries_) files.push_back({path, entry.code});
  return view_ = std::make_shared<const CodeView>(std::move(files));
}

}  // namespace tasklens
