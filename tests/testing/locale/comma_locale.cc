// SPDX-License-Identifier: Apache-2.0
// Where this is linked, tests run in a locale whose numbers have a comma: that of a program which
// calls setlocale(LC_ALL, "") on a German machine.
#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace tasklens::testing {
namespace {

class CommaLocale : public ::testing::Environment {
 public:
  void SetUp() override {
    if (!Set() && !Make())
      GTEST_SKIP() << "there is no German locale, and none can be made: apt-get install locales";
    char text[8];
    std::snprintf(text, sizeof(text), "%.1f", 1.5);
    ASSERT_STREQ(text, "1,5");
  }

 private:
  static constexpr char kName[] = "de_DE.UTF-8";

  static bool Set() { return std::setlocale(LC_ALL, kName); }
  static bool Make() {
    const std::string folder = ::testing::TempDir();
    const std::string command =
        "localedef -i de_DE -f UTF-8 '" + folder + kName + "' >'" + folder + "localedef.log' 2>&1";
    setenv("LOCPATH", folder.c_str(), 1);
    return std::system(command.c_str()) == 0 && Set();
  }
};

const ::testing::Environment* const comma_locale =
    ::testing::AddGlobalTestEnvironment(new CommaLocale);

}  // namespace
}  // namespace tasklens::testing
