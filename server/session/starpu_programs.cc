// SPDX-License-Identifier: Apache-2.0
// Reads the dynamic section of programs: DT_NEEDED and DT_STRTAB, by elf(5).
#include "server/session/starpu_programs.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// More than any program has: a damaged file asks for no more.
constexpr size_t kMaxSegments = 256;
constexpr size_t kMaxDynamicBytes = size_t{1} << 20;
constexpr size_t kMaxNameBytes = 256;

template <class T>
bool ReadAt(std::ifstream& file, uint64_t offset, T* values, size_t count) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
  return static_cast<bool>(file);
}

std::vector<Elf64_Phdr> SegmentsOf(std::ifstream& file) {
  Elf64_Ehdr header{};
  if (!ReadAt(file, 0, &header, 1) ||
      std::string_view(reinterpret_cast<char*>(header.e_ident), SELFMAG) != ELFMAG ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMaxSegments)
    return {};
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!ReadAt(file, header.e_phoff, segments.data(), segments.size())) return {};
  return segments;
}

// Where in the file lies what is at `address` of the memory.
std::optional<uint64_t> OffsetOf(const std::vector<Elf64_Phdr>& segments, uint64_t address) {
  for (const Elf64_Phdr& one : segments)
    if (one.p_type == PT_LOAD && address >= one.p_vaddr && address - one.p_vaddr < one.p_filesz)
      return one.p_offset + (address - one.p_vaddr);
  return std::nullopt;
}

const Elf64_Phdr* Find(const std::vector<Elf64_Phdr>& segments, uint32_t type) {
  for (const Elf64_Phdr& one : segments)
    if (one.p_type == type) return &one;
  return nullptr;
}

// Begun programs may lie in pipes and devices: these are not opened.
bool IsExecutableFile(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_regular_file(error) && access(entry.path().c_str(), X_OK) == 0;
}

int64_t ModifiedNs(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return 0;
  return static_cast<int64_t>(about.st_mtim.tv_sec) * 1'000'000'000 + about.st_mtim.tv_nsec;
}

}  // namespace

bool LoadsStarpu(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<Elf64_Phdr> segments = SegmentsOf(file);
  const Elf64_Phdr* dynamic = Find(segments, PT_DYNAMIC);
  // A library has no loader.
  if (!dynamic || !Find(segments, PT_INTERP) || dynamic->p_filesz > kMaxDynamicBytes) return false;
  std::vector<Elf64_Dyn> entries(dynamic->p_filesz / sizeof(Elf64_Dyn));
  if (!ReadAt(file, dynamic->p_offset, entries.data(), entries.size())) return false;
  std::optional<uint64_t> names;
  for (const Elf64_Dyn& entry : entries)
    if (entry.d_tag == DT_STRTAB) names = OffsetOf(segments, entry.d_un.d_ptr);
  if (!names) return false;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag != DT_NEEDED) continue;
    char name[kMaxNameBytes] = {};
    ReadAt(file, *names + entry.d_un.d_val, name, sizeof name - 1);  // the file may end before
    if (std::string_view(name).find("starpu") != std::string_view::npos) return true;
  }
  return false;
}

StarpuPrograms FindStarpuPrograms(const std::string& folder, size_t most_entries, Stop stop) {
  StarpuPrograms programs{{}, true};
  std::deque<fs::path> folders = {folder};
  size_t entries = 0;
  for (; !folders.empty() && programs.is_all; folders.pop_front()) {
    std::error_code error;
    for (fs::directory_iterator at(folders.front(), error), end; !error && at != end;
         at.increment(error)) {
      if (++entries > most_entries || Stopped(stop)) {
        programs.is_all = false;
        break;
      }
      const fs::directory_entry& entry = *at;
      if (entry.path().filename().native().starts_with('.')) continue;
      std::error_code ignored;
      if (entry.is_directory(ignored)) {
        if (!entry.is_symlink(ignored)) folders.push_back(entry.path());
      } else if (IsExecutableFile(entry) && LoadsStarpu(entry.path())) {
        programs.found.push_back(
            {entry.path().lexically_relative(folder), ModifiedNs(entry.path())});
      }
    }
  }
  std::sort(programs.found.begin(), programs.found.end(), [](const auto& a, const auto& b) {
    return a.modified_ns != b.modified_ns ? a.modified_ns > b.modified_ns : a.path < b.path;
  });
  return programs;
}

}  // namespace tasklens
