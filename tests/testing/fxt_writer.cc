// SPDX-License-Identifier: Apache-2.0
// FxT files for tests: see fxt_writer.h.
#include "tests/testing/fxt_writer.h"

#include <cstdlib>
#include <cstring>
#include <map>

namespace tasklens::testing {
namespace {

// Events of StarPU 1.4 that end with a string, and how many numbers come before it.
const std::map<uint64_t, size_t> kNumbersBeforeText = {
    {0x5103, 5}, {0x5113, 4}, {0x511c, 2}, {0x511d, 1}, {0x5126, 3}, {0x512b, 2},
    {0x512f, 2}, {0x513c, 0}, {0x513d, 1}, {0x513f, 1}, {0x516a, 1}, {0x517c, 4}};

class Bytes {
 public:
  explicit Bytes(bool big_endian) : big_endian_(big_endian) {}

  void Put(uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      const size_t byte = big_endian_ ? size - 1 - i : i;
      bytes_ += static_cast<char>(byte < 8 ? value >> (8 * byte) : 0);
    }
  }
  void Put(std::string_view text) { bytes_ += text; }
  // A block around what `body` writes.
  template <class Body>
  void Block(uint32_t type, bool open, Body body) {
    Bytes inner(big_endian_);
    body(inner);
    Put(open ? 0 : inner.bytes_.size() + 16, 8);
    Put(type, 4);
    Put(uint64_t{0}, 4);
    bytes_ += inner.bytes_;
  }
  std::string Take() { return std::move(bytes_); }

 private:
  bool big_endian_;
  std::string bytes_;
};

void PutInfos(Bytes& out) {
  out.Block(0x10, false, [](Bytes& time) {
    time.Put(1, 4);  // user space
    time.Put(1, 4);  // CPUs
    time.Put(2600, 4);
    time.Put(uint64_t{123}, 4);
    time.Put(uint64_t{0}, 4);
    for (int i = 0; i < 4; ++i) time.Put(1795225116, 8);
    time.Put(4096, 4);
  });
  out.Block(0x12, false, [](Bytes& irqs) { irqs.Put(uint64_t{0}, 8); });
  out.Block(0x11, false, [](Bytes& uname) {
    constexpr std::string_view kText = "Linux node7 6.1.0 #1 SMP x86_64";
    uname.Put(kText.size(), 4);
    uname.Put(kText);
  });
  out.Block(0x13, false, [](Bytes& addrs) { addrs.Put(uint64_t{0}, 8); });
  out.Block(0x14, false, [](Bytes& pids) {
    pids.Put(4711, 8);
    pids.Put(std::string_view("secretuser\0garba", 16));
    pids.Put(uint64_t{0}, 8);
  });
}

void PutRecord(const FxtEvent& event, const FxtShape& shape, Bytes& out) {
  const size_t word = shape.wide ? 8 : 4;
  std::string text = event.text;
  if (event.has_text) {
    if (shape.closing_nul) text += '\0';
    const char fill = shape.closing_nul && shape.garbage ? '#' : '\0';
    while (text.size() % word != 0) text += fill;
  }
  const size_t params = event.params.size() + text.size() / word;
  out.Put(event.time_ns, 8);
  out.Put(uint64_t{0}, word);
  out.Put(event.code << 8 | (params + 1), word);
  for (uint64_t param : event.params) out.Put(param, word);
  out.Put(text);
}

}  // namespace

std::string WriteFxt(const std::vector<FxtEvent>& events, const FxtShape& shape) {
  Bytes machine(/*big_endian=*/true);
  machine.Put(shape.big_endian ? 0x20000 : 2, 4);
  Bytes out(shape.big_endian);
  out.Put(machine.Take());
  out.Block(0x1, false, PutInfos);
  out.Block(shape.wide ? 0x201 : 0x200, shape.open, [&](Bytes& records) {
    for (const FxtEvent& event : events) PutRecord(event, shape, records);
  });
  return out.Take();
}

std::vector<FxtEvent> ParseFxt14(std::string_view bytes) {
  const auto get = [&](size_t at) {
    if (at + 8 > bytes.size()) std::abort();
    uint64_t value;
    std::memcpy(&value, &bytes[at], 8);
    return value;
  };
  std::vector<FxtEvent> events;
  size_t at = 4 + get(4);  // behind INFOS
  const size_t end = at + get(at);
  for (at += 16; at < end;) {
    FxtEvent event{get(at), get(at + 16) >> 8, {}, false, {}};
    const size_t words = (get(at + 16) & 0xff) - 1;
    at += 24;
    const auto with_text = kNumbersBeforeText.find(event.code);
    const size_t numbers =
        with_text == kNumbersBeforeText.end() ? words : std::min(words, with_text->second);
    for (size_t i = 0; i < numbers; ++i) event.params.push_back(get(at + 8 * i));
    if (words > numbers) {
      event.has_text = true;
      event.text = bytes.substr(at + 8 * numbers, 8 * (words - numbers));
      event.text.resize(strnlen(event.text.data(), event.text.size()));
    }
    at += 8 * words;
    events.push_back(std::move(event));
  }
  return events;
}

namespace {

std::vector<FxtEvent> To13(FxtEvent event) {
  std::vector<uint64_t>& p = event.params;
  switch (event.code) {
    case 0x512f:
    case 0x5188:
    case 0x5186:
    case 0x5189:
    case 0x518a:
    case 0x518b:
    case 0x5120:
    case 0x5222:
    case 0x5223:
    case 0x5219:
    case 0x5221: return {};
    case 0x5100: p[0] += 1; break;       // CPU is 0x101
    case 0x5102: p.push_back(0); break;  // has no name
    case 0x512b:
    case 0x511c: p.erase(p.begin() + 1); break;
    case 0x512d: p.push_back(1); break;
    case 0x5168:
    case 0x5169: p.resize(1); break;
    case 0x517c: p.erase(p.begin() + 2); break;  // max size
    case 0x5185: p.resize(5); break;
    case 0x5203: p.erase(p.begin() + 3); break;  // local time
    case 0x5205: p = {p[1], p[2], p[3], p[4], p[7]}; break;
    case 0x521b: p.resize(4); break;
    default: break;
  }
  return {event};
}

std::vector<FxtEvent> ToMaster(FxtEvent event) {
  constexpr uint64_t kTid = 4242;
  std::vector<uint64_t>& p = event.params;
  switch (event.code) {
    case 0x5102: p.insert(p.end(), {kTid, 0}); break;
    case 0x5103: p.push_back(0); break;
    case 0x513f:
    case 0x5153:
    case 0x513e: p.push_back(kTid); break;
    case 0x517c: p.push_back(0); break;              // parent
    case 0x5205: p.insert(p.begin() + 5, 0); break;  // job after the message
    case 0x521b: p = {p[0], p[1], 0, p[2], p[4], p[3]}; break;
    default: break;
  }
  return {event};
}

}  // namespace

std::vector<FxtEvent> ToVersion(const FxtEvent& event, FxtVersion version) {
  switch (version) {
    case FxtVersion::k13: return To13(event);
    case FxtVersion::k14: break;
    case FxtVersion::kMaster: return ToMaster(event);
  }
  return {event};
}

std::string WriteFxtAs(const std::vector<FxtEvent>& events14, const FxtShape& shape) {
  std::vector<FxtEvent> events;
  for (const FxtEvent& event : events14)
    for (FxtEvent& other : ToVersion(event, shape.version)) events.push_back(std::move(other));
  return WriteFxt(events, shape);
}

}  // namespace tasklens::testing
