#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace plimsoll::testing {

/// Runs commands on malicious files of at most one megabyte, with 256 MiB of memory and ten seconds of CPU
/// time. The commands need less than one second on an idle machine; work that grows with the square of the
/// file needs minutes.
class ResourceLimits : public ::testing::Test {
 protected:
  using Command = std::vector<std::string>;
  using Files = std::map<std::string, std::string>;  ///< file contents by name

  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitisers reserve more memory than the limit allows";
#endif
  }

  static Outcome run_limited(const Command& command) {
    return run_plimsoll(command, {.max_memory_bytes = std::size_t{256} << 20, .max_cpu_s = 10});
  }

  /// Writes files to an empty directory, and expects an answer from each command: success or a message on
  /// invalid input. In commands, "@" at the start of a word stands for the directory.
  void expect_answers(const std::string& what, const Files& files, const std::vector<Command>& commands) {
    SCOPED_TRACE(what);
    const TemporaryFolder folder;
    for (const auto& [name, content] : files) folder.write(name, content);
    for (Command command : commands) {
      for (std::string& word : command)
        if (word.starts_with('@')) word = folder.path() + word.substr(1);
      const Outcome outcome = run_limited(command);
      EXPECT_LE(outcome.status, 2) << ::testing::PrintToString(command) << '\n' << outcome.err.substr(0, 500);
      EXPECT_FALSE(outcome.out.empty() && outcome.err.empty()) << ::testing::PrintToString(command);
    }
  }
};

/// Returns `count` copies of a text.
inline std::string times(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t k = 0; k < count; ++k) all += text;
  return all;
}

/// Returns text_of(0), ..., text_of(count - 1), joined by commas.
template <class Text>
std::string listed(std::size_t count, Text&& text_of) {
  std::string all;
  for (std::size_t k = 0; k < count; ++k) all += (k == 0 ? "" : ",") + text_of(k);
  return all;
}

}  // namespace plimsoll::testing
