// SPDX-License-Identifier: Apache-2.0
// A program or library as it lies on the disk: elf(5). Any bytes may stand there.
#pragma once

#include <elf.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/sources/foreign_file.h"

namespace tasklens {

class ElfFile {
 public:
  // nullopt where `path` is no ELF file of 64 bits that begins with its least bytes.
  static std::optional<ElfFile> Open(const std::string& path);

  // The first segment of this type: PT_DYNAMIC; nullptr where there is none.
  const Elf64_Phdr* FindSegment(uint32_t type) const;
  // Where in the file lies what is at `address` of the memory.
  std::optional<uint64_t> OffsetOf(uint64_t address) const;
  // The dynamic loader that the program names; "" where it names none, as libraries do.
  std::string Loader() const;
  // Whether one of the libraries that it asks for has `word` in its name.
  bool NeedsLibrary(std::string_view word) const;
  // The content of the section `name`: "" where there is none, or it is compressed or larger than
  // 64 MiB.
  std::string Section(std::string_view name) const;

 private:
  ElfFile(ForeignFile file, const Elf64_Ehdr& header) : file_(std::move(file)), header_(header) {}
  std::string ContentOf(const Elf64_Shdr& section) const;

  ForeignFile file_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace tasklens
