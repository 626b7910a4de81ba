#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <filesystem>
#include <fstream>

#include <plimsoll/lbdata/vt_validator.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Returns the verdict of vt's validator by its documented rules, where `valid` is the verdict of the schema.
VtVerdict verdict_by_rules(const simdjson::dom::element& document, bool valid) {
  simdjson::dom::element metadata;
  simdjson::dom::element type;
  const bool has_metadata = document["metadata"].get(metadata) == simdjson::SUCCESS && !metadata.is_null();
  if (has_metadata && !metadata.is_object()) return VtVerdict::invalid;
  const bool has_type = (has_metadata ? metadata : document)["type"].get(type) == simdjson::SUCCESS;
  if (!has_type || type.is_null()) return VtVerdict::missing_type;
  std::string_view text;
  if (type.get(text) == simdjson::SUCCESS && text != "LBDatafile" && text != "LBStatsfile")
    return VtVerdict::unsupported_type;
  return valid ? VtVerdict::valid : VtVerdict::invalid;
}

TEST(VtSchemaCheck, AgreesWithOfficialVerdicts) {
  using plimsoll::testing::shared_path;
  PLIMSOLL_NEED_SHARED("conformance/lbdatafile-cases.jsonl");
  const TemporaryFolder folder;
  std::ifstream cases(shared_path("conformance/lbdatafile-cases.jsonl"));
  simdjson::dom::parser line_parser;
  simdjson::dom::parser parser;
  for (std::string line; std::getline(cases, line);) {
    const simdjson::dom::element parsed = line_parser.parse(line);
    const std::string_view name = parsed["case"];
    // Validator.AgreesWithOfficialVerdictsAndReportsPosition tests all cases.
    if (name.find("type") == std::string_view::npos && name.find("metadata") == std::string_view::npos)
      continue;
    const std::string document{std::string_view(parsed["document"])};
    const VtVerdict expected = verdict_by_rules(parser.parse(document).value(), parsed["valid"]);
    EXPECT_EQ(check_schema_as_vt(folder.write("data.0.json", document)).verdict, expected) << name;
  }
}

std::string with_edge(int task, int from, int to) {
  const auto object = [](int id) {
    return R"({"home":0,"id":)" + std::to_string(id) + R"(,"migratable":true,"type":"object"})";
  };
  return R"({"type":"LBDatafile","phases":[{"id":3,"tasks":[{"entity":)" + object(task) +
         R"(,"node":0,"resource":"cpu","time":1.0}],"communications":[{"bytes":1.0,"messages":1,"from":)" +
         object(from) + R"(,"to":)" + object(to) + R"(,"type":"SendRecv"}]}]})";
}

TEST(VtLinkCheck, ReportsMissingTasksByPhase) {
  const TemporaryFolder folder;
  const std::string first = folder.write("data.0.json", with_edge(1, 1, 2));
  const VtLinkCheck alone = check_links_as_vt(first);
  ASSERT_THAT(alone.missing, SizeIs(1));
  EXPECT_EQ(alone.missing.front().phase, 3);
  EXPECT_THAT(alone.missing.front().numbers, ElementsAre(2));
  folder.write("data.1.json", with_edge(2, 9, 8));
  EXPECT_THAT(check_links_as_vt(first).missing.front().numbers, ElementsAre(8, 9));
  folder.write("data.1.json", with_edge(2, 1, 2));
  EXPECT_THAT(check_links_as_vt(first).missing, IsEmpty());
}

TEST(VtLinkCheck, ChecksDataSetWithItsFirstFile) {
  const TemporaryFolder folder;
  for (const char* name : {"x2-3.txt", "x2-4.txt", "alone.json", "data.5.json"})
    folder.write(name, with_edge(1, 1, 1));
  EXPECT_THAT(check_links_as_vt(folder / "x2-3.txt").files, SizeIs(2));
  EXPECT_THAT(check_links_as_vt(folder / "x2-4.txt").files, IsEmpty());
  EXPECT_THAT(check_links_as_vt(folder / "alone.json").files, ElementsAre(folder / "alone.json"));
  EXPECT_THAT(check_links_as_vt(folder / "data.5.json").files, ElementsAre(folder / "data.5.json"));
}

TEST(VtLinkCheck, ReportsTasksThatCannotBeReadInsteadOfMissingOnes) {
  const TemporaryFolder folder;
  std::string text = with_edge(1, 1, 1);
  const std::size_t time = text.find("1.0}]");
  const VtLinkCheck check = check_links_as_vt(folder.write("data.json", text.replace(time, 3, "NaN")));
  EXPECT_TRUE(check.is_readable);
  EXPECT_THAT(check.missing, IsEmpty());
  ASSERT_THAT(check.errors, SizeIs(1));
  EXPECT_EQ(check.errors.front().check, "finite");
  EXPECT_FALSE(check_links_as_vt(folder.write("data.json", "{")).is_readable);
}

TEST(VtSelection, PrefersJsonFilesAndIgnoresDirectories) {
  const TemporaryFolder folder;
  for (const char* name : {"a.txt", "b.txt", "c.txt", "data.0.json.br", "data.1.json.br", "x.0.json"})
    folder.write(name, "");
  std::filesystem::create_directory(folder / "data.2.json.br");
  const VtSelection selection = select_as_vt(folder.path(), "", "");
  EXPECT_EQ(selection.prefix, "data");
  EXPECT_EQ(selection.suffix, "br");
  EXPECT_THAT(selection.files, ElementsAre(folder / "data.0.json.br", folder / "data.1.json.br"));
  EXPECT_EQ(selection.n_entries, 7U);
  EXPECT_EQ(selection.n_other_files, 1U);
}

}  // namespace
}  // namespace plimsoll::lbdata
