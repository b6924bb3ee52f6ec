// SPDX-License-Identifier: Apache-2.0
// A folder as a disk: unistd, unistd_o_direct and stdio.
//
// Objects of the runtime's own lie in one unlinked file, so that nothing is left behind however the
// program ends, and all of them share one descriptor. Objects that the program opens are files in
// the folder.
#include <aio.h>
#include <fcntl.h>
#include <starpu.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "runtime/data/disk/disks.h"
#include "runtime/support/clock.h"
#include "runtime/support/message.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

// An open file. Threads: any.
class File {
 public:
  virtual ~File() = default;
  // Return false, and set errno, if not all bytes were read or written.
  virtual bool ReadAt(size_t offset, char* data, size_t bytes) = 0;
  virtual bool WriteAt(size_t offset, const char* data, size_t bytes) = 0;
  virtual size_t Bytes() = 0;
  // Returns the descriptor for asynchronous reads or writes of these bytes; -1: not possible.
  virtual int DescriptorFor(size_t offset, const char* data, size_t bytes) = 0;
  // Flushes writes to the disk and drops the cache, so that reads come from the disk.
  virtual void LeaveCache() = 0;
};

void LeaveCacheOf(int fd) {
  fdatasync(fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

size_t BytesOf(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
}

// Calls pread() or pwrite() until all bytes are read or written.
template <class Step, class Byte>
bool PassAll(Step step, int fd, size_t offset, Byte* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t passed = step(fd, data, bytes, static_cast<off_t>(offset));
    if (passed < 0 && errno == EINTR) continue;
    if (passed <= 0) return false;
    const auto count = static_cast<size_t>(passed);
    data += count, offset += count, bytes -= count;
  }
  return true;
}

class UnistdFile : public File {
 public:
  explicit UnistdFile(int fd) : fd_(fd) {}
  ~UnistdFile() override { close(fd_); }
  bool ReadAt(size_t offset, char* data, size_t bytes) override {
    return PassAll(pread, fd_, offset, data, bytes);
  }
  bool WriteAt(size_t offset, const char* data, size_t bytes) override {
    return PassAll(pwrite, fd_, offset, data, bytes);
  }
  size_t Bytes() override { return BytesOf(fd_); }
  int DescriptorFor(size_t, const char*, size_t) override { return fd_; }
  void LeaveCache() override { LeaveCacheOf(fd_); }

 private:
  const int fd_;
};

// Direct access that bypasses the system's cache and needs aligned bytes. Unaligned bytes use a
// second descriptor, as do all bytes if the file system does not support direct access.
class DirectFile : public File {
 public:
  explicit DirectFile(int fd) : fd_(fd) {
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    direct_ = open(path.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC);
  }
  ~DirectFile() override {
    if (direct_ >= 0) close(direct_);
    close(fd_);
  }
  bool ReadAt(size_t offset, char* data, size_t bytes) override {
    return (Fits(offset, data, bytes) && PassAll(pread, direct_, offset, data, bytes)) ||
           PassAll(pread, fd_, offset, data, bytes);
  }
  bool WriteAt(size_t offset, const char* data, size_t bytes) override {
    return (Fits(offset, data, bytes) && PassAll(pwrite, direct_, offset, data, bytes)) ||
           PassAll(pwrite, fd_, offset, data, bytes);
  }
  size_t Bytes() override { return BytesOf(fd_); }
  int DescriptorFor(size_t offset, const char* data, size_t bytes) override {
    return Fits(offset, data, bytes) ? direct_ : fd_;
  }
  void LeaveCache() override { LeaveCacheOf(fd_); }

 private:
  bool Fits(size_t offset, const char* data, size_t bytes) const {
    constexpr size_t kUnit = 4096;
    return direct_ >= 0 && (offset | reinterpret_cast<uintptr_t>(data) | bytes) % kUnit == 0;
  }
  const int fd_;
  int direct_;  // -1: not supported
};

class StdioFile : public File {
 public:
  explicit StdioFile(int fd) : file_(fdopen(fd, "r+b")) {
    if (!file_) Fatal("no memory for a stream");
  }
  ~StdioFile() override { fclose(file_); }
  bool ReadAt(size_t offset, char* data, size_t bytes) override {
    MutexLock guard(lock_);
    return fseeko(file_, static_cast<off_t>(offset), SEEK_SET) == 0 &&
           fread(data, 1, bytes, file_) == bytes;
  }
  bool WriteAt(size_t offset, const char* data, size_t bytes) override {
    MutexLock guard(lock_);
    return fseeko(file_, static_cast<off_t>(offset), SEEK_SET) == 0 &&
           fwrite(data, 1, bytes, file_) == bytes && fflush(file_) == 0;
  }
  size_t Bytes() override {
    MutexLock guard(lock_);
    return BytesOf(fileno(file_));
  }
  int DescriptorFor(size_t, const char*, size_t) override { return -1; }
  void LeaveCache() override {
    MutexLock guard(lock_);
    LeaveCacheOf(fileno(file_));
  }

 private:
  Mutex lock_;
  FILE* const file_;
};

// Allocates ranges of the unlinked file.
class Ranges {
 public:
  size_t Take(size_t bytes) {
    MutexLock guard(lock_);
    for (auto at = free_.begin(); at != free_.end(); ++at) {
      const auto [offset, room] = *at;
      if (room < bytes) continue;
      free_.erase(at);
      if (room > bytes) free_[offset + bytes] = room - bytes;
      return offset;
    }
    const size_t offset = end_;
    end_ += bytes;
    return offset;
  }
  void GiveBack(size_t offset, size_t bytes) {
    if (bytes == 0) return;
    MutexLock guard(lock_);
    auto after = free_.lower_bound(offset);
    if (after != free_.end() && offset + bytes == after->first) {
      bytes += after->second;
      after = free_.erase(after);
    }
    if (after != free_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == offset) {
        offset = before->first;
        bytes += before->second;
        free_.erase(before);
      }
    }
    free_[offset] = bytes;
  }

 private:
  Mutex lock_;
  std::map<size_t, size_t> free_ GUARDED_BY(lock_);  // bytes by offset; no two touch
  size_t end_ GUARDED_BY(lock_) = 0;
};

struct Folder {
  std::string path;
  bool created = false;
  std::unique_ptr<File> nameless;
  Ranges ranges;
};

struct Object {
  std::unique_ptr<File> own;  // nullptr: a range of the unlinked file
  size_t offset = 0, room = 0;
  size_t packed = 0;  // bytes that full_write put into the range
};
// Ranges are aligned for direct access.
size_t RoundUp(size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

Folder* FolderOf(void* base) { return static_cast<Folder*>(base); }
Object* ObjectOf(void* object) { return static_cast<Object*>(object); }
File& FileOf(Folder* folder, Object* object) {
  return object->own ? *object->own : *folder->nameless;
}

void Unplug(void* base) {
  Folder* folder = FolderOf(base);
  if (folder->created) rmdir(folder->path.c_str());
  delete folder;
}

void* Alloc(void* base, size_t bytes) {
  auto* object = new Object;
  object->room = RoundUp(bytes);
  object->offset = FolderOf(base)->ranges.Take(object->room);
  return object;
}
void Free(void* base, void* object, size_t) {
  FolderOf(base)->ranges.GiveBack(ObjectOf(object)->offset, ObjectOf(object)->room);
  delete ObjectOf(object);
}
void Close(void*, void* object, size_t) { delete ObjectOf(object); }

int Read(void* base, void* object, void* buffer, off_t offset, size_t bytes) {
  Object* from = ObjectOf(object);
  const size_t at = from->offset + static_cast<size_t>(offset);
  return FileOf(FolderOf(base), from).ReadAt(at, static_cast<char*>(buffer), bytes)
             ? static_cast<int>(bytes)
             : -1;
}
int Write(void* base, void* object, const void* buffer, off_t offset, size_t bytes) {
  Object* to = ObjectOf(object);
  const size_t at = to->offset + static_cast<size_t>(offset);
  errno = EIO;  // for failures that do not set errno
  return FileOf(FolderOf(base), to).WriteAt(at, static_cast<const char*>(buffer), bytes) ? 0
                                                                                         : -errno;
}
// Allocates memory for the whole object.
void MakePiece(void* object, void** data, size_t* bytes, unsigned node) {
  Object* from = ObjectOf(object);
  *bytes = from->own ? from->own->Bytes() : from->packed;
  *data = reinterpret_cast<void*>(starpu_malloc_on_node(node, *bytes));
}
// Makes the object large enough for `bytes`.
void MakeRoomForPiece(void* base, void* object, size_t bytes) {
  Object* to = ObjectOf(object);
  if (!to->own && bytes > to->room) {
    Ranges& ranges = FolderOf(base)->ranges;
    ranges.GiveBack(to->offset, to->room);
    to->room = RoundUp(bytes);
    to->offset = ranges.Take(to->room);
  }
  to->packed = bytes;
}
int FullRead(void* base, void* object, void** data, size_t* bytes, unsigned node) {
  MakePiece(object, data, bytes, node);
  if (!*data) return -ENOMEM;
  return Read(base, object, *data, 0, *bytes) == static_cast<int>(*bytes) ? 0 : -EIO;
}
int FullWrite(void* base, void* object, void* data, size_t bytes) {
  MakeRoomForPiece(base, object, bytes);
  return Write(base, object, data, 0, bytes);
}

// --- Beside us: by the system's asynchronous input and output ------------------------------------

using Start = int (*)(aiocb*);
// Returns nullptr if the system accepts no more requests.
void* StartRequest(void* base, void* object, void* buffer, off_t offset, size_t bytes,
                   Start start) {
  Object* of = ObjectOf(object);
  const size_t at = of->offset + static_cast<size_t>(offset);
  const int fd = FileOf(FolderOf(base), of).DescriptorFor(at, static_cast<char*>(buffer), bytes);
  if (fd < 0) return nullptr;
  auto request = std::make_unique<aiocb>();
  request->aio_fildes = fd;
  request->aio_offset = static_cast<off_t>(at);
  request->aio_buf = buffer;
  request->aio_nbytes = bytes;
  request->aio_sigevent.sigev_notify = SIGEV_NONE;
  return start(request.get()) == 0 ? request.release() : nullptr;
}
void* AsyncRead(void* base, void* object, void* buffer, off_t offset, size_t bytes) {
  return StartRequest(base, object, buffer, offset, bytes, aio_read);
}
void* AsyncWrite(void* base, void* object, void* buffer, off_t offset, size_t bytes) {
  return StartRequest(base, object, buffer, offset, bytes, aio_write);
}
void* AsyncFullRead(void* base, void* object, void** data, size_t* bytes, unsigned node) {
  MakePiece(object, data, bytes, node);
  return *data ? AsyncRead(base, object, *data, 0, *bytes) : nullptr;
}
void* AsyncFullWrite(void* base, void* object, void* data, size_t bytes) {
  MakeRoomForPiece(base, object, bytes);
  return AsyncWrite(base, object, data, 0, bytes);
}

aiocb* RequestOf(void* request) { return static_cast<aiocb*>(request); }
int TestRequest(void* request) { return aio_error(RequestOf(request)) != EINPROGRESS; }
void WaitRequest(void* request) {
  const aiocb* const list[] = {RequestOf(request)};
  while (!TestRequest(request)) aio_suspend(list, 1, nullptr);
}
void FreeRequest(void* request) { delete RequestOf(request); }

// The operations in which the three kinds differ: how they use a descriptor.
template <class Kind>
struct Ops {
  static void* Plug(void* parameter, starpu_ssize_t) {
    auto folder = std::make_unique<Folder>();
    folder->path = static_cast<const char*>(parameter);
    folder->created = mkdir(folder->path.c_str(), 0777) == 0;
    std::string name = folder->path + "/tasklens-XXXXXX";
    const int fd = mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) {
      Warn("%s cannot be used as a disk: %s", folder->path.c_str(), strerror(errno));
      return nullptr;
    }
    folder->nameless = std::make_unique<Kind>(fd);
    unlink(name.c_str());
    if constexpr (std::is_same_v<Kind, DirectFile>) starpu_malloc_set_align(4096);
    return folder.release();
  }
  static void* Open(void* base, void* name, size_t) {
    const std::string path = FolderOf(base)->path + "/" + static_cast<const char*>(name);
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) {
      Warn("starpu_disk_open(): %s: %s", path.c_str(), strerror(errno));
      return nullptr;
    }
    auto* object = new Object;
    object->own = std::make_unique<Kind>(fd);
    return object;
  }
};

template <class Kind>
constexpr starpu_disk_ops OpsOf() {
  starpu_disk_ops ops = {
      .plug = Ops<Kind>::Plug,
      .unplug = Unplug,
      .bandwidth = nullptr,
      .alloc = Alloc,
      .free = Free,
      .open = Ops<Kind>::Open,
      .close = Close,
      .read = Read,
      .write = Write,
      .full_read = FullRead,
      .full_write = FullWrite,
  };
  // A stream has a single position, so stdio has no asynchronous operations.
  if constexpr (!std::is_same_v<Kind, StdioFile>) {
    ops.async_write = AsyncWrite;
    ops.async_read = AsyncRead;
    ops.async_full_read = AsyncFullRead;
    ops.async_full_write = AsyncFullWrite;
    ops.wait_request = WaitRequest;
    ops.test_request = TestRequest;
    ops.free_request = FreeRequest;
  }
  return ops;
}

// Returns the run time of `block` in microseconds.
template <class Block>
double TimeUs(Block&& block) {
  const uint64_t start_ns = NowNs();
  block();
  return static_cast<double>(NowNs() - start_ns) / 1000;
}

// Returns the speed: the time of a page is the latency, the additional time of a large piece gives
// the bandwidth.
DiskSpeed SpeedFor(double page_us, double large_us, size_t large_bytes) {
  const double transfer_us = large_us > page_us ? large_us - page_us : large_us;
  return {static_cast<double>(large_bytes) / transfer_us, page_us};
}

}  // namespace

bool HasFolderRequestFailed(const starpu_disk_ops* ops, void* request) {
  return ops->wait_request == WaitRequest &&
         (aio_error(RequestOf(request)) != 0 ||
          aio_return(RequestOf(request)) != static_cast<ssize_t>(RequestOf(request)->aio_nbytes));
}

void MeasureFolder(void* base, DiskSpeed& writing, DiskSpeed& reading) {
  constexpr size_t kPage = 4096, kLarge = 1 << 20;
  File& file = *FolderOf(base)->nameless;
  void* memory = nullptr;
  if (posix_memalign(&memory, kPage, kLarge) != 0) return;
  auto* data = static_cast<char*>(memory);
  memset(data, 1, kLarge);
  bool works = true;
  const auto write_us = [&](size_t bytes) {
    return TimeUs([&] {
      works = works && file.WriteAt(0, data, bytes);
      file.LeaveCache();
    });
  };
  const auto read_us = [&](size_t bytes) {
    file.LeaveCache();
    return TimeUs([&] { works = works && file.ReadAt(0, data, bytes); });
  };
  const double large_write_us = write_us(kLarge), page_write_us = write_us(kPage);
  const double large_read_us = read_us(kLarge), page_read_us = read_us(kPage);
  free(memory);
  if (!works) return;  // perhaps the disk is full: later writes will report it
  writing = SpeedFor(page_write_us, large_write_us, kLarge);
  reading = SpeedFor(page_read_us, large_read_us, kLarge);
}

}  // namespace tasklens::runtime

extern "C" {

starpu_disk_ops starpu_disk_unistd_ops = tasklens::runtime::OpsOf<tasklens::runtime::UnistdFile>();
starpu_disk_ops starpu_disk_unistd_o_direct_ops =
    tasklens::runtime::OpsOf<tasklens::runtime::DirectFile>();
starpu_disk_ops starpu_disk_stdio_ops = tasklens::runtime::OpsOf<tasklens::runtime::StdioFile>();

}  // extern "C"
