// SPDX-License-Identifier: Apache-2.0
// Reads an ELF program or library from the disk: elf(5). The contents are untrusted.
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
  // Returns nullopt if `path` is not a 64-bit little-endian ELF file.
  static std::optional<ElfFile> Open(const std::string& path);

  // Returns the first segment of the given type, such as PT_DYNAMIC; nullptr if there is none.
  const Elf64_Phdr* FindSegment(uint32_t type) const;
  // Returns the file offset of the memory address `address`.
  std::optional<uint64_t> OffsetOf(uint64_t address) const;
  // Returns the dynamic loader that the program names; "" if it names none, as in libraries.
  std::string Loader() const;
  // True if the name of a needed library contains `word`.
  bool NeedsLibrary(std::string_view word) const;
  // Returns the contents of the section `name`; "" if there is none, or if it is compressed or
  // above 64 MiB.
  std::string Section(std::string_view name) const;

 private:
  ElfFile(ForeignFile file, const Elf64_Ehdr& header) : file_(std::move(file)), header_(header) {}
  std::string ContentOf(const Elf64_Shdr& section) const;

  ForeignFile file_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace tasklens
