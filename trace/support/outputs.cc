// SPDX-License-Identifier: Apache-2.0
// Output files with temporary names, and their twin in memory.
#include "trace/support/outputs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace tasklens {
namespace {

constexpr size_t kBufferBytes = 256 * 1024;

class DiskFile : public OutputFile {
 public:
  DiskFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {
    buffer_.reserve(kBufferBytes);
  }
  ~DiskFile() override {
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

  Status Close() override {
    Flush();
    if (close(fd_) != 0 && error_ == 0) error_ = errno;
    fd_ = -1;
    if (error_ != 0) return {ErrorCode::kIo, path_ + ": " + std::strerror(error_)};
    return Status::Ok();
  }

 private:
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
  std::string path_;  // its final name, for messages
  std::string buffer_;
  int error_ = 0;
};

class DiskOutputs : public Outputs {
 public:
  explicit DiskOutputs(std::string directory) : directory_(std::move(directory)) {
    if (directory_.empty()) directory_ = ".";
  }

  ~DiskOutputs() override {
    for (const Pending& file : pending_) unlink(file.temporary.c_str());
  }

  Result<OutputFile*> Open(const std::string& name) override {
    if (name.empty() || name.find('/') != std::string::npos)
      return Status(ErrorCode::kInvalidArgument, "'" + name + "' is not a plain file name");
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    if (error) return Status(ErrorCode::kIo, directory_ + ": " + error.message());
    const std::string final_path = directory_ + "/" + name;
    std::string temporary;
    int fd = -1;
    for (int attempt = 0; fd < 0; ++attempt) {
      temporary = directory_ + "/." + name + "." + std::to_string(getpid()) + "." +
                  std::to_string(attempt) + ".part";
      fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd < 0 && (errno != EEXIST || attempt == 1000))
        return Status(ErrorCode::kIo, final_path + ": " + std::strerror(errno));
    }
    const std::lock_guard lock(mutex_);
    pending_.push_back({temporary, final_path, std::make_unique<DiskFile>(fd, final_path)});
    return pending_.back().file.get();
  }

  Status Commit() override {
    for (Pending& file : pending_) {
      if (rename(file.temporary.c_str(), file.final_path.c_str()) != 0)
        return {ErrorCode::kIo, file.final_path + ": " + std::strerror(errno)};
    }
    pending_.clear();
    return Status::Ok();
  }

 private:
  struct Pending {
    std::string temporary;
    std::string final_path;
    std::unique_ptr<OutputFile> file;
  };
  std::string directory_;
  std::mutex mutex_;  // guards pending_ during Open()
  std::vector<Pending> pending_;
};

}  // namespace

std::unique_ptr<Outputs> DirectoryOutputs(std::string directory) {
  return std::make_unique<DiskOutputs>(std::move(directory));
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
