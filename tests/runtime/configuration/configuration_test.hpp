// Sources of settings: a program's arguments and its environment.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/error.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// argc and argv of a program. A guard follows the null pointer at the end of argv.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {
    argv_.reserve(words_.size() + 2);
    for (std::string& word : words_) argv_.push_back(word.data());
    argc_ = static_cast<int>(argv_.size());
    argv_.push_back(nullptr);
    argv_.push_back(&guard_);
  }

  void give(Configuration& configuration) { configuration.take_arguments(argc_, argv_.data()); }

  std::vector<std::string> left() const {
    EXPECT_EQ(argv_[argc_], nullptr);
    EXPECT_EQ(argv_.back(), &guard_);
    return {argv_.begin(), argv_.begin() + argc_};
  }

 private:
  std::vector<std::string> words_;
  char guard_ = 'x';
  std::vector<char*> argv_;
  int argc_;
};

inline Settings from_arguments(std::vector<std::string> words, std::vector<std::string>* left = nullptr) {
  words.insert(words.begin(), "program");
  Arguments arguments(words);
  Configuration configuration;
  arguments.give(configuration);
  if (left != nullptr) *left = arguments.left();
  return configuration.settings();
}

inline Settings from_environment(const std::map<std::string, std::string>& environment) {
  Configuration configuration;
  configuration.take_environment(environment);
  return configuration.settings();
}

inline void expect_usage_error(const auto& action, const std::string& what,
                               const std::string& suggestion = "") {
  const std::optional<Error> error = testing::error_of(action);
  ASSERT_TRUE(error.has_value()) << "no error: " << what;
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_THAT(error->diagnostic().what, ::testing::HasSubstr(what));
  EXPECT_THAT(error->diagnostic().suggestion, ::testing::HasSubstr(suggestion));
}

inline void expect_refused(const std::vector<std::string>& words, const std::string& what,
                           const std::string& suggestion = "") {
  expect_usage_error([&] { from_arguments(words); }, what, suggestion);
}

}  // namespace plimsoll::runtime
