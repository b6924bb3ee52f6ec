// SPDX-License-Identifier: Apache-2.0
// Temporary files around Writer and ReadTrace().
#include "tests/testing/tlt_file.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tasklens::testing {

TempFolder::TempFolder() {
  const char* base = std::getenv("TEST_TMPDIR");
  path_ = std::string(base != nullptr ? base : "/tmp") + "/tlt.XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) {
    std::perror(path_.c_str());
    std::abort();
  }
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string FileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::perror(path.c_str());
    std::abort();
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string RecordedBytes(const RecordFunction& record, tlt::WriterOptions options) {
  TempFolder folder;
  options.path = folder.File("x_0.tlt");
  tlt::Writer writer;
  tlt::ThreadBuffer buffer;
  Status status = writer.Open(options);
  if (status.ok()) {
    record(writer, buffer);
    status = writer.Close();
    writer.Leave(buffer);
  }
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    std::abort();
  }
  return FileBytes(options.path);
}

std::vector<std::string> ReadBack::Recorded() const {
  std::vector<std::string> lines;
  for (const EventLog::Entry& entry : log.entries())
    if (entry.tid != 0) lines.push_back(entry.text);
  return lines;
}

namespace {

ReadBack Read(const std::string& path, const std::string& bytes, double share) {
  ReadBack back;
  back.status = tlt::ReadTrace(path, std::as_bytes(std::span(bytes)), 0, back.log, back.diags,
                               nullptr, share);
  return back;
}

}  // namespace

ReadBack ReadTlt(const std::string& bytes, double share) { return Read("x.tlt", bytes, share); }
ReadBack ReadTltFile(const std::string& path) { return Read(path, FileBytes(path), 1); }

}  // namespace tasklens::testing
