// SPDX-License-Identifier: Apache-2.0
// A header with checksums before the bytes of SaveModel(), mapped when it is used.
#include "converters/saved_trace.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <future>
#include <memory>
#include <utility>

#define XXH_INLINE_ALL  // the library as a header
#include <xxhash.h>

#include "converters/readers/prv_lines.h"
#include "converters/trace_files.h"
#include "trace/model/saved_model.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".tlsaved";
// A file still being written is never this old; on a slow network disk it may be minutes old.
constexpr std::chrono::hours kAbandonedAfter{1};
constexpr std::array<char, 8> kMagic = {'T', 'L', 'S', 'A', 'V', 'E', 'D', '2'};

struct Header {
  std::array<char, 8> magic;
  uint64_t program;      // ThisProgram()
  uint64_t state;        // of the files of the trace
  uint64_t bytes;        // behind the header
  uint64_t hash;         // of these
  uint64_t model_bytes;  // of these, the first bytes; the bytes of `beside` follow
  uint64_t unused[2];
};
static_assert(sizeof(Header) == 64, "what follows is aligned");

class File {
 public:
  File(const std::string& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// Maps a file while this lives.
class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    const File file(path, O_RDONLY);
    struct stat status {};
    if (file.fd() < 0 || fstat(file.fd(), &status) != 0 || status.st_size <= 0) return;
    const auto size = static_cast<size_t>(status.st_size);
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.fd(), 0);
    if (data != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(data), size};
  }
  ~Mapping() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

// Adds the state of a file to `text`, without reading it all; returns false if it cannot be saved.
bool AppendState(const std::string& path, std::string& text, uint64_t& bytes) {
  constexpr size_t kEnds = 64 << 10;
  const File file(path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (file.fd() < 0 || fstat(file.fd(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  std::vector<char> ends(2 * kEnds);
  const auto tail = std::max<off_t>(0, status.st_size - static_cast<off_t>(kEnds));
  const ssize_t first = pread(file.fd(), ends.data(), kEnds, 0);
  const ssize_t last = pread(file.fd(), ends.data() + kEnds, kEnds, tail);
  if (first < 0 || last < 0) return false;
  for (const uint64_t value :
       {static_cast<uint64_t>(status.st_size), static_cast<uint64_t>(status.st_mtim.tv_sec),
        static_cast<uint64_t>(status.st_mtim.tv_nsec),
        XXH3_64bits(ends.data(), static_cast<size_t>(first)),
        XXH3_64bits(ends.data() + kEnds, static_cast<size_t>(last))})
    text += std::to_string(value) + ' ';
  bytes += static_cast<uint64_t>(status.st_size);
  return true;
}

// A number of this build of the program: from the id that its linker gave it, else from its file.
uint64_t ThisProgram() {
  static const uint64_t program = [] {
    std::string id;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* found) {
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& segment = info->dlpi_phdr[i];
            if (segment.p_type != PT_NOTE) continue;
            // A note is a header, its owner and its contents, both padded to 4 bytes.
            const auto fill = [](size_t size) { return (size + 3) / 4 * 4; };
            const char* at = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
            const char* const end = at + segment.p_memsz;
            ElfW(Nhdr) note;
            for (; end - at >= static_cast<std::ptrdiff_t>(sizeof note);
                 at += sizeof note + fill(note.n_namesz) + fill(note.n_descsz)) {
              std::memcpy(&note, at, sizeof note);
              if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof ELF_NOTE_GNU) continue;
              static_cast<std::string*>(found)->assign(at + sizeof note + fill(note.n_namesz),
                                                       note.n_descsz);
            }
          }
          return 1;  // the first is the program itself
        },
        &id);
    struct stat file {};
    if (id.empty() && stat("/proc/self/exe", &file) == 0)
      id = std::to_string(file.st_size) + ' ' + std::to_string(file.st_mtim.tv_sec) + ' ' +
           std::to_string(file.st_mtim.tv_nsec);
    return XXH3_64bits(id.data(), id.size());
  }();
  return program;
}

// Returns the state of all files as one number, never 0; 0 if the trace cannot be saved.
uint64_t StateOf(const std::vector<std::string>& files, uint64_t& bytes) {
  std::string text;
  bytes = 0;
  for (const std::string& file : files) {
    if (!AppendState(file, text, bytes)) return 0;
    // The reader of Paraver traces reads these files, too; a missing one is part of the state.
    for (const std::string& beside : FilesBesidePrv(file))
      if (!AppendState(beside, text, bytes)) text += "none ";
  }
  return XXH3_64bits(text.data(), text.size()) | 1;
}

std::string Hex(XXH128_hash_t hash) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

Status Failed(const std::string& what, const std::string& path) {
  return {ErrorCode::kIo, path + ": " + what + ": " + std::strerror(errno)};
}

// Writes through a buffer and hashes what it writes; keeps the first error.
class HashingWriter {
 public:
  explicit HashingWriter(int fd) : fd_(fd) { XXH3_64bits_reset(&state_); }

  void Append(std::string_view text) {
    if (buffer_.size() + text.size() > kBufferBytes) Flush();
    if (text.size() > kBufferBytes)
      Write(text);
    else
      buffer_ += text;
  }
  void Flush() {
    Write(buffer_);
    buffer_.clear();
  }
  bool ok() const { return ok_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t hash() const { return XXH3_64bits_digest(&state_); }

 private:
  static constexpr size_t kBufferBytes = 1 << 20;

  void Write(std::string_view text) {
    XXH3_64bits_update(&state_, text.data(), text.size());
    bytes_ += text.size();
    while (ok_ && !text.empty()) {
      const ssize_t written = write(fd_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      ok_ = written > 0;
      if (ok_) text.remove_prefix(static_cast<size_t>(written));
    }
  }

  const int fd_;
  std::string buffer_;
  XXH3_state_t state_;
  uint64_t bytes_ = 0;
  bool ok_ = true;
};

}  // namespace

SavedTraceOptions DefaultSavedTraceOptions() {
  SavedTraceOptions options;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (std::getenv("TASKLENS_SAVED_TRACES") != nullptr) {
    const std::string folder = variable("TASKLENS_SAVED_TRACES");
    if (folder != "off") options.directory = folder;
    return options;
  }
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  // The specification of these folders says to ignore a relative path.
  if (cache.starts_with('/'))
    options.directory = cache + "/tasklens/traces";
  else if (home.starts_with('/'))
    options.directory = home + "/.cache/tasklens/traces";
  return options;
}

SavedTrace::SavedTrace(std::span<const std::string> paths, SavedTraceOptions options)
    : options_(std::move(options)) {
  if (options_.directory.empty()) return;
  Result<std::vector<std::string>> files = TraceFiles(paths);
  if (!files.ok()) return;
  std::string names;
  for (const std::string& file : *files) {
    std::error_code error;
    files_.push_back(fs::canonical(file, error).string());
    if (error) return;
    names += files_.back() + '\n';
  }
  state_ = StateOf(files_, bytes_);
  if (state_ == 0 || bytes_ < options_.least_bytes) return;
  path_ = options_.directory + "/" + Hex(XXH3_128bits(names.data(), names.size())) +
          std::string(kEnding);
}

std::optional<SavedTrace::Kept> SavedTrace::Load(Diagnostics& diags) const {
  if (path_.empty()) return std::nullopt;
  const auto mapping = std::make_shared<const Mapping>(path_);
  const std::span<const std::byte> bytes = mapping->bytes();
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::span<const std::byte> body = bytes.subspan(sizeof header);
  if (header.magic != kMagic || header.program != ThisProgram() || header.state != state_ ||
      header.bytes != body.size() || header.model_bytes > body.size() ||
      header.model_bytes % 8 != 0)
    return std::nullopt;
  // The contents are checked while their checksum is computed.
  std::future<bool> is_whole = std::async(
      std::launch::async, [&] { return XXH3_64bits(body.data(), body.size()) == header.hash; });
  Diagnostics said;
  Result<TraceModel> model = LoadModel(body.first(header.model_bytes), mapping, said);
  if (!is_whole.get() || !model.ok()) return std::nullopt;
  diags.Merge(said);
  utimensat(AT_FDCWD, path_.c_str(), nullptr, 0);  // used now, for RemoveOldest()
  return Kept{std::move(*model), body.subspan(header.model_bytes)};
}

bool SavedTrace::IsToKeep(const Diagnostics& diags) const {
  // Whether the files that were read are complete.
  const bool is_finished = diags.Count("tlt_not_closed") == 0 &&
                           diags.Count("fxt_not_closed") == 0 &&
                           diags.Count("tlt_missing_text") == 0;
  return !path_.empty() && is_finished;
}

Status SavedTrace::Store(const TraceModel& model, const Diagnostics& diags,
                         const std::function<void(const Write&)>& beside) const {
  if (!IsToKeep(diags)) return Status::Ok();
  std::error_code error;
  const fs::path folder(options_.directory);
  if (!fs::is_directory(folder, error)) {
    fs::create_directories(folder.parent_path(), error);
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
      return Failed("cannot make the folder of saved traces", options_.directory);
  }
  const std::string unfinished = path_ + "." + std::to_string(getpid());
  {
    unlink(unfinished.c_str());
    const File file(unfinished, O_WRONLY | O_CREAT | O_EXCL);
    if (file.fd() < 0) return Failed("cannot save the trace", unfinished);
    Header header{kMagic, ThisProgram(), state_, 0, 0, 0, {}};
    const std::string_view header_bytes(reinterpret_cast<const char*>(&header), sizeof header);
    bool ok = lseek(file.fd(), sizeof header, SEEK_SET) >= 0;
    HashingWriter writer(file.fd());
    const Write write = [&](std::string_view text) { writer.Append(text); };
    SaveModel(model, diags, write);
    writer.Flush();
    header.model_bytes = writer.bytes();
    if (beside) beside(write);
    writer.Flush();
    header.bytes = writer.bytes();
    header.hash = writer.hash();
    ok = ok && writer.ok() &&
         pwrite(file.fd(), header_bytes.data(), header_bytes.size(), 0) == sizeof header;
    if (!ok) {
      const Status status = Failed("cannot save the trace", unfinished);
      unlink(unfinished.c_str());
      return status;
    }
  }
  uint64_t bytes = 0;
  if (StateOf(files_, bytes) != state_) {
    unlink(unfinished.c_str());  // read while it was written
    return Status::Ok();
  }
  if (rename(unfinished.c_str(), path_.c_str()) != 0) {
    const Status status = Failed("cannot save the trace", path_);
    unlink(unfinished.c_str());
    return status;
  }
  RemoveOldest();
  return Status::Ok();
}

void SavedTrace::RemoveOldest() const {
  struct Saved {
    fs::file_time_type used;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<Saved> all;
  uint64_t sum = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(options_.directory, error)) {
    const auto used = entry.last_write_time(error);
    if (error) continue;  // another process was faster
    if (entry.path().extension() != kEnding) {
      // Left by a process that ended while it wrote.
      if (entry.path().stem().extension() == kEnding &&
          fs::file_time_type::clock::now() - used > kAbandonedAfter)
        fs::remove(entry.path(), error);
      continue;
    }
    const uint64_t bytes = entry.file_size(error);
    if (error) continue;
    all.push_back({used, bytes, entry.path()});
    sum += bytes;
  }
  std::sort(all.begin(), all.end(), [](const Saved& a, const Saved& b) { return a.used < b.used; });
  for (const Saved& saved : all) {
    if (sum <= options_.most_bytes) break;
    if (fs::remove(saved.path, error)) sum -= saved.bytes;
  }
}

}  // namespace tasklens
