#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <fstream>

#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/error.hpp>

#include "common/shared_data.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;
using ::testing::StartsWith;

ValidationReport schema_only(const std::string& document, SchemaVersion version = SchemaVersion::current) {
  ValidateOptions options;
  options.checks.clear();
  options.schema = version;
  return validate_text(document, "document", options);
}

ValidationReport all_checks(const std::string& document) {
  return validate_text(document, "document");
}

auto finding(const std::string& check, const std::string& pointer) {
  return AllOf(Field("check", &Diagnostic::check, check),
               Field("pointer", &Diagnostic::pointer, Optional(pointer)));
}

std::string with_tasks(const std::string& tasks) {
  return R"({"metadata":{"type":"LBDatafile","rank":0},"phases":[{"id":0,"tasks":[)" + tasks + "]}]}";
}

std::string task(const std::string& id, const std::string& time = "1.0", const std::string& node = "0") {
  return R"({"entity":{"home":0,"id":)" + id + R"(,"migratable":true,"type":"object"},"node":)" + node +
         R"(,"resource":"cpu","time":)" + time + "}";
}

/// Returns the JSON pointer that a verdict case changes: "full:set_int:/phases/0/id" -> "/phases/0/id".
std::string changed_place(const std::string& name) {
  return name.substr(name.find(':', name.find(':') + 1) + 1);
}

TEST(Validator, AgreesWithOfficialVerdictsAndReportsPosition) {
  using plimsoll::testing::shared_path;
  PLIMSOLL_NEED_SHARED("conformance/lbdatafile-cases.jsonl");
  std::ifstream cases(shared_path("conformance/lbdatafile-cases.jsonl"));
  simdjson::dom::parser parser;
  std::size_t count = 0;
  for (std::string line; std::getline(cases, line); ++count) {
    const simdjson::dom::element parsed = parser.parse(line);
    const std::string name{std::string_view(parsed["case"])};
    const bool valid = parsed["valid"];
    const ValidationReport report = schema_only(std::string(std::string_view(parsed["document"])));
    EXPECT_EQ(report.valid(), valid) << name;
    if (valid) continue;
    const std::string place = changed_place(name);
    const bool deleted = name.find(":delete:") != std::string::npos;
    const std::string expected = deleted ? place.substr(0, place.rfind('/')) : place;
    EXPECT_TRUE(std::ranges::any_of(report.findings,
                                    [&](const Diagnostic& finding) {
                                      return finding.pointer &&
                                             (deleted ? *finding.pointer == expected
                                                      : finding.pointer->starts_with(expected));
                                    }))
        << name << ": " << (report.findings.empty() ? "" : to_string(report.findings.front()));
  }
  EXPECT_EQ(count, 848U);
}

TEST(Validator, ReportsEveryViolationWithPosition) {
  const std::string document =
      "{\"metadata\":{\"type\":\"LBDatafile\"},\n\"phases\":[{\"id\":true,\"tasks\":[\n" + task("3", "1") +
      ",\n" + task("\"x\"") + "]}],\n\"more\":1}";
  const ValidationReport report = schema_only(document);
  ASSERT_THAT(report.findings,
              ElementsAre(finding("schema", "/phases/0/id"), finding("schema", "/phases/0/tasks/0/time"),
                          finding("schema", "/phases/0/tasks/1/entity/id"), finding("schema", "/more")));
  EXPECT_EQ(report.findings[0].line, 2U);
  EXPECT_EQ(report.findings[1].line, 3U);
  EXPECT_EQ(report.findings[2].line, 4U);
  EXPECT_EQ(report.findings[3].line, 5U);
  EXPECT_EQ(report.findings[1].byte, document.find("\"time\":1}") + 7);
  EXPECT_EQ(report.findings[0].what, "expected an integer, found true");
  EXPECT_EQ(report.findings[1].what, "expected a number with a fraction or exponent, found the integer 1");
}

TEST(Validator, StopsAtMaximumNumberOfFindings) {
  std::string tasks = task("0", "1");
  for (int i = 1; i < 50; ++i) tasks += "," + task(std::to_string(i), "1");
  ValidateOptions options;
  options.max_errors = 10;
  const ValidationReport report = validate_text(with_tasks(tasks), "document", options);
  EXPECT_THAT(report.findings, SizeIs(10));
  EXPECT_TRUE(report.cut_off);
}

TEST(Validator, RequiresIdsAndRejectsNewMembersInOldSchema) {
  const std::string with_seq_id =
      R"({"entity":{"collection_id":7,"home":0,"seq_id":1,"migratable":true,"type":"object"},"node":0,"resource":"cpu","time":1.0})";
  EXPECT_TRUE(schema_only(with_tasks(with_seq_id)).valid());
  EXPECT_THAT(schema_only(with_tasks(with_seq_id), SchemaVersion::page_2023).findings,
              ElementsAre(finding("schema", "/phases/0/tasks/0/entity/seq_id"),
                          finding("schema", "/phases/0/tasks/0/entity")));
  EXPECT_TRUE(schema_only(with_tasks(task("3")), SchemaVersion::page_2023).valid());
  const std::string alpha = R"({"metadata":{"type":"LBDatafile","rank_alpha":1.0},"phases":[]})";
  EXPECT_TRUE(schema_only(alpha).valid());
  EXPECT_FALSE(schema_only(alpha, SchemaVersion::page_2023).valid());
}

TEST(Validator, AcceptsMembersInAnyOrder) {
  const std::string document =
      R"({"phases":[{"tasks":[{"time":1.0,"resource":"cpu","node":0,"entity":{"type":"object","migratable":true,"id":3,"home":0}}],)"
      R"("communications":[{"type":"SendRecv","messages":1,"to":{"id":3,"type":"object"},"from":{"type":"object","id":3},"bytes":1.0}],"id":0}],)"
      R"("metadata":{"rank":0,"type":"LBDatafile"}})";
  EXPECT_THAT(all_checks(document).findings, IsEmpty());
}

TEST(Validator, RejectsDuplicateMembers) {
  EXPECT_THAT(schema_only(R"({"phases":[],"type":"LBDatafile","phases":[]})").findings,
              ElementsAre(finding("duplicate-member", "/phases")));
  const std::string user =
      R"({"entity":{"home":0,"id":3,"migratable":true,"type":"object"},"node":0,"resource":"cpu","time":1.0,"user_defined":{"a":1,"b":{"c":1,"c":2}}})";
  EXPECT_THAT(schema_only(with_tasks(user)).findings,
              ElementsAre(finding("duplicate-member", "/phases/0/tasks/0/user_defined")));
}

TEST(Validator, WarnsAndAppliesDataSchemaIfTypeIsMissing) {
  const ValidationReport good = all_checks(R"({"phases":[]})");
  EXPECT_TRUE(good.valid());
  EXPECT_THAT(good.findings, ElementsAre(finding("type", "")));
  EXPECT_FALSE(all_checks(R"({"phases":[{}]})").valid());
  EXPECT_THAT(all_checks(R"({"type":"Foo","phases":[]})").findings, ElementsAre(finding("schema", "/type")));
}

TEST(Validator, ChecksStatisticsFilesAgainstTheirSchema) {
  const std::string quantities =
      R"({"avg":1.0,"car":4.0,"imb":0.0,"kur":0.0,"max":1.0,"min":1.0,"npr":4.0,"skw":0.0,"std":0.0,"sum":4.0,"var":0.0})";
  std::string block = "{";
  for (const char* name :
       {"Object_comm", "Object_load_modeled", "Object_load_raw", "Rank_comm", "Rank_load_modeled"}) {
    block += "\"" + std::string(name) + "\":" + quantities + ",";
  }
  const auto document = [&](const std::string& rank_load_raw) {
    return R"({"metadata":{"type":"LBStatsfile"},"phases":[{"id":0,"migration count":3,"pre-LB":)" + block +
           "\"Rank_load_raw\":" + rank_load_raw + "}}]}";
  };
  EXPECT_THAT(all_checks(document(quantities)).findings, IsEmpty());
  EXPECT_THAT(all_checks(document(R"({"avg":1})")).findings,
              SizeIs(11));  // avg is an integer; the other ten are missing
  EXPECT_THAT(all_checks(R"({"type":"LBStatsfile","phases":[{"id":0}]})").findings,
              ElementsAre(finding("schema", "/phases/0")));
  EXPECT_THAT(all_checks(R"({"phases":[{"id":0}],"type":"LBStatsfile"})").findings,
              ElementsAre(finding("schema", "/phases/0")));
}

TEST(Validator, ReportsInvalidValuesThatTheSchemaAllows) {
  EXPECT_THAT(all_checks(with_tasks(task("3", "-1.0"))).findings,
              ElementsAre(finding("negative-value", "/phases/0/tasks/0/time")));
  EXPECT_THAT(all_checks(with_tasks(task("3", "NaN"))).findings,
              ElementsAre(finding("finite", "/phases/0/tasks/0/time")));
  EXPECT_THAT(all_checks(with_tasks(task("3", std::string(400, '1')))).findings,
              ElementsAre(finding("finite", "/phases/0/tasks/0/time")));
  EXPECT_THAT(all_checks(with_tasks(task("3") + "," + task("3"))).findings,
              ElementsAre(finding("duplicate-task", "/phases/0/tasks/1/entity")));
  EXPECT_THAT(all_checks(with_tasks(task("3", "1.0", "9007199254740993"))).findings,
              ElementsAre(finding("range", "/phases/0/tasks/0/node")));
  EXPECT_THAT(
      all_checks(R"({"type":"LBDatafile","phases":[{"id":1,"tasks":[]},{"id":1,"tasks":[]}]})").findings,
      ElementsAre(finding("duplicate-phase", "/phases/1/id")));
}

// A phase without a valid ID is not phase 0.
TEST(Validator, ReportsMissingIdOfPhaseOnce) {
  for (const char* second : {"", R"("id":"x",)"})
    EXPECT_THAT(
        all_checks(fmt::format(R"({{"type":"LBDatafile","phases":[{{"id":0,"tasks":[]}},{{{}"tasks":[]}}]}})",
                               second))
            .findings,
        ElementsAre(finding("schema", *second == '\0' ? "/phases/1" : "/phases/1/id")));
}

// A repeated phase is one error. Its tasks are not on another rank.
TEST(Validator, ReportsRepeatedPhaseOnce) {
  const std::string phase = R"({"id":1,"tasks":[)" + task("3") + "]}";
  EXPECT_THAT(all_checks(R"({"type":"LBDatafile","phases":[)" + phase + "," + phase + "]}").findings,
              ElementsAre(finding("duplicate-phase", "/phases/1/id")));
  EXPECT_THAT(all_checks(R"({"type":"LBDatafile","phases":[{"id":0,"tasks":[],"lb_iterations":[)" + phase +
                         "," + phase + "]}]}")
                  .findings,
              ElementsAre(finding("duplicate-phase", "/phases/0/lb_iterations/1/id")));
}

TEST(Validator, WarnsAboutMemoryThatCommandsReject) {
  const auto findings = [](const std::string& user_defined) {
    std::string with_values = task("3");
    with_values.insert(with_values.size() - 1, R"(,"user_defined":)" + user_defined);
    const ValidationReport report = all_checks(with_tasks(with_values));
    EXPECT_TRUE(report.valid()) << user_defined;
    return report.findings;
  };
  const auto warning = [](const std::string& member) {
    return ElementsAre(finding("memory-value", "/phases/0/tasks/0/user_defined" + member));
  };
  EXPECT_THAT(findings(R"({"task_footprint_bytes":0,"shared_id":-1,"home_rank":null,"own":-1})"), IsEmpty());
  EXPECT_THAT(findings(R"({"task_footprint_bytes":-1})"), warning("/task_footprint_bytes"));
  EXPECT_THAT(findings(R"({"shared_bytes":"many"})"), warning("/shared_bytes"));
  EXPECT_THAT(findings(R"({"shared_id":1.5})"), warning("/shared_id"));
  EXPECT_THAT(findings(R"({"rank_working_bytes":NaN})"), warning(""));
  EXPECT_THAT(findings(R"({"a":1,"shared_bytes":12.0,"shared_id":3})"), IsEmpty());
  EXPECT_THAT(findings(R"({"a":1,"shared_bytes":12.0,"shared_id":3.01})"), warning("/shared_id"));
  EXPECT_THAT(findings(R"({"a":1,"shared_id":3,"shared_bytes":-0.5})"), warning("/shared_bytes"));
  EXPECT_THAT(findings(R"({"a":1,"shared_id":3, "shared_bytes":-1})"), warning("/shared_bytes"));
  EXPECT_THAT(findings(R"({"a:\"}":1,"shared_bytes":-1})"), warning("/shared_bytes"));
  EXPECT_THAT(findings(R"({"shared_id":5e-1,"shared_bytes":1})"), warning("/shared_id"));
}

std::string with_edge(const std::string& from, const std::string& to, const std::string& type = "SendRecv") {
  return R"({"type":"LBDatafile","phases":[{"id":0,"communications":[{"bytes":1.0,"from":)" + from +
         R"(,"messages":1,"to":)" + to + R"(,"type":")" + type + R"("}],"tasks":[)" + task("3") + "]}]}";
}

TEST(Validator, ReportsDanglingReferences) {
  const std::string known = R"({"type":"object","id":3})";
  const std::string unknown = R"({"type":"object","id":4})";
  EXPECT_THAT(all_checks(with_edge(known, known)).findings, IsEmpty());
  EXPECT_THAT(all_checks(with_edge(known, unknown)).findings,
              ElementsAre(finding("dangling-reference", "/phases/0/communications/0/to")));
  EXPECT_THAT(all_checks(with_edge(R"({"type":"node","id":0})", known)).findings, IsEmpty());
  EXPECT_THAT(all_checks(with_edge(R"({"type":"node","id":3})", known)).findings,
              ElementsAre(finding("dangling-reference", "/phases/0/communications/0/from")));
  EXPECT_THAT(all_checks(with_edge(R"({"type":"shared_id","id":99})", R"({"type":"node","id":0})")).findings,
              IsEmpty());
  EXPECT_THAT(all_checks(with_edge(known, known, "Foo")).findings,
              ElementsAre(finding("unknown-communication-type", "/phases/0/communications/0/type")));
}

TEST(Validator, ReportsDanglingReferencesInIterations) {
  const std::string document =
      R"({"type":"LBDatafile","phases":[{"id":0,"lb_iterations":[{"id":1,"tasks":[],"communications":[{"bytes":1.0,)"
      R"("from":{"type":"object","id":3},"messages":1,"to":{"type":"object","id":3},"type":"SendRecv"}]}],"tasks":[)" +
      task("3") + "]}]}";
  EXPECT_THAT(all_checks(document).findings,
              ElementsAre(finding("dangling-reference", "/phases/0/lb_iterations/0/communications/0/from"),
                          finding("dangling-reference", "/phases/0/lb_iterations/0/communications/0/to")));
}

TEST(Validator, ReportsMetadataThatContradictPhases) {
  const auto document = [](const std::string& phases) {
    return R"({"metadata":{"type":"LBDatafile","phases":)" + phases +
           R"(},"phases":[{"id":1,"tasks":[]},{"id":3,"tasks":[]}]})";
  };
  const std::string none = R"({"list":[],"range":[]})";
  EXPECT_THAT(
      all_checks(document(R"({"count":2,"skipped":)" + none + R"(,"identical_to_previous":)" + none + "}"))
          .findings,
      IsEmpty());
  EXPECT_THAT(
      all_checks(
          document(
              R"({"count":4,"skipped":{"list":[0],"range":[]},"identical_to_previous":{"list":[2],"range":[]}})"))
          .findings,
      IsEmpty());
  EXPECT_THAT(
      all_checks(document(R"({"count":7,"skipped":)" + none + R"(,"identical_to_previous":)" + none + "}"))
          .findings,
      ElementsAre(finding("metadata", "/metadata/phases/count")));
  EXPECT_THAT(
      all_checks(document(R"({"skipped":{"list":[],"range":[[2,3]]},"identical_to_previous":)" + none + "}"))
          .findings,
      ElementsAre(finding("metadata", "/metadata/phases/skipped")));
  EXPECT_THAT(
      all_checks(document(R"({"skipped":)" + none + R"(,"identical_to_previous":{"list":[0],"range":[]}})"))
          .findings,
      ElementsAre(finding("metadata", "/metadata/phases/identical_to_previous")));
  EXPECT_THAT(
      all_checks(document(R"({"skipped":{"list":[],"range":[[5]]},"identical_to_previous":)" + none + "}"))
          .findings,
      ElementsAre(finding("metadata", "/metadata/phases/skipped/range/0")));
}

TEST(Validator, RejectsPhaseRangesThatWouldFillMemory) {
  const std::string document =
      R"({"metadata":{"type":"LBDatafile","phases":{"skipped":{"list":[],"range":[[0,9000000000000000000]]},)"
      R"("identical_to_previous":{"list":[],"range":[]}}},"phases":[]})";
  EXPECT_THAT(all_checks(document).findings,
              ElementsAre(finding("range", "/metadata/phases/skipped/range/0")));
}

TEST(Validator, RejectsManyPhaseRangesThatTogetherWouldFillMemory) {
  std::string ranges = "[1,900000]";
  for (int i = 1; i < 100; ++i) ranges += ",[1,900000]";
  const std::string document =
      R"({"metadata":{"type":"LBDatafile","phases":{"identical_to_previous":{"list":[],"range":[)" + ranges +
      R"(]},"skipped":{"list":[],"range":[]}}},"phases":[{"id":0,"tasks":[]}]})";
  EXPECT_THAT(all_checks(document).findings,
              ElementsAre(finding("range", "/metadata/phases/identical_to_previous/range/1")));
}

TEST(Validator, ReportsSyntaxErrorAsFinding) {
  const ValidationReport report = all_checks("{\"phases\":[\n{\"id\":0,]}");
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].check, "syntax");
  EXPECT_EQ(report.findings[0].line, 2U);
}

TEST(Validator, RejectsUnknownChecks) {
  ValidateOptions options;
  options.checks = {"dangling-referense"};
  EXPECT_ERROR(validate_text("{}", "document", options), usage, "did you mean \"dangling-reference\"?");
}

// The result must not depend on the number of warnings before an error.
TEST(Validator, DropsWarningsBeforeErrorsAtMaximumNumber) {
  ValidateOptions options;
  options.max_errors = 1;
  const std::string task =
      R"({"entity":{"home":0,"id":%,"migratable":true,"type":"object"},"node":%,"resource":"cpu","time":%})";
  const auto filled = [&](const char* id, const char* node, const char* time_s) {
    std::string text = task;
    for (const char* value : {id, node, time_s}) text.replace(text.find('%'), 1, value);
    return text;
  };
  const ValidationReport report = validate_text(
      R"({"metadata":{"type":"LBDatafile","rank":0},"phases":[{"id":0,"communications":[{"bytes":1.0,"messages":1,)"
      R"("type":"odd","from":{"id":1,"type":"object"},"to":{"id":1,"type":"object"}}],"tasks":[)" +
          filled("1", "0", "1.0") + "," + filled("2", "0", "-1.0") + "]}]}",
      "document", options);
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].check, "negative-value");
  EXPECT_TRUE(report.cut_off);
  EXPECT_FALSE(report.valid());
}

}  // namespace
}  // namespace plimsoll::lbdata
