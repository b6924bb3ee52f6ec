// SPDX-License-Identifier: Apache-2.0
// Parses the headers of the units in .debug_line.
#include "server/sources/compiled_sources.h"

#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "server/sources/elf_file.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxSources = 100'000;

// DWARF 5 numbers: the contents of entries in a line table's header, and the forms of values.
constexpr uint64_t kPath = 1, kDirectoryIndex = 2, kMd5 = 5;
constexpr uint64_t kData2 = 0x05, kData4 = 0x06, kData8 = 0x07, kString = 0x08, kBlock = 0x09,
                   kData1 = 0x0b, kStrp = 0x0e, kUdata = 0x0f, kData16 = 0x1e, kLineStrp = 0x1f;

// Reads values from bytes; reading beyond the end fails, as do all later reads.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  bool failed() const { return failed_; }
  bool is_empty() const { return rest_.empty() || failed_; }
  std::string_view Take(uint64_t count) {
    if (failed_ || count > rest_.size()) {
      failed_ = true;
      return "";
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  uint64_t Number(size_t bytes) {
    uint64_t number = 0;
    const std::string_view taken = Take(bytes);
    std::memcpy(&number, taken.data(), taken.size());
    return number;
  }
  uint64_t Leb128() {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint64_t byte = Number(1);
      number |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return number;
    }
    failed_ = true;
    return 0;
  }
  std::string_view Text() {
    const size_t end = rest_.find('\0');
    const std::string_view text = Take(end == rest_.npos ? rest_.size() + 1 : end);
    Take(1);
    return text;
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

class LineTables {
 public:
  explicit LineTables(const ElfFile& elf)
      : lines_(elf.Section(".debug_line")),
        line_texts_(elf.Section(".debug_line_str")),
        texts_(elf.Section(".debug_str")) {}

  std::vector<CompiledSource> Read() {
    Bytes units(lines_);
    while (!units.is_empty() && sources_.size() < kMaxSources) {
      uint64_t length = units.Number(4);
      offset_bytes_ = length == UINT32_MAX ? 8 : 4;
      if (offset_bytes_ == 8) length = units.Number(8);
      ReadUnit(Bytes(units.Take(length)));
    }
    return std::move(sources_);
  }

 private:
  struct Entry {
    std::string_view path, md5;
    uint64_t directory = 0;
  };

  void ReadUnit(Bytes unit) {
    if (unit.Number(2) != 5) return;
    unit.Take(2);              // sizes of addresses and segment selectors
    unit.Take(offset_bytes_);  // length of the header
    unit.Take(5);
    const uint64_t opcodes = unit.Number(1);
    unit.Take(opcodes > 0 ? opcodes - 1 : 0);
    const std::vector<Entry> directories = ReadEntries(unit), files = ReadEntries(unit);
    if (unit.failed()) return;
    for (const Entry& file : files) {
      if (file.md5.size() != 16) continue;
      fs::path path = file.path;
      if (file.directory < directories.size())
        path = fs::path(directories[file.directory].path) / path;
      if (!directories.empty())
        path = fs::path(directories[0].path) / path;  // the compiler's working directory
      CompiledSource source{path.lexically_normal().string(), std::string(file.md5)};
      if (seen_.emplace(source.path, source.md5).second) sources_.push_back(std::move(source));
    }
  }

  std::vector<Entry> ReadEntries(Bytes& unit) {
    std::vector<std::pair<uint64_t, uint64_t>> format;  // content, form
    for (uint64_t left = unit.Number(1); left > 0; --left) {
      const uint64_t content = unit.Leb128();
      format.emplace_back(content, unit.Leb128());
    }
    std::vector<Entry> entries;
    const uint64_t count = unit.Leb128();
    // An entry without content has no bytes, so the number of entries could be anything.
    if (format.empty()) return entries;
    for (uint64_t i = 0; i < count && !unit.failed() && entries.size() < kMaxSources; ++i) {
      Entry& entry = entries.emplace_back();
      for (const auto& [content, form] : format) ReadValue(unit, content, form, entry);
    }
    return entries;
  }

  void ReadValue(Bytes& unit, uint64_t content, uint64_t form, Entry& entry) {
    std::string_view text;
    uint64_t number = 0;
    switch (form) {
      case kString: text = unit.Text(); break;
      case kLineStrp: text = TextAt(line_texts_, unit.Number(offset_bytes_)); break;
      case kStrp: text = TextAt(texts_, unit.Number(offset_bytes_)); break;
      case kData16: text = unit.Take(16); break;
      case kBlock: text = unit.Take(unit.Leb128()); break;
      case kUdata: number = unit.Leb128(); break;
      case kData1: number = unit.Number(1); break;
      case kData2: number = unit.Number(2); break;
      case kData4: number = unit.Number(4); break;
      case kData8: number = unit.Number(8); break;
      default: unit.Take(SIZE_MAX);  // unknown length: the rest cannot be parsed
    }
    if (content == kPath) entry.path = text;
    if (content == kMd5) entry.md5 = text;
    if (content == kDirectoryIndex) entry.directory = number;
  }

  static std::string_view TextAt(const std::string& texts, uint64_t at) {
    return at < texts.size() ? std::string_view(texts.c_str() + at) : std::string_view();
  }

  const std::string lines_, line_texts_, texts_;
  size_t offset_bytes_ = 4;
  std::set<std::pair<std::string, std::string>> seen_;
  std::vector<CompiledSource> sources_;
};

}  // namespace

std::vector<CompiledSource> ReadCompiledSources(const std::string& program) {
  std::error_code error;
  if (!fs::is_regular_file(program, error)) return {};  // opening a pipe may block for ever
  const std::optional<ElfFile> elf = ElfFile::Open(program);
  if (!elf) return {};
  return LineTables(*elf).Read();
}

}  // namespace tasklens
