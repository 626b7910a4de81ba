#include <CLI/CLI.hpp>
#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/commands/layout/spellings.hpp"
#include "cli/options/integer_option.hpp"
#include "cli/options/parameter_option.hpp"
#include "cli/options/with_option.hpp"
#include "cli/options/work_option.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// Parses the words of one command line with the defined options.
void parse(CLI::App& app, std::vector<std::string> words) {
  std::ranges::reverse(words);  // CLI11 expects reverse order
  app.parse(std::move(words));
}

TEST(IntegerOption, AcceptsIntegersInRange) {
  CLI::App app;
  std::uint8_t small = 7;
  std::optional<std::int64_t> wide;
  add_integer_option(app, "--small", small, "");
  add_integer_option(app, "--wide", wide, "");
  parse(app, {"--small", "255", "--wide", "-9223372036854775808"});
  EXPECT_EQ(small, 255);
  EXPECT_EQ(wide, std::numeric_limits<std::int64_t>::min());
}

TEST(IntegerOption, RejectsInvalidAndOutOfRangeNumbers) {
  for (const char* word : {"256", "-1", "1.5", "1x", "", " 1", "0x10"}) {
    CLI::App app;
    std::uint8_t number = 7;
    add_integer_option(app, "--small", number, "");
    EXPECT_THROW(parse(app, {"--small", word}), CLI::ValidationError) << word;
    EXPECT_EQ(number, 7) << word;
  }
}

TEST(WorkOption, ReadsThreeToFiveCoefficients) {
  std::optional<balance::WorkCoefficients> work;
  bool memory = false;
  CLI::App three;
  add_work_option(three, work, memory);
  parse(three, {"--work", "1,1e-8,0.5"});
  EXPECT_EQ(work->beta, 1e-8);
  EXPECT_EQ(work->gamma, 0.5);
  EXPECT_FALSE(work->beta_node.has_value());
  EXPECT_FALSE(memory);

  CLI::App five;
  add_work_option(five, work, memory);
  parse(five, {"--work", "1,2,3,0,4"});
  EXPECT_EQ(work->delta, 0);
  EXPECT_EQ(work->beta_node, 4);
  EXPECT_TRUE(memory) << "delta enables memory, even if it is 0";
}

TEST(WorkOption, RejectsWrongNumberOfCoefficientsAndInvalidOnes) {
  for (const char* words : {"1,2", "1,2,3,4,5,6", "1,-2,3", "1,nan,3"}) {
    CLI::App app;
    std::optional<balance::WorkCoefficients> work;
    bool memory = false;
    add_work_option(app, work, memory);
    EXPECT_ERROR(parse(app, {"--work", words}), usage, "--work");
  }
}

TEST(ParameterOption, CollectsParametersByName) {
  CLI::App app;
  balance::ParameterMap parameters;
  add_parameter_option(app, parameters, "");
  parse(app, {"--param", "seed=1", "--param", "file=a=b"});
  EXPECT_THAT(parameters, ElementsAre(Pair("file", "a=b"), Pair("seed", "1")));
}

TEST(ParameterOption, QuotesRejectedText) {
  const auto refused = [](const std::vector<std::string>& words, const std::string& text) {
    CLI::App app;
    balance::ParameterMap parameters;
    add_parameter_option(app, parameters, "");
    EXPECT_ERROR(parse(app, words), usage, text);
  };
  refused({"--param", "a\nb"}, R"(invalid value "a\nb" for --param: expected NAME=VALUE)");
  refused({"--param", "=1"}, R"(invalid value "=1" for --param)");
  refused({"--param", "seed=1", "--param", "seed=2"}, "duplicate --param seed; set it once");
}

TEST(WithOption, AddsOptionNameOnlyToUsageErrors) {
  EXPECT_EQ(with_option("--n", [] { return 3; }), 3);
  const auto usage_of_library = []() -> int { throw support::usage_error("too many", "use fewer"); };
  EXPECT_ERROR(with_option("--n", usage_of_library), usage, "--n: too many; use fewer");
  const auto bad_file = []() -> int { throw support::bad_input("broken", "file"); };
  EXPECT_ERROR(with_option("--n", bad_file), bad_input, "file: broken");
}

TEST(BothSpellings, AddsSpellingWithDashes) {
  EXPECT_EQ(both_spellings("--total_tasks"), "--total_tasks,--total-tasks");
  EXPECT_EQ(both_spellings("-r,--test_root"), "-r,--test_root,--test-root");
  EXPECT_EQ(both_spellings("--res"), "--res");
}

TEST(Run, RejectsInvalidCommandLine) {
  const auto run_words = [](std::vector<const char*> words) {
    Terminal terminal;
    words.insert(words.begin(), "plimsoll");
    return run(static_cast<int>(words.size()), words.data(), terminal);
  };
  EXPECT_ERROR(run_words({"valdate", "x"}), usage, "did you mean \"validate\"?");
  EXPECT_ERROR(run_words({"strategies", "NoLB", "Gree\tdyLB"}), usage, R"(unexpected argument "Gree\tdyLB")");
  EXPECT_ERROR(run_words({"info", "--fases", "1", "x"}), usage, "did you mean --phases?");
  EXPECT_ERROR(run_words({"layout", "solve", "--total_tasks", "12x"}), usage,
               R"(--total_tasks: invalid total tasks "12x": "12x" is not an integer)");
  EXPECT_ERROR(run_words({"layout", "solve", "--total_tasks", "8", "--blocksize", "0"}), usage,
               "invalid value 0 for --blocksize: must be between 1 and 1000000000");
}

}  // namespace
}  // namespace plimsoll::cli
