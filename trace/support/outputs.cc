// SPDX-License-Identifier: Apache-2.0
// Output files without names, and their twin in memory.
#include "trace/support/outputs.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace tasklens {
namespace {

constexpr size_t kBufferBytes = 64 * 1024;

constexpr std::string_view kPartEnding = ".part";
constexpr int kMostAttempts = 1000;

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

// A file that nobody has locked belongs to no living process, on whatever machine.
void RemoveLeftParts(const std::string& directory) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (!IsPartName(entry.path().filename().string())) continue;
    const int fd = open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) continue;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) unlink(entry.path().c_str());
    close(fd);
  }
}

std::string PathOfDescriptor(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

class DiskFile : public OutputFile {
 public:
  // `part_path`: its name until Commit(), "" for none.
  DiskFile(int fd, std::string path, std::string part_path)
      : fd_(fd), path_(std::move(path)), part_path_(std::move(part_path)) {
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

  // The descriptor stays: a file without a name exists as long as it does.
  Status Close() override {
    Flush();
    std::string().swap(buffer_);
    return error_ == 0 ? Status::Ok() : Failure(error_);
  }

  Status GiveName() {
    const std::string self = PathOfDescriptor(fd_);
    const auto link_to = [&](const std::string& path) {
      return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (part_path_.empty()) {
      if (link_to(path_)) return CloseDescriptor();
      // An older file can be replaced by a name alone.
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

  static std::string PartPath(const std::string& path, int attempt) {
    const size_t name = path.rfind('/') + 1;
    return path.substr(0, name) + "." + path.substr(name) + "." + std::to_string(getpid()) + "." +
           std::to_string(attempt) + std::string(kPartEnding);
  }

 private:
  Status Failure(int error) const { return {ErrorCode::kIo, path_ + ": " + std::strerror(error)}; }

  // Network file systems tell late that the disk is full.
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

  int fd_;
  std::string path_;  // its final name
  std::string part_path_;
  std::string buffer_;
  int error_ = 0;
};

class DiskOutputs : public Outputs {
 public:
  DiskOutputs(std::string directory, bool nameless)
      : directory_(std::move(directory)), nameless_(nameless) {
    if (directory_.empty()) directory_ = ".";
  }

  Result<OutputFile*> Open(const std::string& name) override {
    if (name.empty() || name.find('/') != std::string::npos)
      return Status(ErrorCode::kInvalidArgument, "'" + name + "' is not a plain file name");
    const std::lock_guard lock(mutex_);
    if (files_.empty()) {
      std::error_code error;
      std::filesystem::create_directories(directory_, error);
      if (error) return Status(ErrorCode::kIo, directory_ + ": " + error.message());
      RemoveLeftParts(directory_);
    }
    const std::string path = directory_ + "/" + name;
    std::string part_path;
    int fd = nameless_ ? OpenNameless() : -1;
    for (int attempt = 0; fd < 0; ++attempt) {
      part_path = DiskFile::PartPath(path, attempt);
      fd = open(part_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd < 0 && (errno != EEXIST || attempt == kMostAttempts))
        return Status(ErrorCode::kIo, path + ": " + std::strerror(errno));
      if (fd >= 0 && !Lock(fd)) {
        close(fd);
        fd = -1;
      }
    }
    files_.push_back(std::make_unique<DiskFile>(fd, path, part_path));
    return files_.back().get();
  }

  Status Commit() override {
    for (const auto& file : files_)
      if (Status s = file->GiveName(); !s.ok()) return s;
    files_.clear();
    return Status::Ok();
  }

 private:
  // -1 where files without a name cannot be, or could not get one later.
  int OpenNameless() const {
    const int fd = open(directory_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0 || (access(PathOfDescriptor(fd).c_str(), F_OK) == 0 && Lock(fd))) return fd;
    close(fd);
    return -1;
  }

  // False when somebody else took the file for one that was left.
  static bool Lock(int fd) {
    struct stat info {};
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
    return fstat(fd, &info) == 0 && (info.st_nlink > 0 || IsNameless(fd));
  }
  static bool IsNameless(int fd) { return (fcntl(fd, F_GETFL) & O_TMPFILE) == O_TMPFILE; }

  std::string directory_;
  const bool nameless_;
  std::mutex mutex_;  // guards files_ during Open()
  std::vector<std::unique_ptr<DiskFile>> files_;
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
