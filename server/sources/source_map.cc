// SPDX-License-Identifier: Apache-2.0
// Looks for sources directly, then in an index of all files below the roots.
#include "server/sources/source_map.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "server/sources/folders.h"
#include "server/sources/foreign_file.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// Limits for hostile or huge input.
constexpr size_t kMaxNames = 20'000;     // distinct file names of a trace to look up
constexpr size_t kMaxIndexed = 200'000;  // files examined below the roots
constexpr int kMaxDepth = 24;
constexpr uint64_t kMaxSourceBytes = uint64_t{16} << 20;  // of files to compare

// Resolves the links of a path; "" if it is not a readable regular file.
std::string RealFile(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error || !fs::is_regular_file(real, error) || error) return "";
  return real.string();
}

// An index of all files below the roots by their names.
class FileIndex {
 public:
  explicit FileIndex(const SourceRoots& roots) : roots_(roots) {}

  const std::vector<std::string>& Named(const std::string& name) {
    if (!built_) Build();
    static const std::vector<std::string> kNothing;
    const auto it = files_.find(name);
    return it == files_.end() ? kNothing : it->second;
  }
  // True if there were more files than the index may hold.
  bool is_cut() const { return is_cut_; }

 private:
  void Build() {
    built_ = true;
    size_t seen = 0;
    for (const std::string& root : roots_.folders) {
      std::error_code error;
      fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied,
                                          error);
      for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
        if (++seen > kMaxIndexed) {
          is_cut_ = true;
          break;
        }
        const std::string name = it->path().filename().string();
        std::error_code ignored;
        if (it->is_directory(ignored)) {
          if (IsFolderOfTools(name) || it.depth() >= kMaxDepth) it.disable_recursion_pending();
        } else {
          files_[name].push_back(it->path().string());
        }
      }
    }
  }

  const SourceRoots& roots_;
  bool built_ = false, is_cut_ = false;
  std::unordered_map<std::string, std::vector<std::string>> files_;
};

bool HaveSameContent(const std::string& a, const std::string& b) {
  const Result<std::string> x = ReadForeignFile(a, kMaxSourceBytes);
  const Result<std::string> y = ReadForeignFile(b, kMaxSourceBytes);
  return x.ok() && y.ok() && *x == *y;
}

// The number of components that two paths have in common at their ends.
size_t CommonSuffix(const fs::path& a, const fs::path& b) {
  auto x = a.end(), y = b.end();
  size_t common = 0;
  while (x != a.begin() && y != b.begin() && *--x == *--y) ++common;
  return common;
}

using File = SourceMap::File;
using FoundBy = SourceMap::FoundBy;

class Finder {
 public:
  Finder(const std::string& directory, const SourceRoots& roots)
      : directory_(directory), roots_(roots), index_(roots) {}

  // `outside`: a file of exactly this name outside the roots.
  File Find(const std::string& name, std::string& outside) {
    File file{name, "", "", FoundBy::kNothing};
    const fs::path wanted = fs::path(name).lexically_normal();
    if (!wanted.has_filename()) {
      file.problem = "the trace names no source file";
      return file;
    }
    for (const auto& [candidate, found_by] : Candidates(wanted)) {
      const std::string real = RealFile(candidate);
      if (real.empty()) continue;
      if (roots_.Contains(real)) return {name, real, "", found_by};
      if (outside.empty()) outside = real;
    }
    file.path = FindBySuffix(wanted, outside, file.problem);
    if (!file.path.empty()) file.found_by = FoundBy::kEnd;
    return file;
  }

 private:
  std::vector<std::pair<fs::path, FoundBy>> Candidates(const fs::path& wanted) const {
    if (wanted.is_absolute()) return {{wanted, FoundBy::kName}};
    std::vector<std::pair<fs::path, FoundBy>> candidates;
    if (!directory_.empty())
      candidates.emplace_back(fs::path(directory_) / wanted, FoundBy::kDirectory);
    for (const std::string& root : roots_.folders)
      candidates.emplace_back(fs::path(root) / wanted, FoundBy::kRoot);
    return candidates;
  }

  // If several files match equally well, returns those in the first user-named folder that has any.
  std::vector<std::string> Preferred(const std::vector<std::string>& found) const {
    for (size_t i = 0; i < std::min(roots_.named, roots_.folders.size()); ++i) {
      const SourceRoots folder{{roots_.folders[i]}};
      std::vector<std::string> inside;
      for (const std::string& file : found)
        if (folder.Contains(file)) inside.push_back(file);
      if (!inside.empty()) return inside;
    }
    return found;
  }

  std::string FindBySuffix(const fs::path& wanted, const std::string& outside,
                           std::string& problem) {
    size_t best = 0;
    std::vector<std::string> found;
    for (const std::string& file : index_.Named(wanted.filename().string())) {
      const std::string real = RealFile(file);
      if (real.empty() || !roots_.Contains(real)) continue;
      const size_t common = CommonSuffix(wanted, file);
      if (common < best) continue;
      if (common > best) found.clear();
      best = common;
      if (std::find(found.begin(), found.end(), real) == found.end()) found.push_back(real);
    }
    if (found.size() > 1) found = Preferred(found);
    // If the very file exists outside the roots, another file stands for it only if it is a copy.
    if (found.size() == 1 && (outside.empty() || HaveSameContent(found[0], outside)))
      return found[0];
    const std::string name = wanted.string();
    if (found.size() > 1) {
      problem = name + ": could be " + found[0] + " or " + found[1] +
                "; name the right folder in the setting sourceRoots, or with --source-root";
    } else if (!outside.empty()) {
      problem = outside +
                " lies outside the workspace; add its folder to the setting sourceRoots, or with "
                "--source-root";
    } else {
      problem =
          name + ": no such file in the workspace" +
          (index_.is_cut()
               ? " (only its first " + std::to_string(kMaxIndexed) + " files were searched)"
               : "") +
          "; name the folder of the sources in the setting sourceRoots, or with --source-root";
    }
    return "";
  }

  const std::string& directory_;
  const SourceRoots& roots_;
  FileIndex index_;
};

}  // namespace

bool SourceRoots::Contains(const std::string& path) const {
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return folder == "/" || (path.starts_with(folder) && path[folder.size()] == '/');
  });
}

void SourceRoots::Add(const std::string& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error || !fs::is_directory(real, error)) return;
  if (std::find(folders.begin(), folders.end(), real.string()) == folders.end())
    folders.push_back(real.string());
}

SourceMap SourceMap::Make(const TraceModel& model, const std::string& directory,
                          const SourceRoots& roots) {
  SourceMap map;
  Finder finder(directory, roots);
  std::unordered_map<StringId, std::string> outside;
  for (const StringId file : model.sites.file) {
    if (map.entries_.size() >= kMaxNames) break;
    const auto [it, is_new] = map.entries_.try_emplace(file);
    if (is_new) it->second = finder.Find(std::string(model.str(file)), outside[file]);
  }
  for (uint32_t site = 0; site < model.sites.size(); ++site) {
    const auto entry = map.entries_.find(model.sites.file[site]);
    if (entry == map.entries_.end()) continue;
    const std::string& path =
        entry->second.path.empty() ? outside[entry->first] : entry->second.path;
    if (!path.empty()) map.sites_[path].push_back(site);
  }
  for (auto& [path, sites] : map.sites_)
    std::stable_sort(sites.begin(), sites.end(), [&](uint32_t a, uint32_t b) {
      return model.sites.line[a] < model.sites.line[b];
    });
  return map;
}

Result<std::string> SourceMap::PathOf(const TraceModel& model, uint32_t site) const {
  if (site >= model.sites.size())
    return Status(ErrorCode::kNotFound, "the trace does not say where this was submitted");
  const auto it = entries_.find(model.sites.file[site]);
  if (it == entries_.end())
    return Status(ErrorCode::kNotFound, "the trace names too many source files");
  if (it->second.path.empty()) return Status(ErrorCode::kNotFound, it->second.problem);
  // The file may have been deleted since.
  if (RealFile(it->second.path).empty())
    return Status(ErrorCode::kNotFound, it->second.path + ": the file does not exist any more");
  return it->second.path;
}

const std::vector<uint32_t>& SourceMap::SitesIn(const std::string& path) const {
  static const std::vector<uint32_t> kNothing;
  const auto it = sites_.find(path);
  return it == sites_.end() ? kNothing : it->second;
}

std::vector<std::string> SourceMap::Paths() const {
  std::vector<std::string> paths;
  for (const auto& [path, sites] : sites_) paths.push_back(path);
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<SourceMap::File> SourceMap::Files() const {
  std::vector<File> files;
  for (const auto& [id, file] : entries_) files.push_back(file);
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.name < b.name; });
  return files;
}

const SourceMap::File* SourceMap::FileOf(const TraceModel& model, uint32_t site) const {
  if (site >= model.sites.size()) return nullptr;
  const auto it = entries_.find(model.sites.file[site]);
  return it == entries_.end() ? nullptr : &it->second;
}

MovedRoot MovedRootOf(const SourceMap::File& file) {
  if (file.found_by != SourceMap::FoundBy::kEnd) return {};
  fs::path from = fs::path(file.name).lexically_normal(), to = file.path;
  while (from.has_filename() && from.filename() == to.filename()) {
    from = from.parent_path();
    to = to.parent_path();
  }
  return {from.string(), to.string()};
}

int64_t ModifiedNs(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return -1;
  return int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace tasklens
