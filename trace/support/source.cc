// SPDX-License-Identifier: Apache-2.0
// Opening inputs.
#include "trace/support/source.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tasklens {
namespace {

constexpr off_t kMapFromBytes = 1 << 20;

Status SystemError(const std::string& path, int error) {
  const ErrorCode code =
      error == ENOENT || error == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
  return {code, path + ": " + std::strerror(error)};
}

class InMemory : public Source {
 public:
  InMemory(std::string path, std::string text) : text_(std::move(text)) {
    path_ = std::move(path);
    bytes_ = std::as_bytes(std::span(text_));
  }

 private:
  std::string text_;
};

class Mapped : public Source {
 public:
  // Takes ownership of `fd`.
  Mapped(std::string path, int fd, void* address, size_t size)
      : fd_(fd), address_(address), size_(size) {
    path_ = std::move(path);
    bytes_ = {static_cast<const std::byte*>(address), size};
  }
  ~Mapped() override {
    munmap(address_, size_);
    close(fd_);
  }

  Result<std::span<const std::byte>> Read(size_t begin, std::span<std::byte> room) const override {
    const size_t wanted = std::min(room.size(), size_ - begin);
    size_t done = 0;
    while (done < wanted) {
      const ssize_t got =
          pread(fd_, room.data() + done, wanted - done, static_cast<off_t>(begin + done));
      if (got == 0) break;
      if (got < 0 && errno != EINTR) return SystemError(path_, errno);
      if (got > 0) done += static_cast<size_t>(got);
    }
    return std::span<const std::byte>(room.first(done));
  }

  // Whole pages only; a page that is read again is read from the file.
  void Forget(size_t begin, size_t end) const override {
    static const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    begin = (begin + page - 1) / page * page;
    end = std::min(end, size_) / page * page;
    if (begin < end) madvise(static_cast<char*>(address_) + begin, end - begin, MADV_DONTNEED);
  }

 private:
  const int fd_;
  void* const address_;
  const size_t size_;
};

// Reads the rest of `fd`; returns 0 or an errno. `expected_bytes`: the likely size.
int ReadAll(int fd, size_t expected_bytes, std::string& text) {
  constexpr size_t kMoreBytes = 1 << 18;
  size_t size = 0;
  for (;;) {
    // One more byte than expected, to see the end.
    if (size == text.size()) text.resize(std::max(expected_bytes + 1, size + kMoreBytes));
    const ssize_t got = read(fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      text.resize(size);
      return got == 0 ? 0 : errno;
    }
    size += static_cast<size_t>(got);
  }
}

// The test takes the lock and releases it at once.
bool IsLocked(int fd) {
  if (flock(fd, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  flock(fd, LOCK_UN);
  return false;
}

Result<std::unique_ptr<Source>> OpenDescriptor(int fd, const std::string& path) {
  struct stat info;
  if (fstat(fd, &info) != 0) return SystemError(path, errno);
  if (S_ISDIR(info.st_mode)) return SystemError(path, EISDIR);
  // Some devices never end. Pipes and sockets are allowed: a shell's <(zcat trace.gz).
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))
    return Status(ErrorCode::kUnsupported, path + ": a device, not a file with a trace");
  if (S_ISREG(info.st_mode) && info.st_size >= kMapFromBytes && !IsLocked(fd)) {
    const size_t size = static_cast<size_t>(info.st_size);
    void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED) return SystemError(path, errno);
    const int own_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own_fd < 0) {
      const int error = errno;
      munmap(address, size);
      return SystemError(path, error);
    }
    return std::unique_ptr<Source>(new Mapped(path, own_fd, address, size));
  }
  std::string text;
  const size_t expected = S_ISREG(info.st_mode) ? static_cast<size_t>(info.st_size) : 0;
  if (int error = ReadAll(fd, expected, text)) return SystemError(path, error);
  return std::unique_ptr<Source>(new InMemory(path, std::move(text)));
}

}  // namespace

Result<std::span<const std::byte>> Source::Read(size_t begin, std::span<std::byte> room) const {
  return bytes_.subspan(begin, std::min(room.size(), bytes_.size() - begin));
}

Result<std::unique_ptr<Source>> OpenSource(const std::string& path) {
  if (path == "-") return OpenDescriptor(STDIN_FILENO, "standard input");
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return SystemError(path, errno);
  auto source = OpenDescriptor(fd, path);
  close(fd);
  return source;
}

std::unique_ptr<Source> MemorySource(std::string path, std::string bytes) {
  return std::make_unique<InMemory>(std::move(path), std::move(bytes));
}

}  // namespace tasklens
