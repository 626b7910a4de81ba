#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include <plimsoll/support/error.hpp>

namespace plimsoll::testing {

/// Returns where Plimsoll reported the error, to append to the message of a failed assertion.
inline std::string origin_of(const Error& error) {
  return std::string("reported at ") + error.origin().file + ":" + std::to_string(error.origin().line);
}

/// Returns the Error that a statement throws, or nothing if it throws none.
template <class Function>
std::optional<Error> error_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace plimsoll::testing

/// Expects the statement to throw an Error of this kind whose text contains `text`.
#define EXPECT_ERROR(statement, expected_kind, text)                        \
  do {                                                                      \
    const auto thrown_ = ::plimsoll::testing::error_of([&] { statement; }); \
    ASSERT_TRUE(thrown_.has_value()) << #statement " throws nothing";       \
    EXPECT_EQ(thrown_->kind(), ::plimsoll::ErrorKind::expected_kind)        \
        << thrown_->what() << "\n"                                          \
        << ::plimsoll::testing::origin_of(*thrown_);                        \
    EXPECT_THAT(std::string(thrown_->what()), ::testing::HasSubstr(text))   \
        << ::plimsoll::testing::origin_of(*thrown_);                        \
  } while (false)
