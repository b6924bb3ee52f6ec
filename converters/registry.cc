// SPDX-License-Identifier: Apache-2.0
// The tables of formats, built from readers.inc and writers.inc; no other code lists formats.
#include <algorithm>
#include <initializer_list>

#include "converters/formats.h"

namespace tasklens {

#define READER(Name) extern const ReaderSpec k##Name##Reader;
#include "converters/readers.inc"
#undef READER

#define WRITER(Name) extern const WriterSpec k##Name##Writer;
#include "converters/writers.inc"
#undef WRITER

namespace {

constexpr size_t kSniffBytes = 4096;

constexpr std::initializer_list<const ReaderSpec*> kReaders = {
#define READER(Name) &k##Name##Reader,
#include "converters/readers.inc"
#undef READER
};

constexpr std::initializer_list<const WriterSpec*> kWriters = {
#define WRITER(Name) &k##Name##Writer,
#include "converters/writers.inc"
#undef WRITER
};

}  // namespace

std::span<const ReaderSpec* const> Readers() { return {kReaders.begin(), kReaders.size()}; }
std::span<const WriterSpec* const> Writers() { return {kWriters.begin(), kWriters.size()}; }

const ReaderSpec* GuessReader(std::span<const std::byte> bytes) {
  const auto head = bytes.first(std::min(bytes.size(), kSniffBytes));
  for (const ReaderSpec* reader : Readers())
    if (reader->sniff(head)) return reader;
  return nullptr;
}

const WriterSpec* FindWriter(std::string_view name) {
  for (const WriterSpec* writer : Writers())
    if (writer->name == name) return writer;
  return nullptr;
}

}  // namespace tasklens
