// SPDX-License-Identifier: Apache-2.0
// Output files that have no name until they are complete, and the same in memory.
#include "trace/support/outputs.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBufferBytes = 64 * 1024;

constexpr std::string_view kPartEnding = ".part";
constexpr int kMostAttempts = 1000;
// The most files that a set of outputs keeps open; closed files beyond that are put aside.
constexpr int kMostOpen = 128;

// ".NAME.PROCESS.NUMBER.part"
bool IsPartName(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kPartEnding)) return false;
  name.remove_suffix(kPartEnding.size());
  for (int numbers = 0; numbers < 2; ++numbers) {
    const size_t dot = name.rfind('.');
    const std::string_view digits = name.substr(dot + 1);
    if (dot == 0 || digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
      return false;
    name = name.substr(0, dot);
  }
  return true;
}

std::string PartPath(const std::string& path, int attempt) {
  const size_t name = path.rfind('/') + 1;
  return path.substr(0, name) + "." + path.substr(name) + "." + std::to_string(getpid()) + "." +
         std::to_string(attempt) + std::string(kPartEnding);
}

// Returns the target of a link: the file is replaced, not the link.
std::string Followed(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

// A device or a pipe: bytes are written to it directly, and no file may replace it.
bool IsSpecial(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::is_character_file(status) || fs::is_block_file(status) || fs::is_fifo(status) ||
         fs::is_socket(status);
}

// Removes temporary files and folders that no process has locked: their process is gone, on
// whatever machine it ran.
void RemoveLeftParts(const std::string& directory) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (!IsPartName(entry.path().filename().string())) continue;
    const int fd = open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) continue;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), error);
    close(fd);
  }
}

Status IoError(const std::string& path, const std::error_code& error) {
  return {ErrorCode::kIo, path + ": " + error.message()};
}

// Calls `use` with each file below `folder` and its path relative to `folder`.
template <class Use>
Status ForEachFile(const std::string& folder, Use use) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->is_directory(error)) continue;
    if (Status s = use(entry->path(), entry->path().lexically_relative(folder)); !s.ok()) return s;
  }
  return error ? IoError(folder, error) : Status::Ok();
}

// A folder that another library fills, under a temporary name until Commit().
class DiskFolder {
 public:
  DiskFolder(int fd, std::string path, std::string part_path)
      : fd_(fd), path_(std::move(path)), part_path_(std::move(part_path)) {}
  ~DiskFolder() {
    std::error_code error;
    if (!part_path_.empty()) fs::remove_all(part_path_, error);
    close(fd_);
  }
  DiskFolder(const DiskFolder&) = delete;
  DiskFolder& operator=(const DiskFolder&) = delete;

  const std::string& part_path() const { return part_path_; }

  Status GiveName() {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(path_, error))) {
      fs::rename(part_path_, path_, error);
      if (error) return IoError(path_, error);
      part_path_.clear();
      return Status::Ok();
    }
    // The name is taken: move the files into the existing folder; the rest of the temporary folder
    // is removed with this object.
    return ForEachFile(part_path_, [&](const fs::path& file, const fs::path& name) {
      const fs::path target = path_ / name;
      std::error_code failed;
      fs::create_directories(target.parent_path(), failed);
      if (!failed) fs::rename(file, target, failed);
      return failed ? IoError(target.string(), failed) : Status::Ok();
    });
  }

 private:
  const int fd_;  // locked, see RemoveLeftParts()
  const std::string path_;
  std::string part_path_;
};

std::string PathOfDescriptor(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// Returns false and sets errno; too few bytes are EIO.
bool CopyBytes(int from, off_t from_offset, int to, off_t to_offset, off_t bytes) {
  std::vector<char> buffer(std::min<size_t>(kBufferBytes, static_cast<size_t>(bytes)));
  while (bytes > 0) {
    const auto most = std::min<size_t>(buffer.size(), static_cast<size_t>(bytes));
    const ssize_t got = pread(from, buffer.data(), most, from_offset);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) return false;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          pwrite(to, buffer.data() + done, static_cast<size_t>(got - done), to_offset + done);
      if (put < 0 && errno != EINTR) return false;
      done += std::max<ssize_t>(put, 0);
    }
    from_offset += got, to_offset += got, bytes -= got;
  }
  return true;
}

class DiskFile : public OutputFile {
 public:
  // `part_path`: its name until Commit(), "" for none. With `is_special`, `path` is open already
  // and is not replaced.
  DiskFile(int fd, std::string path, std::string part_path, bool is_special = false)
      : fd_(fd), path_(std::move(path)), part_path_(std::move(part_path)), is_special_(is_special) {
    buffer_.reserve(kBufferBytes);
  }
  ~DiskFile() override {
    if (!part_path_.empty()) unlink(part_path_.c_str());
    if (fd_ >= 0) close(fd_);
  }

  void Append(std::string_view text) override {
    if (buffer_.size() + text.size() > kBufferBytes) Flush();
    if (text.size() >= kBufferBytes) {
      WriteAll(text);
    } else {
      buffer_.append(text);
    }
  }

  // Keeps the descriptor open: a file without a name exists only as long as its descriptor, or
  // until it is put aside.
  Status Close() override {
    Flush();
    std::string().swap(buffer_);
    is_closed_.store(true, std::memory_order_release);
    return error_ == 0 ? Status::Ok() : Failure(error_);
  }

  bool has_descriptor() const { return fd_ >= 0; }
  const std::string& path() const { return path_; }
  // Whether the file is complete and still holds a descriptor.
  bool MayBePutAside() const {
    return fd_ >= 0 && !is_special_ && error_ == 0 && is_closed_.load(std::memory_order_acquire);
  }
  // Appends its bytes to `store`, and frees its descriptor.
  Status PutAside(int store, off_t& end) {
    aside_begin_ = end;
    const off_t bytes = lseek(fd_, 0, SEEK_END);
    if (bytes < 0 || !CopyBytes(fd_, 0, store, end, bytes)) return Failure(errno);
    end += bytes;
    aside_bytes_ = bytes;
    if (!part_path_.empty()) unlink(part_path_.c_str());
    part_path_.clear();
    return CloseDescriptor();
  }
  // Copies the bytes back from `store` into a file that was opened for them.
  Status ComeBack(int store, int fd, std::string part_path) {
    fd_ = fd;
    part_path_ = std::move(part_path);
    if (!CopyBytes(store, aside_begin_, fd_, 0, aside_bytes_)) return Failure(errno);
    return Status::Ok();
  }

  Status GiveName() {
    if (is_special_) return CloseDescriptor();
    const std::string self = PathOfDescriptor(fd_);
    const auto link_to = [&](const std::string& path) {
      return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (part_path_.empty()) {
      if (link_to(path_)) return CloseDescriptor();
      // Only a file with a name can replace an older file.
      for (int attempt = 0; part_path_.empty(); ++attempt) {
        const std::string part = PartPath(path_, attempt);
        if (link_to(part)) {
          part_path_ = part;
        } else if (errno != EEXIST || attempt == kMostAttempts) {
          return Failure(errno);
        }
      }
    }
    if (rename(part_path_.c_str(), path_.c_str()) != 0) return Failure(errno);
    part_path_.clear();
    return CloseDescriptor();
  }

 private:
  Status Failure(int error) const { return {ErrorCode::kIo, path_ + ": " + std::strerror(error)}; }

  // Network file systems may report a full disk only at close().
  Status CloseDescriptor() {
    const int failed = close(fd_);
    fd_ = -1;
    return failed != 0 ? Failure(errno) : Status::Ok();
  }

  void Flush() {
    WriteAll(buffer_);
    buffer_.clear();
  }

  void WriteAll(std::string_view text) {
    while (!text.empty() && error_ == 0) {
      const ssize_t wrote = write(fd_, text.data(), text.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) {
        error_ = errno;
        return;
      }
      text.remove_prefix(static_cast<size_t>(wrote));
    }
  }

  int fd_;            // -1: it was put aside, or has its final name
  std::string path_;  // its final name
  std::string part_path_;
  const bool is_special_;
  std::string buffer_;
  int error_ = 0;
  std::atomic<bool> is_closed_{false};
  off_t aside_begin_ = 0, aside_bytes_ = 0;
};

class DiskOutputs : public Outputs {
 public:
  DiskOutputs(std::string directory, bool nameless)
      : directory_(std::move(directory)), nameless_(nameless) {
    if (directory_.empty()) directory_ = ".";
  }
  ~DiskOutputs() override {
    if (!store_.path.empty()) unlink(store_.path.c_str());
    if (store_.fd >= 0) close(store_.fd);
  }

  Result<OutputFile*> Open(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (Status s = Prepare(name); !s.ok()) return s;
    if (Status s = PutSomeAside(); !s.ok()) return s;
    const std::string path = Followed(directory_ + "/" + name);
    const bool is_special = IsSpecial(path);
    auto part = is_special ? OpenSpecial(path) : OpenPart(path);
    if (!part.ok()) return part.status();
    files_.push_back(std::make_unique<DiskFile>(part->fd, path, part->path, is_special));
    ++open_;
    return files_.back().get();
  }

  Result<std::string> OpenFolder(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (Status s = Prepare(name); !s.ok()) return s;
    const std::string path = directory_ + "/" + name;
    for (int attempt = 0;; ++attempt) {
      const std::string part_path = PartPath(path, attempt);
      const bool made = mkdir(part_path.c_str(), 0777) == 0;
      if (!made && errno == EEXIST && attempt < kMostAttempts) continue;
      const int fd = made ? open(part_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
      if (fd < 0) return Status(ErrorCode::kIo, path + ": " + std::strerror(errno));
      if (Lock(fd)) {
        folders_.push_back(std::make_unique<DiskFolder>(fd, path, part_path));
        return part_path;
      }
      close(fd);
    }
  }

  Status Commit() override {
    for (const auto& file : files_) {
      if (!file->has_descriptor()) {
        auto part = OpenPart(file->path());
        if (!part.ok()) return part.status();
        if (Status s = file->ComeBack(store_.fd, part->fd, part->path); !s.ok()) return s;
      }
      if (Status s = file->GiveName(); !s.ok()) return s;
    }
    files_.clear();
    open_ = 0;
    for (const auto& folder : folders_)
      if (Status s = folder->GiveName(); !s.ok()) return s;
    folders_.clear();
    return Status::Ok();
  }

 private:
  // Called before anything is opened: checks that `name` is a file name, and creates the folder.
  Status Prepare(const std::string& name) const {
    if (name.empty() || name.find('/') != std::string::npos)
      return {ErrorCode::kInvalidArgument, "'" + name + "' is not a plain file name"};
    if (!files_.empty() || !folders_.empty()) return Status::Ok();
    std::error_code error;
    fs::create_directories(directory_, error);
    if (error) return IoError(directory_, error);
    RemoveLeftParts(directory_);
    return Status::Ok();
  }

  struct Part {
    int fd = -1;
    std::string path;  // "": it has no name
  };
  // Opens a new file that is to get this path.
  Result<Part> OpenPart(const std::string& path) const {
    Part part{nameless_ ? OpenNameless(path.substr(0, path.rfind('/') + 1)) : -1, ""};
    for (int attempt = 0; part.fd < 0; ++attempt) {
      part.path = PartPath(path, attempt);
      part.fd = open(part.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (part.fd < 0 && (errno != EEXIST || attempt == kMostAttempts))
        return Status(ErrorCode::kIo, path + ": " + std::strerror(errno));
      if (part.fd >= 0 && !Lock(part.fd)) {
        close(part.fd);
        part.fd = -1;
      }
    }
    return part;
  }

  static Result<Part> OpenSpecial(const std::string& path) {
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return Status(ErrorCode::kIo, path + ": " + std::strerror(errno));
    return Part{fd, ""};
  }

  // A process may have only some thousand open files, and there may be more outputs: closed ones
  // are kept in a common file.
  Status PutSomeAside() {
    if (open_ < kMostOpen) return Status::Ok();
    if (store_.fd < 0) {
      auto part = OpenPart(directory_ + "/outputs");
      if (!part.ok()) return part.status();
      store_ = *part;
    }
    for (const auto& file : files_) {
      if (!file->MayBePutAside()) continue;
      if (Status s = file->PutAside(store_.fd, store_end_); !s.ok()) return s;
      --open_;
    }
    return Status::Ok();
  }

  // Returns -1 if the file system has no files without names, or could not name them later.
  static int OpenNameless(const std::string& folder) {
    const int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0 || (access(PathOfDescriptor(fd).c_str(), F_OK) == 0 && Lock(fd))) return fd;
    close(fd);
    return -1;
  }

  // Returns false if another process took the file for an abandoned one.
  static bool Lock(int fd) {
    struct stat info {};
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
    return fstat(fd, &info) == 0 && (info.st_nlink > 0 || IsNameless(fd));
  }
  static bool IsNameless(int fd) { return (fcntl(fd, F_GETFL) & O_TMPFILE) == O_TMPFILE; }

  std::string directory_;
  const bool nameless_;
  std::mutex mutex_;  // guards the following members during Open() and OpenFolder()
  std::vector<std::unique_ptr<DiskFile>> files_;
  std::vector<std::unique_ptr<DiskFolder>> folders_;
  int open_ = 0;  // number of open files
  Part store_;    // the files that were put aside
  off_t store_end_ = 0;
};

}  // namespace

std::unique_ptr<Outputs> DirectoryOutputs(std::string directory, bool nameless) {
  return std::make_unique<DiskOutputs>(std::move(directory), nameless);
}

class MemoryOutputs::File : public OutputFile {
 public:
  explicit File(std::string& text) : text_(text) {}
  void Append(std::string_view text) override { text_.append(text); }
  Status Close() override { return Status::Ok(); }

 private:
  std::string& text_;
};

MemoryOutputs::~MemoryOutputs() {
  std::error_code error;
  for (const auto& [name, path] : folders_) fs::remove_all(path, error);
}

Result<std::string> MemoryOutputs::OpenFolder(const std::string& name) {
  std::error_code error;
  std::string path = (fs::temp_directory_path(error) / "tasklens-XXXXXX").string();
  if (error || mkdtemp(path.data()) == nullptr)
    return Status(ErrorCode::kIo, path + ": " + (error ? error.message() : std::strerror(errno)));
  const std::lock_guard lock(mutex_);
  folders_[name] = path;
  return path;
}

Status MemoryOutputs::Commit() {
  for (const auto& folder : folders_) {
    const auto read = ForEachFile(folder.second, [&](const fs::path& file, const fs::path& name) {
      std::ifstream stream(file, std::ios::binary);
      texts_[folder.first + "/" + name.string()] = {std::istreambuf_iterator<char>(stream), {}};
      return stream ? Status::Ok() : Status(ErrorCode::kIo, file.string() + ": cannot be read");
    });
    if (!read.ok()) return read;
  }
  return Status::Ok();
}

Result<OutputFile*> MemoryOutputs::Open(const std::string& name) {
  const std::lock_guard lock(mutex_);
  files_.push_back(std::make_unique<File>(texts_[name]));
  return files_.back().get();
}

const std::string& MemoryOutputs::Text(const std::string& name) const {
  static const std::string kNone;
  auto it = texts_.find(name);
  return it == texts_.end() ? kNone : it->second;
}

std::vector<std::string> MemoryOutputs::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, text] : texts_) names.push_back(name);
  return names;
}

}  // namespace tasklens
