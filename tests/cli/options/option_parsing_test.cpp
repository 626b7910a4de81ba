#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/internal/text.hpp>

#include "cli/commands.hpp"
#include "cli/options/option_parser.hpp"
#include "cli/options/shared_options.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

OptionParser make_parser() {
  return {"test", "Parses options."};
}

TEST(IntegerOption, AcceptsIntegersInRange) {
  OptionParser parser = make_parser();
  std::uint32_t small = 7;
  std::optional<std::int64_t> wide;
  parser.add_option("--small N", small, "");
  parser.add_option("--wide N", wide, "");
  parser.parse({"--small", "4294967295", "--wide", "-9223372036854775808"});
  EXPECT_EQ(small, 4294967295);
  EXPECT_EQ(wide, std::numeric_limits<std::int64_t>::min());
}

TEST(IntegerOption, RejectsInvalidAndOutOfRangeNumbers) {
  for (const char* word : {"4294967296", "-1", "1.5", "1x", "", " 1", "0x10"}) {
    OptionParser parser = make_parser();
    std::uint32_t number = 7;
    parser.add_option("--small N", number, "");
    EXPECT_ERROR(parser.parse({"--small", word}), usage,
                 fmt::format("--small: invalid value {}: expected an integer from 0 to 4294967295",
                             support::in_quotes(word)));
    EXPECT_EQ(number, 7) << word;
  }
}

// A parser with one option of each kind.
struct EveryKind {
  EveryKind() {
    parser.add_option("INPUT", input, "Directory of the input\n[default: none]").required();
    Option output = parser.add_option("-o,--output DIR", text, "");
    parser.add_option("--mean SECONDS", number, "").not_negative();
    parser.add_option("--counts LIST", counts, "").separated_by(',');
    parser.add_option("--order NAME", text, "").one_of({"time", "bytes"});
    parser.add_size_function(
        "--size BYTES", [](std::uint64_t) {}, "");
    parser.add_flag("--force", flag, "").needs(output);
    parser.add_flag("--quiet", flag, "").excludes(output);
  }

  OptionParser parser{"test", ""};
  std::string input;
  std::string text;
  double number = 0;
  std::vector<std::uint64_t> counts;
  bool flag = false;
};

TEST(OptionParser, StatesWhatIsWrongAndWhatIsExpected) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
      {{}, "missing INPUT: expected directory of the input; see test --help"},
      {{"in", "out"}, "unexpected argument \"out\"; see test --help"},
      {{"in", "--output"}, "missing value of --output: expected DIR; see test --help"},
      {{"in", "--mean"}, "missing value of --mean: expected SECONDS; see test --help"},
      {{"in", "-o", "a", "-o", "b"}, "--output is specified 2 times: expected once; remove all but one"},
      {{"in", "--mean", "x"}, "--mean: invalid value \"x\": expected a number; see test --help"},
      {{"in", "--mean", "-1"}, "--mean: invalid value \"-1\": expected a number >= 0; see test --help"},
      {{"in", "--counts", "1,x"}, "--counts: invalid value \"1 x\": expected integers >= 0; see test --help"},
      {{"in", "--order", "tims"}, "--order: invalid value \"tims\": did you mean \"time\"?; see test --help"},
      {{"in", "--size", "9x"},
       "--size: invalid value \"9x\": expected a size such as 512MiB; see test --help"},
      {{"in", "--size", "-1"},
       "--size: invalid value \"-1\": expected a size such as 512MiB; see test --help"},
      {{"in", "--force"}, "--force requires --output; specify --output DIR, or remove --force"},
      {{"in", "--quiet", "-o", "a"},
       "--quiet and --output cannot be combined: expected one of them; remove --quiet or --output"},
      {{"in", "--quiet=5"}, "unexpected value of --quiet: expected none; use --quiet without a value"},
  };
  for (const auto& [words, text] : cases) {
    EveryKind options;
    const Error error = testing::error_of([&] { options.parser.parse(words); }).value();
    EXPECT_EQ(error.kind(), ErrorKind::usage) << text;
    EXPECT_STREQ(error.what(), text);
  }
}

TEST(WorkOption, ReadsThreeToFiveCoefficients) {
  std::optional<balance::WorkCoefficients> work;
  bool memory = false;
  OptionParser three = make_parser();
  add_work_option(three, work, memory);
  three.parse({"--work", "1,1e-8,0.5"});
  EXPECT_EQ(work->beta, 1e-8);
  EXPECT_EQ(work->gamma, 0.5);
  EXPECT_FALSE(work->beta_node.has_value());
  EXPECT_FALSE(memory);

  OptionParser five = make_parser();
  add_work_option(five, work, memory);
  five.parse({"--work", "1,2,3,0,4"});
  EXPECT_EQ(work->delta, 0);
  EXPECT_EQ(work->beta_node, 4);
  EXPECT_TRUE(memory) << "delta enables memory, even if it is 0";
}

TEST(WorkOption, RejectsWrongNumberOfCoefficientsAndInvalidOnes) {
  for (const char* words : {"1,2", "1,2,3,4,5,6", "1,-2,3", "1,nan,3"}) {
    OptionParser parser = make_parser();
    std::optional<balance::WorkCoefficients> work;
    bool memory = false;
    add_work_option(parser, work, memory);
    EXPECT_ERROR(parser.parse({"--work", words}), usage, "--work");
  }
}

TEST(ParameterOption, CollectsParametersByName) {
  OptionParser parser = make_parser();
  balance::ParameterMap parameters;
  add_parameter_option(parser, parameters, "");
  parser.parse({"--param", "seed=1", "--param", "file=a=b"});
  EXPECT_THAT(parameters, ElementsAre(Pair("file", "a=b"), Pair("seed", "1")));
}

TEST(ParameterOption, QuotesRejectedText) {
  const auto refused = [](const std::vector<std::string>& words, const std::string& text) {
    OptionParser parser = make_parser();
    balance::ParameterMap parameters;
    add_parameter_option(parser, parameters, "");
    EXPECT_ERROR(parser.parse(words), usage, text);
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

TEST(OptionParser, AddsSpellingWithDashes) {
  OptionParser parser = make_parser();
  std::string value;
  parser.add_option("--total_tasks N", value, "");
  parser.add_option("-r,--test_root DIR", value, "");
  parser.add_option("--res NAME", value, "");
  EXPECT_THAT(parser.option_names(),
              ElementsAre("--help", "--total_tasks", "--total-tasks", "--test_root", "--test-root", "--res"));
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
