#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
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
