// SPDX-License-Identifier: Apache-2.0
// Lists the sources, reads those that changed, and merges the results.
#include "server/sources/code_index.h"

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "server/sources/document.h"
#include "server/sources/folders.h"
#include "server/sources/foreign_file.h"
#include "server/sources/macro_expansion.h"
#include "server/sources/source_map.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxSeen = 200'000;  // limit of files and folders examined below the roots
constexpr int kMaxDepth = 24;
constexpr uintmax_t kMaxSourceBytes = uintmax_t{4} << 20;

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

// Calls `use` for each call in the body of a function (not of a macro).
template <class Use>
void ForCallsIn(const CodeView::FunctionPlace& place, const Use& use) {
  const auto number = static_cast<int32_t>(place.function - place.file->code->functions.data());
  for (const SourceCall& call : place.file->code->calls)
    if (call.function == number) use(call);
}

const SourceFunction* FunctionAround(const CodeView::CallPlace& place) {
  const int32_t number = place.call->function;
  return number < 0 ? nullptr : &place.file->code->functions[static_cast<size_t>(number)];
}

bool IsOfItsFileAlone(const CodeView::FunctionPlace& place) {
  return place.function->is_static && !IsHeader(place.file->path);
}

// Adds the codelets that are new, up to kMaxCodelets.
void AddNew(const std::vector<CodeView::CodeletPlace>& codelets,
            std::vector<CodeView::CodeletPlace>& to) {
  for (const CodeView::CodeletPlace& codelet : codelets)
    if (to.size() < CodeView::kMaxCodelets && std::find(to.begin(), to.end(), codelet) == to.end())
      to.push_back(codelet);
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
  const Users users = FindUsers();
  const auto add_functions = [&](const auto& is_one) {
    for (const File& file : files_)
      for (const SourceFunction& function : file.code->functions)
        if (is_one(function)) functions_[function.name.text].push_back({&file, &function});
  };
  const auto is_used = [&](const SourceFunction& function) {
    return users.contains(function.name.text) || by_word_.contains(function.name.text);
  };
  add_functions(is_used);
  FillSubmitters(users);
  add_functions([&](const SourceFunction& function) {
    return submitters_.contains(&function) && !is_used(function);
  });
  for (const auto& [function, submitter] : submitters_)
    for (const std::string& word : function->words)
      if (functions_.contains(word)) macros_around_[word].push_back({submitter.file, function});
  // In a large workspace most functions and calls are dropped: those that no query can ask for.
  std::erase_if(functions_, [&](const auto& named) {
    const auto is_one = [&](const auto& place) { return submitters_.contains(place.function); };
    return !by_word_.contains(named.first) &&
           std::none_of(named.second.begin(), named.second.end(), is_one);
  });
  for (const File& file : files_)
    for (const SourceCall& call : file.code->calls)
      if (call.name.text == "cl" || Submits(file, call.name.text))
        calls_[call.name.text].push_back({&file, &call});
}

CodeView::Users CodeView::FindUsers() const {
  std::unordered_set<std::string_view> defined;
  for (const File& file : files_)
    for (const SourceFunction& function : file.code->functions) defined.insert(function.name.text);
  Users users;
  const auto add = [&](const std::string& name, const FunctionPlace& user) {
    if (defined.contains(name) || SubmitsTasks(name)) users[name].push_back(user);
  };
  for (const File& file : files_) {
    for (const SourceFunction& function : file.code->functions)
      for (const std::string& word : function.words) add(word, {&file, &function});
    for (const SourceCall& call : file.code->calls)
      if (const SourceFunction* function = FunctionAround({&file, &call}))
        add(call.name.text, {&file, function});
  }
  return users;
}

template <class Use>
void CodeView::ForUsersOf(const FunctionPlace& place, const Users& users, const Use& use) const {
  const auto all = users.find(place.function->name.text);
  if (all == users.end()) return;
  auto [begin, end] = std::pair(all->second.begin(), all->second.end());
  if (IsOfItsFileAlone(place))
    std::tie(begin, end) = std::equal_range(
        begin, end, place, [](const auto& a, const auto& b) { return a.file < b.file; });
  for (auto user = begin; user != end; ++user)
    if (user->function != place.function && Sees(*user->file, place)) use(*user);
}

template <class Learns>
void CodeView::Spread(const Users& users, const Learns& learns) const {
  std::vector<FunctionPlace> ahead;
  const auto ask = [&](const FunctionPlace& user) {
    if (learns(user)) ahead.push_back(user);
  };
  for (const auto& [name, places] : users)
    if (SubmitsTasks(name)) std::for_each(places.begin(), places.end(), ask);
  while (!ahead.empty()) {
    const FunctionPlace place = ahead.back();
    ahead.pop_back();
    ForUsersOf(place, users, ask);
  }
}

std::set<const SourceFunction*> CodeView::FindThoseThatSubmit(const Users& users) const {
  std::set<const SourceFunction*> found;
  Spread(users, [&](const FunctionPlace& user) { return found.insert(user.function).second; });
  return found;
}

void CodeView::FillSubmitters(const Users& users) {
  const std::set<const SourceFunction*> submitting = FindThoseThatSubmit(users);
  // The calls of a function that submit, and at how many places. The expansion of a macro is at its
  // use.
  struct Body {
    std::vector<const SourceCall*> calls;
    std::set<std::pair<uint32_t, size_t>> places;
  };
  std::unordered_map<const SourceFunction*, Body> bodies;
  for (const File& file : files_)
    for (const SourceCall& call : file.code->calls) {
      const SourceFunction* around = FunctionAround({&file, &call});
      if (!around || !submitting.contains(around)) continue;
      bool is_one = SubmitsTasks(call.name.text);
      if (const auto named = functions_.find(call.name.text); !is_one && named != functions_.end())
        for (const FunctionPlace& place : named->second)
          is_one = is_one || (place.function != around && submitting.contains(place.function) &&
                              Sees(file, place));
      if (!is_one && call.name.text != "cl") continue;
      bodies[around].calls.push_back(&call);
      if (is_one) bodies[around].places.emplace(call.name.line, call.name.begin_byte);
    }
  Spread(users, [&](const FunctionPlace& place) {
    const SourceFunction& function = *place.function;
    const Body& body = bodies[&function];
    return (function.is_macro || (body.places.size() == 1 && function.name.text != "main")) &&
           Learn(place, body.calls);
  });
}

bool CodeView::Learn(const FunctionPlace& place, const std::vector<const SourceCall*>& calls) {
  const auto [it, is_new] = submitters_.try_emplace(place.function, Submitter{place.file, {}, {}});
  // A copy, because the table may change while the function's own words are looked up.
  Submitter known = it->second;
  const size_t before = known.words.size() + known.codelets.size();
  const auto add_word = [&](const std::string& word) {
    if (known.words.size() < kMaxCodelets) known.words.insert(word);
  };
  for (const std::string& word : place.function->words) {
    if (place.function->HasParameter(word)) continue;
    if (by_variable_.contains(word)) add_word(word);
    for (const FunctionPlace& inner : FindSubmitters(*place.file, word)) {
      const Submitter& submitter = submitters_.at(inner.function);
      std::for_each(submitter.words.begin(), submitter.words.end(), add_word);
      AddNew(submitter.codelets, known.codelets);
    }
  }
  for (const SourceCall* call : calls) {
    AddNew(CodeletsNamedIn({place.file, call}), known.codelets);
    AddNew(CodeletsBehind(*place.file, call->name.text), known.codelets);
  }
  const bool has_learnt = is_new || known.words.size() + known.codelets.size() > before;
  it->second = std::move(known);
  return has_learnt;
}

bool CodeView::Sees(const File& file, const FunctionPlace& place) const {
  if (place.file == &file) return true;
  if (IsOfItsFileAlone(place)) return false;
  const auto named = functions_.find(place.function->name.text);
  return named == functions_.end() ||
         !std::binary_search(named->second.begin(), named->second.end(), FunctionPlace{&file, {}},
                             [](const auto& a, const auto& b) { return a.file < b.file; });
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
  // A static codelet of this file hides those of others.
  const bool is_hidden = is_own && std::all_of(own.begin(), own.end(),
                                               [](const auto& p) { return p.codelet->is_static; });
  if (!is_hidden || IsHeader(path)) {
    // A codelet that another file defines under this name is a different one; a file that only
    // fills it means this one.
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
  // If several programs use the word, the definition in this file counts.
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

std::vector<CodeView::FunctionPlace> CodeView::FindSubmitters(const File& file,
                                                              const std::string& name) const {
  std::vector<FunctionPlace> found;
  if (const auto it = functions_.find(name); it != functions_.end())
    for (const FunctionPlace& place : it->second)
      if (submitters_.contains(place.function) && Sees(file, place)) found.push_back(place);
  return found;
}

std::vector<CodeView::FunctionPlace> CodeView::FindSubmitters(const std::string& path,
                                                              const std::string& name) const {
  const File* file = FindFile(path);
  return file ? FindSubmitters(*file, name) : std::vector<FunctionPlace>{};
}

bool CodeView::Submits(const File& file, const std::string& name) const {
  return SubmitsTasks(name) || !FindSubmitters(file, name).empty();
}

std::vector<CodeView::CodeletPlace> CodeView::CodeletsBehind(const File& file,
                                                             const std::string& name) const {
  std::vector<CodeletPlace> found;
  for (const FunctionPlace& place : FindSubmitters(file, name)) {
    const Submitter& submitter = submitters_.at(place.function);
    for (const std::string& word : submitter.words)
      AddNew(CodeletsOfVariable(file.path, word), found);
    AddNew(submitter.codelets, found);
  }
  return found;
}

bool CodeView::IsNamedIn(const CallPlace& place, const std::string& variable) const {
  const auto& words = place.call->words;
  const SourceFunction* around = FunctionAround(place);
  return std::find(words.begin(), words.end(), variable) != words.end() &&
         !(around && around->HasParameter(variable));
}

std::vector<CodeView::CodeletPlace> CodeView::CodeletsNamedIn(const CallPlace& place) const {
  std::vector<CodeletPlace> found;
  for (const std::string& word : place.call->words)
    if (by_variable_.contains(word) && IsNamedIn(place, word))
      AddNew(CodeletsOfVariable(place.file->path, word), found);
  return found;
}

std::vector<CodeView::CodeletPlace> CodeView::CodeletsOf(const FunctionPlace& submitter,
                                                         bool given) const {
  std::vector<CodeletPlace> found;
  std::vector<FunctionPlace> ahead = {submitter};
  std::set<const SourceFunction*> seen = {submitter.function};
  const auto add = [&](const FunctionPlace& place) {
    if (submitters_.contains(place.function) && seen.insert(place.function).second)
      ahead.push_back(place);
  };
  while (!ahead.empty()) {
    const FunctionPlace place = ahead.back();
    ahead.pop_back();
    AddNew(CodeletsBehind(*place.file, place.function->name.text), found);
    if (!given) break;
    for (const CallPlace& use : UsesOf(place)) {
      const auto named = CodeletsSubmittedAt(use);
      AddNew(named, found);
      // A function whose use names no codelet passes on its own argument.
      if (const SourceFunction* around = FunctionAround(use); around && named.empty())
        add({use.file, around});
    }
    if (const auto it = macros_around_.find(place.function->name.text); it != macros_around_.end())
      for (const FunctionPlace& macro : it->second)
        if (Sees(*macro.file, place)) add(macro);
  }
  return found;
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
    const File* file = nullptr;
    bool stands_for_it = false;
    for (const CallPlace& place : calls) {
      if (place.file != std::exchange(file, place.file)) {
        const std::vector<CodeletPlace> behind = CodeletsBehind(*file, name);
        stands_for_it = std::find(behind.begin(), behind.end(), codelet) != behind.end();
      }
      if (stands_for_it || (IsNamedIn(place, variable) && is_seen_in(file))) found.push_back(place);
    }
  }
  std::sort(found.begin(), found.end(), [](const CallPlace& a, const CallPlace& b) {
    return std::pair(a.file, a.call) < std::pair(b.file, b.call);
  });
  return found;
}

std::vector<CodeView::CallPlace> CodeView::UsesOf(const FunctionPlace& submitter) const {
  std::vector<CallPlace> found;
  if (const auto it = calls_.find(submitter.function->name.text); it != calls_.end())
    for (const CallPlace& place : it->second)
      if (Sees(*place.file, submitter)) found.push_back(place);
  return found;
}

std::vector<CodeView::CallPlace> CodeView::SubmissionsIn(const FunctionPlace& place) const {
  std::vector<CallPlace> found;
  if (!place.function->is_macro)
    ForCallsIn(place, [&](const SourceCall& call) {
      if (Submits(*place.file, call.name.text)) found.push_back({place.file, &call});
    });
  return found;
}

std::vector<CodeView::CodeletPlace> CodeView::CodeletsSubmittedAt(const CallPlace& use) const {
  std::vector<CodeletPlace> found;
  const auto& calls = use.file->code->calls;
  // The calls of a macro's expansion have the position of its use, before or after it in the list.
  const auto is_there = [&](const SourceCall& call) {
    return std::pair(call.name.line, call.name.begin_byte) ==
           std::pair(use.call->name.line, use.call->name.begin_byte);
  };
  const SourceCall* call = use.call;
  while (call != calls.data() && is_there(*(call - 1))) --call;
  for (; call != calls.data() + calls.size() && is_there(*call); ++call) {
    AddNew(CodeletsNamedIn({use.file, call}), found);
    AddNew(CodeletsBehind(*use.file, call->name.text), found);
  }
  return found;
}

std::vector<CodeView::CodeletPlace> CodeView::CodeletsSubmittedAt(const std::string& path,
                                                                  uint32_t line,
                                                                  const std::string& name) const {
  std::vector<CodeletPlace> found;
  const File* file = FindFile(path);
  if (!file) return found;
  for (const SourceCall& call : file->code->calls) {
    if (line < call.name.line || line > call.last_line) continue;
    if ((!name.empty() && call.name.text != name) || !Submits(*file, call.name.text)) continue;
    AddNew(CodeletsSubmittedAt({file, &call}), found);
    // starpu_task_submit(task): the codelet that was assigned to a task before, if it is only one.
    if (call.function < 0 || call.name.text.find("submit") == std::string::npos) continue;
    std::set<std::string> put;
    const SourceFunction& around = file->code->functions[static_cast<size_t>(call.function)];
    ForCallsIn({file, &around}, [&](const SourceCall& other) {
      if (other.name.text == "cl") put.insert(other.words.begin(), other.words.end());
    });
    if (put.size() == 1) AddNew(CodeletsOfVariable(path, *put.begin()), found);
  }
  return found;
}

CodeIndex::Entry CodeIndex::Read(const std::string& path, std::shared_ptr<const Document> document,
                                 int64_t modified_ns, bool with_calls,
                                 std::shared_ptr<const MacroTable> macros) {
  const std::string text =
      document ? document->text.text() : ReadForeignFile(path, kMaxSourceBytes).value_or("");
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
  std::set<std::string> speaking;  // names of files that mention StarPU
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
  // The macros of headers are added last, because they apply to other files, too. Two rounds,
  // because a macro may use one of a file that comes later.
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

std::shared_ptr<const CodeView> CodeIndex::Look(const CodeSources& sources, bool fresh, Stop stop) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // After a stop, the next call reads what is missing.
  const auto give_up = [&] {
    listed_roots_.clear();
    listed_.clear();
    view_ = nullptr;
    return nullptr;
  };
  if (fresh || listed_roots_ != sources.folders) {
    listed_ = ListSources(sources.folders, stop);
    listed_roots_ = sources.folders;
    fresh = true;
    if (Stopped(stop)) return give_up();
  }
  std::set<std::string> paths(listed_.begin(), listed_.end());
  paths.insert(sources.others.begin(), sources.others.end());
  std::map<std::string, std::shared_ptr<const Document>> documents;
  for (const auto& document : sources.documents)
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
