#include <cerrno>
#include <source_location>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(Error, ReportsPositionProblemAndHint) {
  const Error error(ErrorKind::bad_input, {.check = "schema",
                                           .what = "invalid number",
                                           .file = "data.0.json",
                                           .byte = 120,
                                           .line = 7,
                                           .pointer = "/phases/2/tasks/14/time",
                                           .suggestion = "use 1.0"});
  EXPECT_STREQ(error.what(),
               "data.0.json:7 (byte 120): /phases/2/tasks/14/time: invalid number [schema]; use 1.0");
}

TEST(Error, EscapesControlCharactersOfFilesAndNames) {
  const Error error(ErrorKind::bad_input,
                    {.what = "unknown \x1b[31mred\xC2\x9B", .file = "a\nvalid", .suggestion = "\u202Eno"});
  EXPECT_STREQ(error.what(), "a?valid: unknown ?[31mred?; ?no");
}

TEST(Error, ReportsTextOfSystemErrors) {
  const Error error = system_error("cannot open", "a/b", ENOENT);
  EXPECT_STREQ(error.what(), "a/b: cannot open: No such file or directory");
  EXPECT_EQ(error.kind(), ErrorKind::system);
}

TEST(Error, KnowsTheLineThatReportedItInBuildsWithContracts) {
  const auto here = std::source_location::current();
  const Error plain = Error(ErrorKind::usage, {});
  const Error truncated = TruncatedError({});
  const Error bad = bad_input("wrong");
  const Error usage = usage_error("wrong");
  const Error system = system_error("wrong", "file", ENOENT);
  auto line = here.line();
  for (const Error* error : {&plain, &truncated, &bad, &usage, &system}) {
#ifdef PLIMSOLL_CONTRACTS
    EXPECT_EQ(error->origin().line(), ++line);
    EXPECT_STREQ(error->origin().file_name(), here.file_name());
#else
    line = 0;
    EXPECT_EQ(error->origin().line(), line);
#endif
  }
}

TEST(Error, OmitsItsOriginFromItsText) {
  EXPECT_STREQ(bad_input("wrong", "a.json").what(), "a.json: wrong");
}

}  // namespace
}  // namespace plimsoll::support
