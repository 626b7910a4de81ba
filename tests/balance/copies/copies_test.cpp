// Tests two libraries in one process that each contain a copy of Plimsoll, as with two versions. Here the
// load types differ, so that neither copy can read the data of the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

#include "balance/copies/copy.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> part{};
  while (pipe != nullptr && std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
  return pipe != nullptr && ::pclose(pipe) == 0 ? text : "failed: " + command;
}

TEST(LibraryCopies, CoexistInOneProcess) {
  const CopyAnswer of_double = copy_double();
  const CopyAnswer of_float = copy_float();
  EXPECT_EQ(of_double.real_bytes, sizeof(double));
  EXPECT_EQ(of_float.real_bytes, sizeof(float));
  EXPECT_LE(of_double.imbalance, 0.02);
  EXPECT_LE(of_float.imbalance, 0.02);
  EXPECT_NE(of_double.function, of_float.function);
}

// The libraries hide their symbols, but instances of standard library templates for enumerations are exported
// nevertheless. Their names contain the Plimsoll version, so two versions do not clash.
TEST(LibraryCopies, ExportOnlyVersionedNames) {
  for (const char* library : {PLIMSOLL_COPY_DOUBLE, PLIMSOLL_COPY_FLOAT}) {
    const std::string names =
        output_of(std::string("nm --dynamic --defined-only --demangle '") + library + "'");
    EXPECT_THAT(names, HasSubstr(" T copy_"));
    EXPECT_THAT(names, Not(ContainsRegex(" [A-Za-z] plimsoll::")));
    EXPECT_THAT(names, Not(ContainsRegex("plimsoll::([^v]|v[^0-9])")));
  }
}

}  // namespace
}  // namespace plimsoll::testing
