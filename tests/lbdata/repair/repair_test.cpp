#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <random>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/text_source.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "lbdata/json/json_position.hpp"
#include "lbdata/repair/phase_texts.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::error_of;
using plimsoll::testing::TemporaryFolder;
using ::testing::HasSubstr;

const std::string no_lists =
    R"("identical_to_previous":{"list":[],"range":[]},"skipped":{"list":[],"range":[]})";
const std::string last_metadata =
    R"(],"metadata":{"phases":{)" + no_lists + R"(},"rank":3,"type":"LBDatafile"}})";

/// Returns the flushed pieces of a file.
std::vector<std::string> stream_pieces(const std::string& head, const std::string& tail) {
  return {head + phase_text(10), "," + phase_text(11), "," + phase_text(13), tail};
}

std::string joined_pieces(const std::vector<std::string>& pieces) {
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

/// Creates temporary files in memory, for tests with thousands of files: writing these to disk takes minutes.
void use_memory_for_files() {
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 1);
}

/// Returns all text that a reader can decode.
std::string text_of(const std::string& content) {
  support::TextSource source(content, "content", data_file_format);
  std::string text(1 << 16, '\0');
  std::size_t size = 0;
  error_of([&] {
    while (const std::size_t got = source.read(text.data() + size, 1)) size += got;
  });
  return text.substr(0, size);
}

/// Returns the number of phases that end within the first `length` bytes of a text.
std::size_t complete_phases(const std::string& text, std::size_t length) {
  std::size_t phases = 0;
  for (const int id : {10, 11, 13}) {
    const std::size_t at = text.find(phase_text(id));
    if (at != std::string::npos && at + phase_text(id).size() <= length) ++phases;
  }
  return phases;
}

struct Form {
  std::string name;
  std::string head;
  std::string tail;
};
const std::vector<Form> forms = {{"metadata first", first_metadata, "]}"},
                                 {"metadata last", first_type, last_metadata}};

void every_prefix(const Form& form, bool compress) {
  const std::vector<std::string> pieces = stream_pieces(form.head, form.tail);
  const std::string text = joined_pieces(pieces);
  const std::string content = compress ? compressed(pieces) : text;
  const TemporaryFolder folder;
  for (std::size_t length = 0; length <= content.size(); ++length) {
    SCOPED_TRACE(form.name + ", " + std::to_string(length));
    const std::string cut = content.substr(0, length);
    const std::string rest = length == 0 ? "" : text_of(cut);
    const std::size_t complete = complete_phases(text, rest.size());
    const std::string file = folder.write("cut", cut);
    RepairResult result;
    const auto refused =
        error_of([&] { result = repair(file, {.output = folder / "data.3.json", .overwrite = true}); });
    if (refused) {
      EXPECT_EQ(refused->kind(), ErrorKind::bad_input);
      EXPECT_EQ(rest.find("\"phases\":["), std::string::npos) << refused->what();
      EXPECT_EQ(complete, 0U);
      continue;
    }
    std::vector<int> ids = {10, 11, 13};
    ids.resize(complete);
    expect_phases(result, ids);
    EXPECT_EQ(result.whole(), length == content.size());
    EXPECT_EQ(result.cut, length < content.size());
    const bool complete_metadata =
        rest.starts_with(first_metadata.substr(0, 40)) || rest.size() >= text.size() - 1;
    EXPECT_EQ(result.metadata_lost, !complete_metadata);
    const std::size_t after_last =
        complete == 0 ? form.head.size() : text.find(phase_text(ids.back())) + phase_text(0).size() + 1;
    const bool torn = complete < 3 && rest.size() > after_last + (complete == 0 ? 0 : 1);
    EXPECT_EQ(result.torn, torn);
    if (result.torn_phase) {
      EXPECT_EQ(*result.torn_phase, (std::vector{10, 11, 13}[complete]));
    }
    if (result.damage) {
      EXPECT_EQ(*result.damage->byte, rest.size());
    }
  }
}

TEST(Repair, KeepsCompletePhasesOfAnyPrefix) {
  use_memory_for_files();
  for (const Form& form : forms) {
    every_prefix(form, false);
    every_prefix(form, true);
  }
}

TEST(Repair, WritesValidFileOrFailsForAnyChangedByte) {
  use_memory_for_files();
  std::size_t repaired = 0;
  for (const Form& form : forms) {
    const std::vector<std::string> pieces = stream_pieces(form.head, form.tail);
    for (const std::string& content : {joined_pieces(pieces), compressed(pieces)}) {
      const TemporaryFolder folder;
      for (std::size_t at = 0; at < content.size(); ++at) {
        std::string changed = content;
        changed[at] = static_cast<char>(changed[at] ^ std::array{0x01, 0x04, 0x10, 0x20, 0x80}[at % 5]);
        const std::string file = folder.write("changed", changed);
        RepairResult result;
        const auto refused =
            error_of([&] { result = repair(file, {.output = folder / "data.3.json", .overwrite = true}); });
        if (refused) {
          ASSERT_EQ(refused->kind(), ErrorKind::bad_input) << refused->what();
          continue;
        }
        // Such a change may alter values, names and numbers, so only the schema is checked.
        ValidateOptions schema;
        schema.checks.clear();
        const ValidationReport report = validate({{3, result.output}}, schema);
        ASSERT_TRUE(report.valid()) << at << ": " << to_string(report.findings.front()) << "\n" << changed;
        ASSERT_EQ(report.phases, result.phases);
        ++repaired;
      }
    }
  }
  EXPECT_GT(repaired, 1000U);
}

TEST(Repair, ConvertsPartialFileOfKilledProgram) {
  const TemporaryFolder folder;
  std::vector<std::string> pieces = stream_pieces(first_metadata, "");
  pieces[3] = "," + phase_text(14).substr(0, 150);
  folder.write("data.3.json.br.partial", compressed(pieces));
  const RepairResult result = repair(folder / "data.3.json.br.partial");
  EXPECT_EQ(result.output, folder / "data.3.json.br");
  expect_phases(result, {10, 11, 13});
  EXPECT_TRUE(support::TextSource(result.output, data_file_format).compressed());
  EXPECT_TRUE(result.torn);
  EXPECT_FALSE(result.metadata_lost);
  EXPECT_FALSE(result.stream_stays);
  EXPECT_FALSE(folder.has("data.3.json.br.partial"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}),
            1);  // no temporary files remain
}

TEST(Repair, SkipsPhasesThatViolateSchema) {
  const TemporaryFolder folder;
  std::string wrong = phase_text(11);
  wrong.replace(wrong.find("12.5"), 4, "null");
  folder.write("data.3.json.partial",
               first_metadata + phase_text(10) + "," + wrong + "," + phase_text(13) + "]}");
  const RepairResult result = repair(folder / "data.3.json.partial");
  expect_phases(result, {10, 13});
  EXPECT_EQ(result.unreadable_phases, 1U);
  EXPECT_THAT(to_string(result.findings.at(0)), HasSubstr("/phases/1/communications/0/bytes"));
  EXPECT_TRUE(result.stream_stays);
  EXPECT_TRUE(folder.has("data.3.json.partial"));
}

TEST(Repair, KeepsFirstOfPhasesWithSameId) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("cut", first_metadata + phase_text(10) + R"(,{"id":10,"tasks":[]},)" + phase_text(11));
  const RepairResult result = repair(file, {.output = folder / "data.3.json"});
  expect_phases(result, {10, 11});
  EXPECT_EQ(result.repeated_phases, 1U);
}

TEST(Repair, RemovesLostPhasesFromMetadata) {
  const TemporaryFolder folder;
  const std::string head =
      R"({"metadata":{"phases":{"count":9,"identical_to_previous":{"list":[12,14],"range":[[15,16]]},)"
      R"("skipped":{"list":[17],"range":[]}},"rank":3,"type":"LBDatafile"},"phases":[)";
  const std::string file =
      folder.write("cut", head + phase_text(10) + "," + phase_text(11) + "," + phase_text(13));
  const RepairResult result = repair(file, {.output = folder / "data.3.json"});
  expect_phases(result, {10, 11, 13});
  EXPECT_TRUE(result.identical_lost);
  EXPECT_FALSE(result.metadata_lost);
  const PhaseMetadata phases = read({{3, result.output}}).dataset.ranks[0].metadata.phases.value();
  EXPECT_FALSE(phases.count);
  EXPECT_EQ(phases.identical_to_previous.list, std::vector<std::int64_t>{12});
  EXPECT_TRUE(phases.identical_to_previous.range.empty());
  EXPECT_EQ(phases.skipped.list, std::vector<std::int64_t>{17});
}

TEST(Repair, LeavesCompleteFileUnchanged) {
  const TemporaryFolder folder;
  const std::string content = " " + joined_pieces(stream_pieces(first_metadata, "]}")) + "\n";
  const std::string file = folder.write("data.3.json", content);
  const RepairResult result = repair(file, {.overwrite = true});
  EXPECT_TRUE(result.whole());
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.phases, 3U);
  EXPECT_EQ(folder.read("data.3.json"), content);
}

TEST(Repair, ReplacesTruncatedFileOnlyIfAllowed) {
  const TemporaryFolder folder;
  const std::string content = first_metadata + phase_text(10) + ",";
  const std::string file = folder.write("data.3.json", content);
  EXPECT_ERROR(repair(file), usage, "1 of its phases can be kept");
  EXPECT_EQ(folder.read("data.3.json"), content);
  expect_phases(repair(file, {.overwrite = true}), {10});
}

TEST(Repair, OverwritesFilesOnlyIfAllowed) {
  const TemporaryFolder folder;
  folder.write("data.3.json", "old");
  const std::string stream = folder.write("data.3.json.partial", first_metadata + phase_text(10));
  EXPECT_ERROR(repair(stream), usage, "already exists");
  EXPECT_ERROR(repair(stream, {.output = folder / "data.3.json"}), usage, "already exists");
  EXPECT_EQ(folder.read("data.3.json"), "old");
  EXPECT_TRUE(folder.has("data.3.json.partial"));
  expect_phases(repair(stream, {.overwrite = true}), {10});
}

TEST(Repair, LeavesPartialFileOfRunningProgramAlone) {
  const TemporaryFolder folder;
  support::OutputFile file(folder / "data.3.json");
  file.write(first_metadata + phase_text(10));
  file.flush();
  EXPECT_ERROR(repair(folder / "data.3.json.partial"), usage, "still being written");
  EXPECT_TRUE(folder.has("data.3.json.partial"));
  expect_phases(repair(folder / "data.3.json.partial", {.output = folder / "data.3.so-far.json"}), {10});
  file.write("]}");
  file.close();
  EXPECT_TRUE(folder.has("data.3.json"));
}

TEST(Repair, RejectsFilesThatAreNotLbData) {
  const TemporaryFolder folder;
  const auto expect_refusal = [&](const std::string& content, const std::string& message) {
    for (const std::string name : {"file", "data.0.json.partial"}) {
      if (content.empty() && name != "file") continue;
      const std::string file = folder.write(name, content);
      EXPECT_ERROR(repair(file, {.output = folder / "out"}), bad_input, message);
      EXPECT_FALSE(folder.has("out"));
    }
  };
  expect_refusal("", "is empty");
  expect_refusal(" \n", "white space");
  expect_refusal("{}", "missing member \"phases\"");
  expect_refusal(R"({"a":1})", "unknown member");
  expect_refusal(R"({"phases":[1,2]})", "/phases/0");
  expect_refusal("[1,2]", "neither");
  expect_refusal("some text, no data at all", "neither");
  expect_refusal(std::string("\x8b\xff\x00\x17\xfe\xdc\xba\x98", 8), "not recognised as an LB data file");
  expect_refusal(R"({"metadata":{"type":"LBStatsfile"},"phases":[)", "LBStatsfile");
  expect_refusal(R"({"phases":[],"type":"LBStatsfile",)", "LBStatsfile");
  EXPECT_ERROR(repair(folder.path(), {.output = folder / "out"}), bad_input, "directory");
  EXPECT_ERROR(repair(folder / "absent", {.output = folder / "out"}), system, "No such file");
}

TEST(Repair, RespectsSizeLimit) {
  const TemporaryFolder folder;
  const std::string stream = folder.write("data.3.json.partial", first_metadata + phase_text(10));
  EXPECT_ERROR(repair(stream, {.limits = {.max_bytes = 300}}), bad_input, "contains more than 300 B");
  EXPECT_TRUE(folder.has("data.3.json.partial"));
  EXPECT_FALSE(folder.has("data.3.json"));
}

TEST(Repair, RepairsDataSetsTruncatedAnywhere) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  std::size_t kept = 0;
  for (const std::string& set : plimsoll::testing::own_and_real(
           {"lb/generated", "lb/phases"}, {"data/lb/nolb-8color-16nodes-11firstphases",
                                           "data/lb/challenging_toy_fewer_tasks", "data/lb/ccm_example"})) {
    for (const RankFile& file : find_rank_files({set})) {
      if (file.rank > 4) break;
      const std::string content = plimsoll::testing::file_content(file.path);
      const Dataset original = read({file}, {.ranks = RankCheck::any}).dataset;
      for (int repeat = 0; repeat < 3; ++repeat) {
        const std::string cut =
            folder.write("cut", content.substr(0, content.size() / 4 + random() % (content.size() * 3 / 4)));
        const RepairResult result = repair(cut, {.output = folder / "out.json", .overwrite = true});
        const Dataset repaired = read({{file.rank, result.output}}, {.ranks = RankCheck::any}).dataset;
        const auto& phases = repaired.ranks[0].phases;
        for (const PhaseRecord& phase : phases) {
          EXPECT_EQ(to_json(phase, RecordTables(repaired)),
                    to_json(*original.ranks[0].find(phase.id), RecordTables(original)));
        }
        ASSERT_EQ(phases.size(), result.phases);
        ASSERT_LE(phases.size(), original.ranks[0].phases.size());
        if (phases.size() < original.ranks[0].phases.size() && result.torn_phase) {
          EXPECT_EQ(*result.torn_phase, original.ranks[0].phases[phases.size()].id);
        }
        kept += phases.size();
      }
    }
  }
  EXPECT_GT(kept, 0U);
}

TEST(Repair, ListsPartialFilesInDirectory) {
  const TemporaryFolder folder;
  for (const char* name : {"b.partial", "a.json.br.partial", "c.json", "a.json.br.pending"})
    folder.write(name, "");
  std::filesystem::create_directory(folder / "d.partial");
  EXPECT_EQ(streams_of_folder(folder.path()),
            (std::vector{folder / "a.json.br.partial", folder / "b.partial"}));
  EXPECT_EQ(repaired_name("x/a.json.br.partial", false), "x/a.json.br");
  EXPECT_EQ(repaired_name("x/a.json.br.partial", true), "x/a.json");
  EXPECT_ERROR(streams_of_folder(folder / "absent"), system, "No such file");
}

}  // namespace
}  // namespace plimsoll::lbdata
