// SPDX-License-Identifier: Apache-2.0
// What libFuzzer does with a corpus, without libFuzzer: each file that the words name, whole,
// through LLVMFuzzerTestOneInput(). A crash is preceded by the name of the file that caused it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Mutators of our own may ask for it; here nothing calls them.
extern "C" size_t LLVMFuzzerMutate(uint8_t*, size_t size, size_t) { return size; }

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "there is no input; is the corpus empty?\n");
    return 1;
  }
  for (int i = 1; i < argc; ++i) {
    std::printf("%s\n", argv[i]);
    std::fflush(stdout);
    std::ifstream file(argv[i], std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    if (!file.is_open() || file.bad()) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 1;
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%d inputs\n", argc - 1);
  return 0;
}
