#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/text_source.hpp>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace fs = std::filesystem;

/// Damages a data set of four ranks and three phases, and follows the advice of `validate`.
class Damage : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { generate(GetParam()); }

  void generate(const std::string& suffix) {
    suffix_ = suffix;
    std::vector<std::string> arguments = {"generate",           "--ranks", "4",  "--phases", "3",
                                          "--objects-per-rank", "8",       "-o", data_};
    if (suffix.empty()) arguments.emplace_back("--plain");
    ASSERT_EQ(run_plimsoll(arguments).status, 0);
  }

  std::string file(int rank) const { return data_ + "/data." + std::to_string(rank) + ".json" + suffix_; }

  /// Truncates a file such that nine tenths of its text remain.
  void cut(int rank) const {
    if (suffix_.empty()) return fs::resize_file(file(rank), fs::file_size(file(rank)) * 9 / 10);
    std::string text = decompressed(file(rank));
    text.resize(text.size() * 9 / 10);
    support::BrotliEncoder encoder;
    std::string stream;
    encoder.encode(text, stream);
    encoder.flush(stream);
    write_file(file(rank), stream);
  }

  static std::string decompressed(const std::string& path) {
    const support::TextFormat json = {[](std::string_view head) { return head.starts_with('{'); }, "", ""};
    support::TextSource source(path, json);
    std::string text;
    std::string buffer(1 << 16, '\0');
    while (const std::size_t got = source.read(buffer.data(), buffer.size())) text.append(buffer, 0, got);
    return text;
  }

  /// Returns the arguments of the repair command that an output contains.
  static std::vector<std::string> advice(const std::string& output) {
    const std::string program = "plimsoll ";
    const std::size_t at = output.find(program + "repair ");
    if (at == std::string::npos) return {};
    std::istringstream words(output.substr(at + program.size()));
    std::vector<std::string> arguments;
    for (std::string word; words >> word && word != "to";) arguments.push_back(word);
    return arguments;
  }

  /// Returns the directory that a repair command repairs or writes.
  static std::string repaired(const std::vector<std::string>& arguments) { return arguments.back(); }

  /// Expects that `validate` refuses the data set, and accepts the result of the command that it advises.
  /// Returns the output of this command.
  std::string expect_advice_works() const {
    const Outcome refused = run_plimsoll({"validate", data_});
    EXPECT_EQ(refused.status, 1);
    const std::vector<std::string> command = advice(refused.out + refused.err);
    EXPECT_FALSE(command.empty()) << refused.out << refused.err;
    if (command.empty()) return "";
    const Outcome outcome = run_plimsoll(command);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const Outcome valid = run_plimsoll({"validate", repaired(command)});
    EXPECT_EQ(valid.status, 0) << valid.out << valid.err;
    EXPECT_THAT(valid.out, HasSubstr(" in 4 files"));
    return outcome.out;
  }

  TemporaryFolder folder_;
  std::string data_ = folder_ / "data";
  std::string suffix_;
};

INSTANTIATE_TEST_SUITE_P(Files, Damage, ::testing::Values("", ".br"),
                         [](const auto& suffix) { return *suffix.param == '\0' ? "plain" : "compressed"; });

TEST_P(Damage, AdviceRepairsTruncatedFile) {
  cut(2);
  const std::string before = file_content(file(2));
  EXPECT_EQ(advice(run_plimsoll({"info", data_}).err), advice(run_plimsoll({"validate", data_}).out));
  EXPECT_THAT(expect_advice_works(), HasSubstr("0 files could not be repaired"));
  EXPECT_EQ(file_content(file(2)), before);
}

TEST_P(Damage, AdviceRepairsTwoTruncatedFiles) {
  cut(0);
  cut(3);
  expect_advice_works();
  EXPECT_TRUE(fs::exists(data_ + "-repaired"));
  // The advice names a directory that does not exist yet.
  EXPECT_EQ(repaired(advice(run_plimsoll({"validate", data_}).out)), data_ + "-repaired-2");
}

TEST_P(Damage, AdviceRepairsGarbageInFile) {
  std::string content = file_content(file(1));
  content.replace(content.size() * 3 / 4, 5, "\x01}{\"]");
  write_file(file(1), content);
  if (suffix_.empty()) {
    EXPECT_THAT(expect_advice_works(), HasSubstr("data.1.json"));
    return;
  }
  // The decoder of this small stream returns no text before the garbage.
  EXPECT_TRUE(advice(run_plimsoll({"validate", data_}).out).empty());
  const Outcome refused = run_plimsoll({"repair", data_});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("not recognised as an LB data file: is not a valid brotli stream"));
}

TEST_P(Damage, AdviceRepairsPartialFiles) {
  for (int rank = 0; rank < 4; ++rank) {
    cut(rank);
    fs::rename(file(rank), file(rank) + ".partial");
  }
  EXPECT_EQ(advice(run_plimsoll({"validate", data_}).err), (std::vector<std::string>{"repair", data_}));
  expect_advice_works();
}

TEST_P(Damage, AdviceRepairsOnePartialFile) {
  cut(1);
  fs::rename(file(1), file(1) + ".partial");
  expect_advice_works();
}

// A `.pending` file is not compressed, and ends after a phase.
TEST_P(Damage, AdviceRepairsPendingFileWithoutPartialFile) {
  write_file(file(3) + ".pending", R"({"type":"LBDatafile","phases":[{"id":0,"tasks":[]})");
  fs::remove(file(3));
  EXPECT_THAT(run_plimsoll({"repair", data_}).err, HasSubstr("rank 3 only has a pending file"));
  expect_advice_works();
  EXPECT_TRUE(fs::exists(file(3) + ".pending"));
  for (int rank : {0, 1, 2}) fs::remove(file(rank));
  const Outcome alone = run_plimsoll({"info", data_});
  EXPECT_THAT(alone.err, HasSubstr("left pending phases"));
  const Outcome incomplete = run_plimsoll(advice(alone.err));
  EXPECT_EQ(incomplete.status, 1);
  EXPECT_THAT(incomplete.out, HasSubstr("1 phase (0)"));
  EXPECT_THAT(incomplete.err, HasSubstr("the files of 3 ranks are missing"));
}

TEST_P(Damage, ReportsIncompleteDataSetAfterRepair) {
  write_file(file(1) + ".pending", R"({"type":"LBDatafile","phases":[{"id":0,"tasks":[]})");
  fs::remove(file(1));
  fs::rename(file(2), file(2) + ".partial");
  const Outcome outcome = run_plimsoll({"repair", data_});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("3 phases (0 to 2), nothing lost"));
  EXPECT_THAT(outcome.err, HasSubstr("rank 1 only has a pending file"));
}

TEST_P(Damage, ReportsIncompleteCopy) {
  fs::remove(file(2));
  const Outcome outcome = run_plimsoll({"repair", data_, "-o", folder_ / "copy"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("0 files could not be repaired"));
  EXPECT_THAT(outcome.err, HasSubstr("the file of rank 2 is missing"));
}

TEST_P(Damage, ReportsSeveralDataSetsIfNothingIsRepaired) {
  fs::copy(file(0), data_ + "/other.0.json" + suffix_);
  EXPECT_EQ(run_plimsoll({"validate", data_}).status, 2);
  const Outcome outcome = run_plimsoll({"repair", data_});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("contains 2 data sets"));
}

TEST_P(Damage, AdviceRepairsPartialAndTruncatedFiles) {
  cut(1);
  cut(2);
  fs::rename(file(1), file(1) + ".partial");
  // The first command completes the partial file, and reports the truncated one with the next command.
  const Outcome first = run_plimsoll(advice(run_plimsoll({"validate", data_}).err));
  EXPECT_EQ(first.status, 2);
  EXPECT_THAT(first.err, HasSubstr("data.2.json"));
  EXPECT_EQ(advice(first.err), advice(run_plimsoll({"validate", data_}).out));
  expect_advice_works();
}

TEST_P(Damage, AdviceRepairsPartialFilesNextToFilesOfEarlierRun) {
  fs::copy(file(0), file(0) + ".partial");
  for (int rank : {2, 3}) fs::rename(file(rank), file(rank) + ".partial");
  fs::copy(file(1), file(1) + ".partial");
  expect_advice_works();
}

TEST_P(Damage, ReportsIgnoredPartialFile) {
  fs::copy(file(2), file(2) + ".partial");
  fs::resize_file(file(2) + ".partial", 100);
  const Outcome outcome = run_plimsoll({"repair", data_, "-o", folder_ / "copy"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("ignored " + file(2) + ".partial"));
  EXPECT_THAT(outcome.out, HasSubstr("Kept 12 phases of 4 files"));
}

TEST_P(Damage, RepairPrintsCommandForTruncatedFiles) {
  cut(2);
  const Outcome refused = run_plimsoll({"repair", data_});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("data.2.json"));
  EXPECT_EQ(advice(refused.err), advice(run_plimsoll({"validate", data_}).out));
  EXPECT_EQ(run_plimsoll({"repair", data_, "--force"}).status, 0);
  EXPECT_EQ(run_plimsoll({"validate", data_}).status, 0);
  EXPECT_THAT(run_plimsoll({"repair", data_}).out, StartsWith("Nothing to repair"));
}

TEST_P(Damage, WritesNoPlainTextUnderNameOfCompressedFile) {
  cut(2);
  const std::string before = file_content(file(2));
  const Outcome outcome = run_plimsoll({"repair", data_, "--plain", "--force"});
  EXPECT_EQ(outcome.status, suffix_.empty() ? 0 : 2);
  if (suffix_.empty()) return;
  EXPECT_THAT(outcome.err, HasSubstr("data.2.json.br: the name of an uncompressed file cannot end in .br"));
  EXPECT_EQ(file_content(file(2)), before);
  EXPECT_EQ(run_plimsoll({"repair", data_, "--plain", "-o", folder_ / "plain"}).status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "plain/data.2.json"));
}

TEST_P(Damage, ReportsErrorsThatRepairCannotCorrect) {
  write_file(file(2), "");
  const Outcome refused = run_plimsoll({"validate", data_});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(advice(refused.out + refused.err).empty());
  const Outcome empty = run_plimsoll({"repair", data_});
  EXPECT_EQ(empty.status, 1);
  EXPECT_THAT(empty.err, HasSubstr("not recognised as an LB data file"));
  fs::remove(file(2));
  const Outcome missing = run_plimsoll({"repair", data_});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("the file of rank 2 is missing"));
  EXPECT_EQ(run_plimsoll({"repair", folder_.path()}).status, 1) << "no LB data files";
}

TEST_P(Damage, ReportsDuplicateFile) {
  fs::copy(file(1), data_ + "/data.1.json" + (suffix_.empty() ? ".br" : ""));
  const Outcome refused = run_plimsoll({"repair", data_});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("duplicate file of rank 1"));
}

TEST(DamageAdvice, RepairsRepeatedPhase) {
  const TemporaryFolder folder;
  write_file(
      folder / "data.0.json",
      R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[]},{"id":0,"tasks":[]}]})");
  const std::string command =
      "plimsoll repair " + (folder / "data.0.json") + " -o " + folder.path() + "-repaired/";
  EXPECT_THAT(run_plimsoll({"validate", folder.path()}).out, HasSubstr(command));
  EXPECT_THAT(Json(run_plimsoll({"validate", folder.path(), "--json"}).out).text("/repair"), command);
  EXPECT_THAT(run_plimsoll({"info", folder.path()}).err, HasSubstr(command));
}

TEST(DamageAdvice, NamesNoCommandForInvalidValues) {
  const TemporaryFolder folder;
  write_file(
      folder / "data.0.json",
      R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[{"entity":{"home":0,"id":1,)"
      R"("migratable":true,"type":"object"},"node":0,"resource":"cpu","time":-1.0}]}]})");
  EXPECT_THAT(run_plimsoll({"validate", folder.path()}).out, Not(HasSubstr("plimsoll repair")));
  const Outcome outcome = run_plimsoll({"repair", folder.path()});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("contains errors that repair cannot correct"));
  const Outcome copy = run_plimsoll({"repair", folder.path(), "-o", folder / "copy"});
  EXPECT_EQ(copy.status, 1);
  EXPECT_THAT(copy.err, HasSubstr("use plimsoll validate " + (folder / "copy/data")));
}

}  // namespace
}  // namespace plimsoll::testing
