// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over the files it is given, and each of them cut short in a few places.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 1;
    }
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    for (size_t part = 0; part <= 16; ++part)
      LLVMFuzzerTestOneInput(data, bytes.size() * part / 16);
  }
  std::printf("%d files\n", argc - 1);
  return argc > 1 ? 0 : 1;
}
