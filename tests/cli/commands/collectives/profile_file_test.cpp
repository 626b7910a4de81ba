#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

Outcome export_to(const std::string& format, const std::string& from, const std::string& to) {
  return run_plimsoll({"collectives", "export", from, "--format", format, "-o", to});
}

/// Runs a command, and replaces the directory in its output.
std::string json_of(const std::string& command, const std::string& folder) {
  const Outcome outcome = run_plimsoll({"collectives", command, folder, "--json"});
  EXPECT_EQ(outcome.status, 0) << command << outcome.err;
  std::string text = outcome.out + outcome.err;
  for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;)
    text.replace(at, folder.size(), "DIR");
  return text;
}

TEST(CollectivesProfileFile, LeadsToSameResultsAsTextFiles) {
  const std::string texts = own_path("alltoallv/forward");
  const TemporaryFolder folder;
  const std::string profile = folder / "profile";
  ASSERT_EQ(export_to("profile", texts, profile).status, 0);
  ASSERT_TRUE(fs::exists(profile + "/collectives.job0.profile"));
  for (const std::string command : {"summary", "patterns", "calls", "matrix"})
    EXPECT_EQ(json_of(command, profile), json_of(command, texts)) << command;
}

TEST(CollectivesProfileFile, IsExportedAsSameTextFiles) {
  const std::string texts = own_path("alltoallv/forward");
  const TemporaryFolder folder;
  ASSERT_EQ(export_to("profile", texts, folder / "profile").status, 0);
  ASSERT_EQ(export_to("text", folder / "profile", folder / "text").status, 0);
  std::size_t compared = 0;
  for (const auto& file : fs::directory_iterator(texts)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with("send-") && !name.starts_with("recv-") && !name.starts_with("profile_")) continue;
    EXPECT_EQ(file_content(folder / ("text/" + name)), file_content(file.path().string()));
    ++compared;
  }
  EXPECT_EQ(compared, 6u);
}

TEST(CollectivesProfileFile, IsNotWrittenToStdoutOrOverAnother) {
  const TemporaryFolder folder;
  const std::string texts = own_path("alltoallv/forward");
  const Outcome to_stdout = export_to("profile", texts, "-");
  EXPECT_EQ(to_stdout.status, 2);
  EXPECT_THAT(to_stdout.err, HasSubstr("a profile cannot be written to stdout"));
  EXPECT_EQ(export_to("profile", texts, folder / "profile").status, 0);
  EXPECT_EQ(export_to("profile", texts, folder / "profile").status, 2);
}

}  // namespace
}  // namespace plimsoll::testing
