// SPDX-License-Identifier: Apache-2.0
#include "server/sources/elf_file.h"

#include <utility>

namespace tasklens {
namespace {

// More than any real program has; protects against damaged files.
constexpr size_t kMaxSegments = 256;
constexpr uint64_t kMaxDynamicBytes = uint64_t{1} << 20;
constexpr uint64_t kMaxNameBytes = 4096;
constexpr uint64_t kMaxSectionBytes = uint64_t{64} << 20;

}  // namespace

std::optional<ElfFile> ElfFile::Open(const std::string& path) {
  Result<ForeignFile> file = ForeignFile::Open(path);
  Elf64_Ehdr header;
  if (!file.ok() || !file->ReadValue(0, header) ||
      std::string_view(reinterpret_cast<char*>(header.e_ident), SELFMAG) != ELFMAG ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return std::nullopt;
  ElfFile elf(std::move(*file), header);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMaxSegments) return elf;
  elf.segments_.resize(header.e_phnum);
  for (size_t i = 0; i < elf.segments_.size(); ++i)
    if (!elf.file_.ReadValue(header.e_phoff + i * sizeof(Elf64_Phdr), elf.segments_[i])) {
      elf.segments_.clear();
      break;
    }
  return elf;
}

const Elf64_Phdr* ElfFile::FindSegment(uint32_t type) const {
  for (const Elf64_Phdr& one : segments_)
    if (one.p_type == type) return &one;
  return nullptr;
}

std::optional<uint64_t> ElfFile::OffsetOf(uint64_t address) const {
  for (const Elf64_Phdr& one : segments_)
    if (one.p_type == PT_LOAD && address >= one.p_vaddr && address - one.p_vaddr < one.p_filesz)
      return one.p_offset + (address - one.p_vaddr);
  return std::nullopt;
}

std::string ElfFile::Loader() const {
  const Elf64_Phdr* part = FindSegment(PT_INTERP);
  if (!part || part->p_filesz > kMaxNameBytes) return "";
  const std::string loader = file_.ReadBytes(part->p_offset, part->p_filesz);
  return loader.substr(0, loader.find('\0'));
}

bool ElfFile::NeedsLibrary(std::string_view word) const {
  const Elf64_Phdr* dynamic = FindSegment(PT_DYNAMIC);
  if (!dynamic || dynamic->p_filesz > kMaxDynamicBytes) return false;
  std::vector<Elf64_Dyn> entries(dynamic->p_filesz / sizeof(Elf64_Dyn));
  std::optional<uint64_t> names;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!file_.ReadValue(dynamic->p_offset + i * sizeof(Elf64_Dyn), entries[i])) return false;
    if (entries[i].d_tag == DT_STRTAB) names = OffsetOf(entries[i].d_un.d_ptr);
  }
  if (!names) return false;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag != DT_NEEDED) continue;
    char name[kMaxNameBytes];
    const Result<size_t> got = file_.Read(*names + entry.d_un.d_val, name);
    const std::string_view text(name, got.ok() ? *got : 0);
    if (text.substr(0, text.find('\0')).find(word) != text.npos) return true;
  }
  return false;
}

std::string ElfFile::Section(std::string_view name) const {
  std::vector<Elf64_Shdr> sections(header_.e_shnum);
  for (size_t i = 0; i < sections.size(); ++i)
    if (!file_.ReadValue(header_.e_shoff + i * sizeof(Elf64_Shdr), sections[i])) return "";
  if (header_.e_shstrndx >= sections.size()) return "";
  const std::string names = ContentOf(sections[header_.e_shstrndx]);
  for (const Elf64_Shdr& section : sections)
    if (section.sh_name < names.size() && names.c_str() + section.sh_name == name)
      return ContentOf(section);
  return "";
}

std::string ElfFile::ContentOf(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS || (section.sh_flags & SHF_COMPRESSED) != 0 ||
      section.sh_size > kMaxSectionBytes)
    return "";
  return file_.ReadBytes(section.sh_offset, section.sh_size);
}

}  // namespace tasklens
