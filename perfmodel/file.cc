// SPDX-License-Identifier: Apache-2.0
// Reading and writing StarPU's files of perfmodels.
#include "perfmodel/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "perfmodel/scanner.h"
#include "trace/support/plain_numbers.h"

namespace tasklens {
namespace {

constexpr PerfmodelDialect kDialects[] = {
    // 1.4, 1.3, 1.2, and files of before that somebody's script has made new
    {"CPU - 0, CUDA - 1, OPENCL - 2, MPI_MS - 5, TCPIP_MS - 6", "(us or J)", true},
    {"CPU - 0, CUDA - 1, OPENCL - 2, MIC - 3, MPI_MS - 5", "(us)", true},
    {"CPU - 0, CUDA - 1, OPENCL - 2, MIC - 3", "(us)", true},
    {"CPU - 0, CUDA - 1, OPENCL - 2, MIC - 3", "(us)", false},
};

constexpr std::string_view kNumberComment = "# COMB_";
constexpr std::string_view kTermsComment = "# n\tintercept\t";

class Reader {
 public:
  Reader(std::string_view text, std::string_view name) : lines_(text, name) {}

  Result<PerfmodelFile> Read() {
    int version = 0;
    if (Status s = Number("the version", version); !s.ok()) return s;
    is_padded_ = !lines_.comment().starts_with("#\t");
    if (version != kPerfmodelVersion)
      return Status(ErrorCode::kUnsupported, lines_
                                                 .Error("version " + std::to_string(version) +
                                                        " of the format; StarPU 1.2 "
                                                        "and later write " +
                                                        std::to_string(kPerfmodelVersion))
                                                 .message());
    uint32_t combinations = 0;
    if (Status s = Number("the number of combinations", combinations); !s.ok()) return s;
    for (uint32_t i = 0; i < combinations; ++i)
      if (Status s = Combination(file_.model.combinations.emplace_back()); !s.ok()) return s;
    ChooseDialect();
    return std::move(file_);
  }

 private:
  template <class Integer>
  Status Number(std::string_view what, Integer& value) {
    if (!lines_.Next()) return lines_.Ended(what);
    if (lines_.fields().size() != 1 || !LineScanner::Parse(lines_.fields()[0], value))
      return lines_.Error("this is not " + std::string(what));
    return Status::Ok();
  }

  Status Combination(PerfmodelCombination& combination) {
    uint32_t devices = 0, implementations = 0;
    if (Status s = Number("the number of devices of a combination", devices); !s.ok()) return s;
    // It stands in a comment alone; without, they are counted.
    const std::string_view number = lines_.comment(kNumberComment);
    if (number.empty() ||
        !LineScanner::Parse(number.substr(kNumberComment.size()), combination.number))
      combination.number = static_cast<int>(file_.model.combinations.size()) - 1;
    for (uint32_t i = 0; i < devices; ++i) {
      PerfmodelDevice& device = combination.devices.emplace_back();
      if (Status s = Number("the kind of a device", device.kind); !s.ok()) return s;
      kinds_comment_ = lines_.comment();
      if (Status s = Number("the number of a device", device.number); !s.ok()) return s;
      if (Status s = Number("the cores of a device", device.cores); !s.ok()) return s;
    }
    if (Status s = Number("the number of implementations", implementations); !s.ok()) return s;
    for (uint32_t i = 0; i < implementations; ++i)
      if (Status s = Implementation(combination.implementations.emplace_back()); !s.ok()) return s;
    return Status::Ok();
  }

  Status Implementation(PerfmodelImplementation& to) {
    uint32_t entries = 0;
    if (Status s = Number("the number of entries", entries); !s.ok()) return s;
    if (Status s = Law(to.power_law); !s.ok()) return s;
    if (Status s = Shifted(to.shifted); !s.ok()) return s;
    if (Status s = Multiple(to.multiple); !s.ok()) return s;
    for (uint32_t i = 0; i < entries; ++i)
      if (Status s = Entry(to.entries.emplace_back()); !s.ok()) return s;
    return Status::Ok();
  }

  // Goes to the next line. Take() then takes one field after another, and must take them all.
  template <class TakeFields>
  Status Fields(std::string_view what, const TakeFields& take_fields) {
    if (!lines_.Next()) return lines_.Ended(what);
    ok_ = true;
    next_ = 0;
    take_fields();
    if (ok_ && next_ == lines_.fields().size()) return Status::Ok();
    return lines_.Error("these are not " + std::string(what));
  }
  template <class Value>
  void Take(Value& value, int base = 10) {
    ok_ = ok_ && next_ < lines_.fields().size() &&
          LineScanner::Parse(lines_.fields()[next_++], value, base);
  }

  Status Law(PowerLaw& law) {
    return Fields("the nine numbers of a regression", [&] {
      for (double* sum : {&law.sum_ln_x, &law.sum_ln_x2, &law.sum_ln_y, &law.sum_ln_x_ln_y,
                          &law.alpha, &law.beta})
        Take(*sum);
      for (uint64_t* count : {&law.samples, &law.min_x, &law.max_x}) Take(*count);
    });
  }

  Status Shifted(ShiftedPowerLaw& law) {
    return Fields("the numbers a, b, c of a regression", [&] {
      for (double* number : {&law.a, &law.b, &law.c}) Take(*number);
    });
  }

  Status Multiple(MultipleRegression& multiple) {
    return Fields("the coefficients of a multiple regression", [&] {
      uint32_t count = 0;
      Take(count);
      if (ok_ && count != lines_.fields().size() - 1) ok_ = false;
      for (uint32_t i = 0; ok_ && i < count; ++i) Take(multiple.coefficients.emplace_back());
      if (lines_.comment().starts_with(kTermsComment))
        SplitTerms(lines_.comment().substr(kTermsComment.size()), multiple.terms);
    });
  }

  static void SplitTerms(std::string_view names, std::vector<std::string>& terms) {
    for (size_t end; (end = names.find("\t\t")) != std::string_view::npos;) {
      terms.emplace_back(names.substr(0, end));
      names.remove_prefix(end + 2);
    }
  }

  Status Entry(PerfmodelEntry& entry) {
    return Fields("the eight numbers of an entry", [&] {
      Take(entry.footprint, 16);
      Take(entry.size_bytes);
      if (!lines_.comment().empty()) unit_comment_ = lines_.comment();
      // Before 1.2, StarPU did not know the flops, and had no heading for them.
      const bool has_flops = unit_comment_.find("flops") != std::string_view::npos;
      if (has_flops || lines_.fields().size() != 7) Take(entry.flops);
      for (double* number : {&entry.mean, &entry.deviation, &entry.sum, &entry.sum2}) Take(*number);
      Take(entry.samples);
    });
  }

  void ChooseDialect() {
    for (const PerfmodelDialect& dialect : kDialects) {
      if (dialect.is_padded != is_padded_) continue;
      const bool kinds = kinds_comment_.empty() ||
                         kinds_comment_.ends_with("(" + std::string(dialect.device_kinds) + ")");
      const bool unit =
          unit_comment_.empty() || unit_comment_.find(dialect.unit) != std::string_view::npos;
      if (!kinds || !unit) continue;
      file_.dialect = &dialect;
      return;
    }
  }

  LineScanner lines_;
  PerfmodelFile file_;
  std::string_view kinds_comment_, unit_comment_;
  bool is_padded_ = true;
  bool ok_ = true;
  size_t next_ = 0;
};

class Writer {
 public:
  explicit Writer(const PerfmodelFile& file) : dialect_(*file.dialect) {
    Rule(18);
    Comment("Performance Model Version");
    Line(std::to_string(kPerfmodelVersion));
    text_ += '\n';
    Rule(20);
    text_ += "# COMBs\n# number of combinations\n";
    Line(std::to_string(file.model.combinations.size()));
    for (const PerfmodelCombination& combination : file.model.combinations)
      Combination(combination);
  }
  std::string Take() { return std::move(text_); }

 private:
  void Rule(size_t width) { Line(std::string(width, '#')); }
  void Line(std::string_view line) { text_.append(line) += '\n'; }
  // Where nothing is padded, comments have tabs for their blanks, too.
  void Comment(std::string_view words) {
    if (dialect_.is_padded) return Line("# " + std::string(words));
    std::string line = "#\t";
    for (const char c : words)
      if ((c != ' ' && c != '\t') || line.back() != '\t') line += c == ' ' ? '\t' : c;
    Line(line);
  }

  void Combination(const PerfmodelCombination& combination) {
    Rule(20);
    Line("# COMB_" + std::to_string(combination.number));
    Line("# number of types devices");
    Line(std::to_string(combination.devices.size()));
    for (size_t i = 0; i < combination.devices.size(); ++i) {
      const PerfmodelDevice& device = combination.devices[i];
      const std::string kinds = "device type (" + std::string(dialect_.device_kinds) + ")";
      DeviceLine(i, kinds, device.kind);
      DeviceLine(i, "device id ", device.number);
      DeviceLine(i, "number of cores ", device.cores);
    }
    Rule(10);
    Line("# number of implementations");
    Line(std::to_string(combination.implementations.size()));
    for (size_t i = 0; i < combination.implementations.size(); ++i) {
      Rule(5);
      Line("# Model for " +
           ArchName(combination.devices, static_cast<unsigned>(i), combination.number));
      Implementation(combination.implementations[i]);
    }
  }

  void DeviceLine(size_t index, std::string_view what, int value) {
    Rule(20);
    Line("# DEV_" + std::to_string(index));
    Line("# " + std::string(what));
    Line(std::to_string(value));
  }

  void Implementation(const PerfmodelImplementation& implementation) {
    Comment("number of entries");
    Line(std::to_string(implementation.entries.size()));
    Comment("sumlnx\tsumlnx2\t\tsumlny\t\tsumlnxlny\talpha\t\tbeta\t\tn\tminx\t\tmaxx");
    const PowerLaw& law = implementation.power_law;
    for (const double sum :
         {law.sum_ln_x, law.sum_ln_x2, law.sum_ln_y, law.sum_ln_x_ln_y, law.alpha, law.beta})
      Field(sum, '\t');
    Field(law.samples, '\t', 0);
    Field(law.min_x, '\t');
    Field(law.max_x, '\n');
    Comment("a\t\tb\t\tc");
    Field(implementation.shifted.a, '\t');
    Field(implementation.shifted.b, '\t');
    Field(implementation.shifted.c, '\n');
    Multiple(implementation.multiple);
    if (implementation.entries.empty()) return;
    Comment("hash\t\tsize\t\tflops\t\tmean " + std::string(dialect_.unit) + "\tdev " +
            std::string(dialect_.unit) + "\tsum\t\tsum2\t\tn");
    for (const PerfmodelEntry& entry : implementation.entries) Entry(entry);
    text_ += '\n';
  }

  void Multiple(const MultipleRegression& multiple) {
    if (multiple.coefficients.empty()) return Line("# not multiple-regression-base\n0");
    text_ += kTermsComment;
    for (const std::string& term : multiple.terms) text_ += term + "\t\t";
    text_ += '\n' + std::to_string(multiple.coefficients.size());
    if (multiple.terms.empty() && std::isnan(multiple.coefficients[0])) return Line("\tnan");
    for (const double coefficient : multiple.coefficients) {
      text_ += '\t';
      Field(coefficient, 0);
    }
    text_ += '\n';
  }

  void Entry(const PerfmodelEntry& entry) {
    char hash[16];
    std::snprintf(hash, sizeof(hash), "%08x\t", entry.footprint);
    text_ += hash;
    Field(entry.size_bytes, '\t');
    for (const double value : {entry.flops, entry.mean, entry.deviation, entry.sum, entry.sum2})
      Field(value, '\t');
    Field(entry.samples, '\n', 0);
  }

  void Field(uint64_t value, char after, int width = 15) {
    char field[32];
    std::snprintf(field, sizeof(field), "%-*llu", dialect_.is_padded ? width : 0,
                  static_cast<unsigned long long>(value));
    text_ += field;
    text_ += after;
  }
  void Field(double value, char after) {
    const PlainNumbers plain;
    char field[32];
    const int width = dialect_.is_padded ? 15 : 0;
    std::snprintf(field, sizeof(field), "%-*e", width, std::isnan(value) ? NAN : value);
    text_ += field;
    if (after) text_ += after;
  }

  const PerfmodelDialect& dialect_;
  std::string text_;
};

Status SystemError(const std::string& path, int error) {
  const bool is_missing = error == ENOENT || error == ENOTDIR;
  return {is_missing ? ErrorCode::kNotFound : ErrorCode::kIo, path + ": " + std::strerror(error)};
}

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : fd_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  int fd() const { return fd_; }
  // Waits. Where the file system knows no locks, nobody has one.
  bool Lock(short type) const {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    int result;
    do {
      result = fcntl(fd_, F_SETLKW, &lock);
    } while (result < 0 && errno == EINTR);
    return result == 0 || errno == ENOLCK || errno == EINVAL || errno == ENOTSUP;
  }

 private:
  int fd_;
};

}  // namespace

std::span<const PerfmodelDialect> PerfmodelDialects() { return kDialects; }

Result<PerfmodelFile> ParsePerfmodel(std::string_view text, std::string_view name) {
  return Reader(text, name).Read();
}

std::string PerfmodelText(const PerfmodelFile& file) { return Writer(file).Take(); }

Result<std::string> ReadLocked(const std::string& path) {
  const Descriptor file(path, O_RDONLY | O_NONBLOCK);  // (a pipe would wait)
  struct stat status {};
  if (file.fd() < 0 || fstat(file.fd(), &status) < 0) return SystemError(path, errno);
  if (!S_ISREG(status.st_mode)) return Status(ErrorCode::kIo, path + ": is not a file");
  if (!file.Lock(F_RDLCK)) return SystemError(path, errno);
  std::string text;
  char buffer[1 << 14];
  ssize_t n;
  while ((n = read(file.fd(), buffer, sizeof(buffer))) != 0) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError(path, errno);
    text.append(buffer, static_cast<size_t>(n));
  }
  return text;
}

Status WriteLocked(const std::string& path, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const Descriptor file(path, O_RDWR | O_CREAT);
  if (file.fd() < 0 || !file.Lock(F_WRLCK)) return SystemError(path, errno);
  for (size_t done = 0; done < text.size();) {
    const ssize_t n =
        pwrite(file.fd(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError(path, errno);
    done += static_cast<size_t>(n);
  }
  if (ftruncate(file.fd(), static_cast<off_t>(text.size())) < 0) return SystemError(path, errno);
  return Status::Ok();
}

Result<PerfmodelFile> ReadPerfmodel(const std::string& path) {
  Result<std::string> text = ReadLocked(path);
  if (!text.ok()) return text.status();
  return ParsePerfmodel(*text, path);
}

Status WritePerfmodel(const std::string& path, const PerfmodelFile& file) {
  return WriteLocked(path, PerfmodelText(file));
}

}  // namespace tasklens
