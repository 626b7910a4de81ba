#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include <plimsoll/support/error.hpp>

namespace plimsoll::testing {

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
#define EXPECT_ERROR(statement, expected_kind, text)                                     \
  do {                                                                                   \
    const auto thrown_ = ::plimsoll::testing::error_of([&] { statement; });              \
    ASSERT_TRUE(thrown_.has_value()) << #statement " throws nothing";                    \
    EXPECT_EQ(thrown_->kind(), ::plimsoll::ErrorKind::expected_kind) << thrown_->what(); \
    EXPECT_THAT(std::string(thrown_->what()), ::testing::HasSubstr(text));               \
  } while (false)
