#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <plimsoll/support/output_file.hpp>

#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Outcome run_vt_validator(std::vector<std::string> arguments) {
  return run_plimsoll(arguments, {.name = "plimsoll-validator"});
}

Outcome run_strictly(std::vector<std::string> arguments) {
  arguments.emplace_back("--strict-exit");
  return run_vt_validator(std::move(arguments));
}

const std::string object_1 = R"({"home":0,"id":1,"migratable":true,"type":"object"})";

std::string task_of(const std::string& entity = object_1,
                    const std::string& members = R"("node":0,"resource":"cpu","time":1.0)") {
  return R"({"entity":)" + entity + "," + members + "}";
}

std::string edge_to(const std::string& id, const std::string& members = R"("bytes":8.0,"messages":1)",
                    const std::string& type = "SendRecv") {
  return R"({"from":)" + object_1 + R"(,"to":{"id":)" + id + R"(,"type":"object"},"type":")" + type +
         R"(",)" + members + "}";
}

std::string phase_of(const std::string& tasks, const std::string& more = "", const std::string& id = "0") {
  return R"({"id":)" + id + R"(,"tasks":[)" + tasks + "]" + more + "}";
}

std::string file_of(const std::string& phases, const std::string& metadata = R"("type":"LBDatafile")",
                    const std::string& more = "") {
  return R"({"metadata":{)" + metadata + R"(},"phases":[)" + phases + "]" + more + "}";
}

std::string with_edges(const std::string& edges, const std::string& tasks = task_of()) {
  return file_of(phase_of(tasks, R"(,"communications":[)" + edges + "]"));
}

constexpr const char* valid_message = "Valid JSON schema in ";
constexpr const char* invalid_message = "Invalid JSON schema in ";
constexpr const char* untyped_message =
    ". \nPassing by default when schema type not found.";  // the line before it ends with the file
constexpr const char* missing_message =
    "Tasks are referenced in communication, but are not present in the dataset.";

/// Document, and what vt's validator answers.
struct Row {
  const char* what;
  std::string document;
  int status;
  const char* message = valid_message;
  int strict_status = status;  ///< with --strict-exit
};

/// The documents whose verdicts are measured facts about vt's validator, with --validate_comm_links.
std::vector<Row> rows() {
  const std::string rubbish = R"([{"rubbish":1}])";
  const std::string bare = R"({"home":0,"migratable":true,"type":"object"})";
  const std::string sequence = R"({"home":0,"seq_id":1,"migratable":true,"type":"object"})";
  const std::string with_extra = R"({"home":0,"id":1,"migratable":true,"type":"object","more":1})";
  const std::string number = R"({"home":0,"id":1,"migratable":1,"type":"object"})";
  const auto with_time = [](const std::string& time) {
    return file_of(phase_of(task_of(object_1, R"("node":0,"resource":"cpu","time":)" + time)));
  };
  return {
      {"valid", file_of(phase_of(task_of())), 0},
      {"top-level type only", R"({"type":"LBDatafile","phases":[]})", 0},
      {"empty phases", file_of(""), 0},
      {"empty tasks", file_of(phase_of("")), 0},
      {"lb_iterations", file_of(phase_of(task_of(), R"(,"lb_iterations":[)" + phase_of(task_of()) + "]")), 0},
      {"dangling reference in lb_iterations",
       file_of(phase_of(task_of(), R"(,"lb_iterations":[)" +
                                       phase_of("", R"(,"communications":[)" + edge_to("7") + "]") + "]")),
       0},
      {"unknown communication type", with_edges(edge_to("1", R"("bytes":8.0,"messages":1)", "Foo")), 0},
      {"negative time", with_time("-1.0"), 0},
      {"time that is not a number", with_time("NaN"), 0},
      {"duplicate task", file_of(phase_of(task_of() + "," + task_of())), 0},
      {"duplicate phase", file_of(phase_of(task_of()) + "," + phase_of(task_of())), 0},
      {"migratable, id, no collection_id", file_of(phase_of(task_of(object_1))), 0},
      {"dangling reference", with_edges(edge_to("7")), 0, missing_message, 1},
      {"node and shared_id as ends",
       with_edges(R"({"bytes":8.0,"messages":1,"from":{"id":7,"type":"shared_id"},)"
                  R"("to":{"id":5,"type":"node"},"type":"WriteShared"})"),
       0},
      {"no type", R"({"metadata":{},"phases":[]})", 0, untyped_message, 1},
      {"no metadata, no type", R"({"phases":)" + rubbish + "}", 0, untyped_message, 1},
      {"metadata without type", R"({"metadata":{"rank":0},"phases":)" + rubbish + "}", 0, untyped_message, 1},
      {"top-level type next to metadata", R"({"metadata":{"rank":0},"type":"LBDatafile","phases":[]})", 0,
       untyped_message},
      {"top-level type next to metadata, rubbish",
       R"({"metadata":{"rank":0},"type":"LBDatafile","phases":)" + rubbish + "}", 0, untyped_message, 1},
      {"integer time", with_time("1"), 1, invalid_message},
      {"integer bytes", with_edges(edge_to("1", R"("bytes":8,"messages":1)")), 1, invalid_message},
      {"integer time of a subphase",
       file_of(phase_of(
           task_of(object_1, R"("node":0,"resource":"cpu","time":1.0,"subphases":[{"id":0,"time":1}])"))),
       1, invalid_message},
      {"fraction of messages", with_edges(edge_to("1", R"("bytes":8.0,"messages":1.0)")), 1, invalid_message},
      {"node true", file_of(phase_of(task_of(object_1, R"("node":true,"resource":"cpu","time":1.0)"))), 1,
       invalid_message},
      {"phase id true", file_of(phase_of("", "", "true")), 1, invalid_message},
      {"migratable 1", file_of(phase_of(task_of(number))), 1, invalid_message},
      {"neither id nor seq_id", file_of(phase_of(task_of(bare))), 1, invalid_message},
      {"migratable, seq_id, no collection_id", file_of(phase_of(task_of(sequence))), 1, invalid_message},
      {"extra member of an entity", file_of(phase_of(task_of(with_extra))), 1, invalid_message},
      {"extra member of a phase", file_of(phase_of("", R"(,"more":1)")), 1, invalid_message},
      {"extra member of the metadata", file_of("", R"("type":"LBDatafile","more":1)"), 1, invalid_message},
      {"extra member at the top", file_of("", R"("type":"LBDatafile")", R"(,"more":1)"), 1, invalid_message},
      {"no tasks", file_of(R"({"id":0})"), 1, invalid_message},
      {"negative rank_alpha", file_of("", R"("type":"LBDatafile","rank_alpha":-1.0)"), 1, invalid_message},
      {"unknown type", file_of("", R"("type":"Foo")"), 1,
       "[JSON_data_files_validator] TypeError Unsupported schema type: Foo was given\n"},
      {"type of another kind", file_of("", R"("type":5)"), 1, invalid_message},
      {"LBStatsfile", R"({"metadata":{"type":"LBStatsfile"},"phases":[]})", 0},
      {"invalid LBStatsfile", R"({"metadata":{"type":"LBStatsfile"},"phases":[{"id":0}]})", 1,
       invalid_message},
      {"not JSON", "{\"metadata\": ", 1, "[syntax]"},
      {"empty file", "", 1, "ERROR - "},
      {"array", "[1]", 1, "ERROR - "},
      {"metadata that are not an object", R"({"metadata":5,"phases":[]})", 1, invalid_message},
  };
}

TEST(VtValidator, AnswersAsVtDoes) {
  const TemporaryFolder folder;
  const std::string path = folder / "lb_data.json";
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.what);
    write_file(path, row.document);
    const Outcome outcome = run_vt_validator({"--file_path", path, "--validate_comm_links"});
    EXPECT_EQ(outcome.status, row.status);
    EXPECT_THAT(outcome.err, HasSubstr("INFO - JSON_data_files_validator.py:0 - Validating file: " + path));
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr(row.message));
    const Outcome strict = run_strictly({"--file_path", path, "--validate_comm_links"});
    EXPECT_EQ(strict.status, row.strict_status) << strict.err;
    EXPECT_THAT(strict.out + strict.err, HasSubstr(row.message));
  }
}

TEST(VtValidator, PrintsMessagesOfVt) {
  const TemporaryFolder folder;
  const std::string path = folder / "data.0.json";
  const std::string place = " - JSON_data_files_validator.py:0 - ";
  write_file(path, with_edges(edge_to("7") + "," + edge_to("5")));
  Outcome outcome = run_vt_validator({"--file_path", path, "--validate_comm_links", "--debug"});
  EXPECT_EQ(outcome.err, "INFO" + place + "Validating file: " + path + "\n" +          //
                             "INFO" + place + "Valid JSON schema in " + path + "\n" +  //
                             "DEBUG" + place + "Dataset: [\"" + path + "\"]\n" +       //
                             "ERROR" + place +
                             "Phase 0: Task ids: {5, 7}. Tasks are referenced in communication, but are not "
                             "present in the dataset.\n" +
                             "ERROR" + place + "Invalid dataset for file: " + path + "!\n");
  EXPECT_EQ(outcome.out, "");
  write_file(path, file_of(R"({"id":0})"));
  outcome = run_vt_validator({"--file_path", path});
  EXPECT_EQ(outcome.err, "INFO" + place + "Validating file: " + path + "\n" +  //
                             "ERROR" + place + "Invalid JSON schema in " + path + "\n");
  EXPECT_EQ(outcome.out, "[JSON_data_files_validator] SchemaError " + path +
                             ":1 (byte 44): /phases/0: missing member \"tasks\" [schema]\n");
  write_file(path, R"({"phases":[]})");
  outcome = run_vt_validator({"--file_path", path});
  EXPECT_EQ(outcome.err, "INFO" + place + "Validating file: " + path + "\n" +  //
                             "WARNING" + place + "Schema type not found in file: " + path +
                             ". \nPassing by default when schema type not found.\n");
}

TEST(VtValidator, RequiresOnePath) {
  const TemporaryFolder folder;
  const std::string hook = "[JSON_data_files_validator] ";
  const auto expect = [&](const std::vector<std::string>& arguments, int status, const std::string& out) {
    const Outcome outcome = run_vt_validator(arguments);
    EXPECT_EQ(outcome.status, status);
    EXPECT_EQ(outcome.out, out);
  };
  expect({}, 1, hook + "Exception FILE path or DIRECTORY path has to be given\n");
  expect({"--dir_path", ""}, 1, hook + "Exception FILE path or DIRECTORY path has to be given\n");
  expect({"--dir_path", folder.path(), "--file_path", "x"}, 2, "");
  expect({"--no_such_option"}, 2, "");
  const std::string absent = folder / "absent";
  expect({"--file_path", absent}, 1, hook + "FileNotFoundError File: " + absent + " NOT found\n");
  expect({"--file_path", folder.path()}, 1,
         hook + "FileNotFoundError File: " + folder.path() + " NOT found\n");
  expect({"--dir_path", absent}, 1, hook + "FileNotFoundError Directory: " + absent + " does NOT exist\n");
  expect({"--dir_path", folder.path() + "/"}, 1,
         hook + "FileNotFoundError Directory: " + folder.path() + " is EMPTY\n");
}

/// Returns the names of the files that a run checked, in its order.
std::vector<std::string> checked_files(const Outcome& outcome) {
  std::vector<std::string> names;
  const std::string mark = "Validating file: ";
  for (std::size_t at = 0; (at = outcome.err.find(mark, at)) != std::string::npos;) {
    const std::string path =
        outcome.err.substr(at + mark.size(), outcome.err.find('\n', at) - at - mark.size());
    names.push_back(std::filesystem::path(path).filename());
    at += mark.size();
  }
  return names;
}

TEST(VtValidator, SelectsFilesOfDirectoryByRank) {
  const TemporaryFolder folder;
  for (const char* name : {"data.10.json", "data.2.json", "data.0.json", "data.1.json", "data.json",
                           "other.0.json", "data.0.txt", "README", "Makefile"})
    write_file(folder / name, file_of(""));
  const std::vector<std::string> data = {"data.json", "data.0.json", "data.1.json", "data.2.json",
                                         "data.10.json"};
  const Outcome outcome = run_vt_validator({"--dir_path", folder.path()});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(checked_files(outcome), data);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("Found most common prefix: data\n"),
                                 HasSubstr("Found most common suffix: json\n"),
                                 HasSubstr("Not validated, because prefix or suffix differ: 1 file\n")));
  const auto selected = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"--dir_path", folder.path()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return checked_files(run_vt_validator(arguments));
  };
  EXPECT_EQ(selected({"--file_prefix", "other"}), std::vector<std::string>{"other.0.json"});
  EXPECT_EQ(selected({"--file_prefix", "data", "--file_suffix", "txt"}),
            std::vector<std::string>{"data.0.txt"});
  EXPECT_EQ(selected({"--file_suffix", "txt"}), std::vector<std::string>{"data.0.txt"});
  const Outcome none = run_vt_validator({"--dir_path", folder.path(), "--file_prefix", "dat"});
  EXPECT_EQ(none.status, 0);
  EXPECT_THAT(none.err, HasSubstr("WARNING - JSON_data_files_validator.py:0 - No file has this prefix"));
  EXPECT_EQ(run_strictly({"--dir_path", folder.path(), "--file_prefix", "dat"}).status, 1);
}

TEST(VtValidator, StopsAtFirstInvalidFile) {
  const TemporaryFolder folder;
  write_file(folder / "data.0.json", R"({"phases":[]})");
  write_file(folder / "data.1.json", file_of(R"({"id":0})"));
  write_file(folder / "data.2.json", file_of(""));
  for (const Outcome& outcome :
       {run_vt_validator({"--dir_path", folder.path()}), run_strictly({"--dir_path", folder.path()})}) {
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(checked_files(outcome), (std::vector<std::string>{"data.0.json", "data.1.json"}));
  }
}

TEST(VtValidator, ReadsCompressedFilesUnderAnyName) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "plain");
  write_file(folder / "plain/data.0.json", with_edges(edge_to("2")));
  write_file(folder / "plain/data.1.json",
             file_of(phase_of(task_of(R"({"home":0,"id":2,"migratable":true,"type":"object"})"))));
  for (const char* suffix : {".br", ""}) {
    const std::string target = folder / (std::string("compressed") + suffix);
    std::filesystem::create_directories(target);
    for (const std::string name : {"data.0.json", "data.1.json"}) {
      std::string compressed;
      support::BrotliEncoder encoder;
      encoder.encode(folder.read("plain/" + name), compressed);
      encoder.finish(compressed);
      write_file(target + "/" + name + suffix, compressed);
    }
    const Outcome outcome = run_strictly({"--dir_path", target, "--validate_comm_links"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(checked_files(outcome).size(), 2U);
  }
}

TEST(VtValidator, ChecksLinksOfDataSetOnce) {
  const TemporaryFolder folder;
  const std::string object_2 = R"({"home":1,"id":2,"migratable":true,"type":"object"})";
  write_file(folder / "run_4_lb.0.json", with_edges(edge_to("2")));
  write_file(folder / "run_4_lb.1.json", file_of(phase_of("", "", "1")));  // without phase 0
  write_file(folder / "run_4_lb.10.json", file_of(phase_of(task_of(object_2))));
  const auto run = [&](const std::string& name) {
    return run_vt_validator({"--file_path", folder / name, "--validate_comm_links", "--debug"});
  };
  EXPECT_THAT(run("run_4_lb.0.json").err, Not(HasSubstr("ERROR")));
  EXPECT_THAT(run("run_4_lb.1.json").err, HasSubstr("Dataset: []"));
  std::filesystem::remove(folder / "run_4_lb.10.json");
  EXPECT_THAT(run("run_4_lb.0.json").err, HasSubstr("Phase 0: Task ids: {2}. Tasks are"));
  const std::vector<std::string> all = {"--dir_path", folder.path(), "--validate_comm_links"};
  EXPECT_EQ(run_vt_validator(all).status, 0);
  EXPECT_EQ(run_strictly(all).status, 1);
  write_file(folder / "run_4_lb.1.json", "{");
  EXPECT_EQ(run("run_4_lb.0.json").status, 1);
}

TEST(VtValidator, FindsMissingTasksOfRealData) {
  PLIMSOLL_NEED_SHARED("data/lb");
  const std::string folder = shared_path("data/lb/nolb-8color-16nodes-11firstphases");
  const Outcome outcome = run_vt_validator({"--dir_path", folder, "--validate_comm_links"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(checked_files(outcome).size(), 32U);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("Phase 0: Task ids: {"), HasSubstr(missing_message)));
  const std::string example = shared_path("data/lb/lb_data_file_example.json");
  EXPECT_EQ(run_strictly({"--file_path", example, "--validate_comm_links"}).status, 0);
}

}  // namespace
}  // namespace plimsoll::testing
