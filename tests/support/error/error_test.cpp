#include <gtest/gtest.h>

#include <cerrno>
#include <new>
#include <stdexcept>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

int half_of_even(int number) {
  PLIMSOLL_EXPECT(number % 2 == 0);
  return number / 2;
}

#ifdef PLIMSOLL_CONTRACTS
TEST(Contract, EndsProgramAndNamesPlaceFunctionAndCondition) {
  EXPECT_DEATH(half_of_even(3),
               "error_test\\.cpp:[0-9]+: in half_of_even: "
               "EXPECT\\(number % 2 == 0\\) does not hold \\(a bug in Plimsoll\\)");
}
#else
TEST(Contract, CostsNothingInBuildsWithoutContracts) {
  EXPECT_EQ(half_of_even(3), 1);
}
#endif

}  // namespace

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
  const SourceLocation here = SourceLocation::current();
  const Error plain = Error(ErrorKind::usage, {});
  const Error truncated = TruncatedError({});
  const Error bad = bad_input("wrong");
  const Error usage = usage_error("wrong");
  const Error system = system_error("wrong", "file", ENOENT);
  auto line = here.line;
  for (const Error* error : {&plain, &truncated, &bad, &usage, &system}) {
#ifdef PLIMSOLL_CONTRACTS
    EXPECT_EQ(error->origin().line, ++line);
    EXPECT_STREQ(error->origin().file, here.file);
#else
    line = 0;
    EXPECT_EQ(error->origin().line, line);
#endif
  }
}

TEST(Error, OmitsItsOriginFromItsText) {
  EXPECT_STREQ(bad_input("wrong", "a.json").what(), "a.json: wrong");
}

}  // namespace

namespace {

template <class Exception>
Error error_from(const Exception& exception) {
  try {
    throw exception;
  } catch (...) {
    return current_error();
  }
}

TEST(CurrentError, ReturnsThrownError) {
  const Error error = error_from(Error(ErrorKind::usage, {.what = "wrong", .suggestion = "right"}));
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_EQ(error.diagnostic().what, "wrong");
  EXPECT_EQ(error.diagnostic().suggestion, "right");
}

TEST(CurrentError, ConvertsOtherExceptionsToSystemErrors) {
  const Error from_standard = error_from(std::runtime_error("broken"));
  EXPECT_EQ(from_standard.kind(), ErrorKind::system);
  EXPECT_EQ(from_standard.diagnostic().what, "broken");
  const Error from_memory = error_from(std::bad_alloc());
  EXPECT_EQ(from_memory.kind(), ErrorKind::system);
  EXPECT_EQ(from_memory.diagnostic().what, "out of memory");
  const Error from_number = error_from(7);
  EXPECT_EQ(from_number.kind(), ErrorKind::system);
  EXPECT_EQ(from_number.diagnostic().what, "an exception of unknown type");
}

}  // namespace
}  // namespace plimsoll::support
