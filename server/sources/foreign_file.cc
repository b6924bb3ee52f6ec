// SPDX-License-Identifier: Apache-2.0
#include "server/sources/foreign_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace tasklens {
namespace {

constexpr size_t kPieceBytes = size_t{4} << 20;  // between two checks of `stop`

Status Failed(const std::string& path, int error) {
  const bool is_missing = error == ENOENT || error == ENOTDIR;
  return {is_missing ? ErrorCode::kNotFound : ErrorCode::kIo, path + ": " + std::strerror(error)};
}

}  // namespace

Result<ForeignFile> ForeignFile::Open(const std::string& path) {
  // O_NONBLOCK: opening a pipe without a writer must not block; it is then refused like any
  // non-file.
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return Failed(path, errno);
  ForeignFile file(path, fd, 0);
  struct stat about {};
  if (fstat(fd, &about) != 0) return Failed(path, errno);
  if (!S_ISREG(about.st_mode))
    return Status(ErrorCode::kUnsupported, path + ": is not a regular file");
  file.bytes_ = static_cast<uint64_t>(about.st_size);
  return file;
}

ForeignFile::ForeignFile(ForeignFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), bytes_(other.bytes_) {}

ForeignFile::~ForeignFile() {
  if (fd_ >= 0) close(fd_);
}

Result<size_t> ForeignFile::Read(uint64_t at, std::span<char> room) const {
  size_t got = 0;
  while (got < room.size()) {
    if (at > static_cast<uint64_t>(LLONG_MAX) - got) break;
    const ssize_t more =
        pread(fd_, room.data() + got, room.size() - got, static_cast<off_t>(at + got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return Failed(path_, errno);
    if (more == 0) break;
    got += static_cast<size_t>(more);
  }
  return got;
}

std::string ForeignFile::ReadBytes(uint64_t at, uint64_t count) const {
  if (at > bytes_ || count > bytes_ - at) return "";
  std::string bytes(count, '\0');
  const Result<size_t> got = Read(at, bytes);
  return got.ok() && *got == count ? bytes : "";
}

Result<std::string> ReadForeignFile(const std::string& path, uint64_t most_bytes, Stop stop) {
  const Result<ForeignFile> file = ForeignFile::Open(path);
  if (!file.ok()) return file.status();
  if (file->bytes() > most_bytes)
    return Status(ErrorCode::kUnsupported,
                  path + ": is larger than " + std::to_string(most_bytes >> 10) + " KiB");
  std::string text(file->bytes(), '\0');
  for (size_t at = 0; at < text.size(); at += kPieceBytes) {
    if (Stopped(stop)) return Status(ErrorCode::kCancelled, "cancelled");
    const size_t length = std::min(kPieceBytes, text.size() - at);
    const Result<size_t> got = file->Read(at, std::span(text).subspan(at, length));
    if (!got.ok()) return got.status();
    if (*got < length) {  // the file was truncated meanwhile
      text.resize(at + *got);
      break;
    }
  }
  return text;
}

}  // namespace tasklens
