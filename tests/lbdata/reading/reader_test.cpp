#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include <plimsoll/lbdata/reader.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::own_and_real;
using plimsoll::testing::own_path;
using plimsoll::testing::shared_path;
using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Counts {
  std::size_t ranks = 0;
  std::size_t phases = 0;  // number of distinct phase IDs on all ranks
  std::size_t tasks = 0;
  std::size_t migratable = 0;
  std::size_t edges = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};

void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.ranks << " ranks, " << counts.phases << " phases, " << counts.tasks << " tasks, "
       << counts.migratable << " migratable, " << counts.edges << " edges";
}

/// Counts the content of one phase, or of all phases.
Counts count(const Dataset& dataset, std::optional<std::int64_t> only = {}) {
  Counts counts{.ranks = dataset.ranks.size(), .phases = dataset.phase_ids().size()};
  for (const RankData& rank : dataset.ranks) {
    for (const PhaseRecord& phase : rank.phases) {
      if (only && phase.id != *only) continue;
      counts.tasks += phase.tasks.size();
      for (const EntityIndex entity : phase.tasks.entity)
        counts.migratable += dataset.entities.migratable(entity) ? 1U : 0U;
      if (phase.communications) counts.edges += phase.communications->size();
    }
  }
  return counts;
}

Dataset read_folder(const std::string& path) {
  return read(find_rank_files({path})).dataset;
}

Dataset read_set(const std::string& below) {
  return read_folder(shared_path("data/lb/" + below));
}

TEST(Reader, ReadsTestDataSetsCompletely) {
  EXPECT_EQ(count(read_folder(own_path("lb/blocks"))), (Counts{4, 1, 8, 8, 4}));
  EXPECT_EQ(count(read_folder(own_path("lb/generated"))), (Counts{8, 3, 120, 96, 192}));
  const Dataset phases = read_folder(own_path("lb/phases"));
  EXPECT_EQ(count(phases), (Counts{2, 6, 18, 12, 8}));
  EXPECT_EQ(count(phases, 5), (Counts{2, 6, 6, 4, 0}));
  EXPECT_EQ(phases.phase_ids(), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Reader, ReadsRealDataSetsCompletely) {
  PLIMSOLL_NEED_SHARED("data/lb");
  EXPECT_EQ(count(read_set("ccm_example")), (Counts{2, 1, 3, 3, 4}));
  EXPECT_EQ(count(read_set("synthetic-blocks/synthetic-dataset-blocks")), (Counts{4, 1, 9, 9, 8}));
  EXPECT_EQ(count(read_set("synthetic-blocks/synthetic-dataset-blocks-alpha0")), (Counts{4, 1, 9, 9, 8}));
  for (const char* arrangement : {"toy_mem", "toy_mem_README", "toy_mem_optimal"}) {
    EXPECT_EQ(count(read_set(std::string("user-defined-memory-toy-problem/") + arrangement)),
              (Counts{4, 1, 32, 32, 0}));
  }
  EXPECT_EQ(count(read_set("challenging_toy_fewer_tasks")), (Counts{16, 1, 274, 274, 0}));
  EXPECT_EQ(count(read_set("challenging_toy_hundreds_tasks")), (Counts{64, 1, 23709, 23709, 0}));
  EXPECT_EQ(count(read_set("lb_data_file_example.json")), (Counts{1, 1, 9, 1, 1}));
}

TEST(Reader, ReadsBrotliFilesOfVtWithoutBrSuffix) {
  PLIMSOLL_NEED_SHARED("data/lb");
  const Dataset dataset = read_set("nolb-8color-16nodes-11firstphases");
  const Counts phase_1 = count(dataset, 1);
  EXPECT_EQ(phase_1.ranks, 32U);
  EXPECT_EQ(phase_1.phases, 11U);
  EXPECT_EQ(phase_1.migratable, 256U);
  EXPECT_EQ(phase_1.tasks - phase_1.migratable, 224U);
  EXPECT_EQ(dataset.phase_ids(), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(Reader, GivesSameResultWithAnyNumberOfThreads) {
  for (const std::string& path :
       own_and_real({"lb/generated"}, {"data/lb/nolb-8color-16nodes-11firstphases"})) {
    SCOPED_TRACE(path);
    const auto files = find_rank_files({path});
    ReadOptions one;
    one.threads = 1;
    ReadOptions many;
    many.threads = 7;
    const Dataset serial = read(files, one).dataset;
    const Dataset parallel = read(files, many).dataset;
    EXPECT_TRUE(serial == parallel);
    EXPECT_EQ(serial.entities.size(), parallel.entities.size());
    for (EntityIndex i = 0; i < serial.entities.size(); ++i) {
      ASSERT_EQ(serial.entities.number(i), parallel.entities.number(i));
    }
  }
}

TEST(Reader, FindsDanglingReferencesWhileReading) {
  ReadOptions options;
  options.checks = {"dangling-reference"};
  EXPECT_THAT(read(find_rank_files({own_path("lb/phases")}), options).findings, SizeIs(2));
  EXPECT_THAT(read(find_rank_files({own_path("lb/generated")}), options).findings, IsEmpty());
}

TEST(Reader, FindsDanglingReferencesInRealDataSetWhileReading) {
  PLIMSOLL_NEED_SHARED("data/lb");
  ReadOptions options;
  options.checks = {"dangling-reference"};
  EXPECT_THAT(
      read(find_rank_files({shared_path("data/lb/nolb-8color-16nodes-11firstphases")}), options).findings,
      SizeIs(62));
}

const std::string everything = R"({
  "type": "LBDatafile",
  "metadata": {"type": "LBDatafile", "rank": 0, "rank_alpha": 0.5,
    "shared_node": {"id": 1, "size": 2, "rank": 3, "num_nodes": 4},
    "phases": {"count": 5, "skipped": {"list": [3], "range": [[6, 8]]}, "identical_to_previous": {"list": [5], "range": []}},
    "attributes": {"a": 1, "b": [1.50, null]}},
  "phases": [
    {"id": 4, "user_defined": {"note":  "x"},
     "tasks": [
       {"entity": {"type": "object", "id": 262147, "seq_id": 1, "home": 2, "migratable": true, "collection_id": 7, "index": [3, -4]},
        "node": 0, "resource": "cpu", "time": 2, "subphases": [{"id": 1, "time": 0.5}, {"id": 0, "time": 1.5}],
        "user_defined": {"u": {"deep": [true]}}, "attributes": {}},
       {"entity": {"type": "object", "id": 3145740, "home": 0, "migratable": false, "objgroup_id": 786435},
        "node": 1, "resource": "gpu", "time": 1e-6, "subphases": []}],
     "communications": [
       {"type": "WriteShared", "bytes": 9, "messages": 2, "from": {"type": "shared_id", "id": 5}, "to": {"type": "node", "id": 1}},
       {"type": "Mine", "bytes": 1.5, "messages": 1, "from": {"type": "object", "id": 1}, "to": {"type": "object", "id": 262147, "home": 2}}],
     "lb_iterations": [{"id": 1, "tasks": [], "communications": [], "user_defined": {}}]},
    {"id": 9, "tasks": []}]})";

TEST(Reader, KeepsEveryMemberOfSchema) {
  const Dataset dataset = read_text(everything, "file").dataset;
  const RankMetadata& metadata = dataset.ranks[0].metadata;
  EXPECT_EQ(metadata.top_level_type, "LBDatafile");
  EXPECT_EQ(metadata.type, "LBDatafile");
  EXPECT_EQ(metadata.rank, 0);
  EXPECT_EQ(metadata.rank_alpha, 0.5);
  EXPECT_EQ(metadata.shared_node, (SharedNode{1, 2, 3, 4}));
  EXPECT_EQ(metadata.attributes, R"({"a": 1, "b": [1.50, null]})");
  ASSERT_TRUE(metadata.phases);
  EXPECT_EQ(metadata.phases->count, 5);
  EXPECT_THAT(metadata.phases->skipped.list, ElementsAre(3));
  EXPECT_THAT(metadata.phases->skipped.range, ElementsAre(ElementsAre(6, 8)));

  const PhaseRecord& phase = dataset.ranks[0].phases[0];
  EXPECT_EQ(phase.id, 4);
  EXPECT_EQ(phase.user_defined, R"({"note":  "x"})");
  const Tasks& tasks = phase.tasks;
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_THAT(tasks.time_s, ElementsAre(2.0, 1e-6));
  EXPECT_THAT(tasks.node, ElementsAre(0, 1));
  EXPECT_EQ(dataset.resources[tasks.resource[1]], "gpu");
  EXPECT_THAT(tasks.subphase_id, ElementsAre(1, 0));
  EXPECT_THAT(tasks.subphase_time_s, ElementsAre(0.5, 1.5));
  EXPECT_THAT(tasks.subphase_end, ElementsAre(2, 2));
  EXPECT_THAT(tasks.empty_subphases, ElementsAre(1));
  EXPECT_EQ(tasks.user_defined.at(0), R"({"u": {"deep": [true]}})");
  EXPECT_EQ(tasks.user_defined.at(1), "");
  EXPECT_EQ(tasks.attributes.at(0), "{}");

  const EntityTable& entities = dataset.entities;
  const EntityIndex element = tasks.entity[0];
  EXPECT_EQ(entities.number(element).bits, 262147U);
  EXPECT_EQ(entities.seq_id(element).bits, 1U);
  EXPECT_EQ(entities.home(element), 2);
  EXPECT_TRUE(entities.migratable(element));
  EXPECT_EQ(entities.family(element).collection_id.bits, 7U);
  EXPECT_EQ(entities.index(element)[1], -4);
  EXPECT_EQ(entities.family(tasks.entity[1]).objgroup_id.bits, 786435U);

  ASSERT_TRUE(phase.communications);
  const Communications& edges = *phase.communications;
  EXPECT_THAT(edges.bytes, ElementsAre(9.0, 1.5));
  EXPECT_THAT(edges.messages, ElementsAre(2, 1));
  EXPECT_EQ(edges.category[0] + 1, static_cast<int>(CommCategory::WriteShared));
  EXPECT_EQ(dataset.categories[edges.category[1]], "Mine");
  EXPECT_EQ(entities.kind(edges.from[0]), EntityKind::shared_id);
  EXPECT_EQ(entities.kind(edges.to[0]), EntityKind::node);
  EXPECT_FALSE(entities.family(edges.from[1]).has_home);

  ASSERT_TRUE(phase.lb_iterations);
  EXPECT_EQ((*phase.lb_iterations)[0].id, 1);
  EXPECT_TRUE((*phase.lb_iterations)[0].communications);
  EXPECT_FALSE(dataset.ranks[0].phases[1].communications);
}

TEST(Reader, ResolvesElidedPhases) {
  const Dataset dataset = read_text(everything, "file").dataset;
  const RankData& rank = dataset.ranks[0];
  EXPECT_EQ(rank.resolve(4).state, PhaseState::recorded);
  EXPECT_EQ(rank.resolve(5).state, PhaseState::identical);
  EXPECT_EQ(rank.resolve(5).record, &rank.phases[0]);
  EXPECT_EQ(rank.resolve(7).state, PhaseState::skipped);
  EXPECT_EQ(rank.resolve(7).record, nullptr);
  EXPECT_EQ(rank.resolve(9).record->tasks.size(), 0U);
  EXPECT_EQ(rank.resolve(10).state, PhaseState::absent);
  EXPECT_EQ(dataset.phase_ids(), (std::vector<std::int64_t>{3, 4, 5, 6, 7, 8, 9}));
}

TEST(Reader, KeepsOnlySelectedPhases) {
  ReadOptions options;
  options.phases = PhaseSelection::parse("6-20");
  EXPECT_THAT(read_text(everything, "file", options).dataset.ranks[0].phases, SizeIs(1));
}

// Phase 2 is identical to phase 1, and the metadata may follow the phases.
TEST(Reader, KeepsPhaseToWhichSelectedPhaseIsIdentical) {
  const std::string metadata =
      R"("metadata":{"type":"LBDatafile","phases":{"identical_to_previous":{"list":[2],"range":[[6,8]]},)"
      R"("skipped":{"list":[],"range":[]}}})";
  const std::string phases =
      R"("phases":[{"id":0,"tasks":[]},{"id":1,"tasks":[]},{"id":3,"tasks":[]},{"id":5,"tasks":[]}])";
  for (const std::string& text : {"{" + metadata + "," + phases + "}", "{" + phases + "," + metadata + "}"}) {
    const auto kept = [&](const char* selection) {
      std::vector<std::int64_t> ids;
      const Dataset dataset = read_text(text, "file", {.phases = PhaseSelection::parse(selection)}).dataset;
      for (const PhaseRecord& record : dataset.ranks[0].phases) ids.push_back(record.id);
      return ids;
    };
    EXPECT_THAT(kept("0,2"), ElementsAre(0, 1));
    EXPECT_THAT(kept("2"), ElementsAre(1));
    EXPECT_THAT(kept("7"), ElementsAre(5));
    EXPECT_THAT(kept("0,3"), ElementsAre(0, 3));
    EXPECT_THAT(kept("1-2"), ElementsAre(1));
  }
  // Without identical phases, only selected ones are kept.
  const ReadResult other = read_text("{\"type\":\"LBDatafile\"," + phases + "}", "file",
                                     {.phases = PhaseSelection::parse("2,4,9")});
  EXPECT_THAT(other.dataset.ranks[0].phases, IsEmpty());
}

TEST(Reader, ReportsErrorsWithPosition) {
  EXPECT_ERROR(read_text("{\"type\":\"LBDatafile\",\n\"phases\":[{\"id\":0}]}", "f.json"), bad_input,
               "f.json:2 (byte 32): /phases/0: missing member \"tasks\"");
  EXPECT_ERROR(read_text("{\"phases\":[", "f.json"), bad_input, "the text ends");
  EXPECT_ERROR(read_text("[]", "f.json"), bad_input, "f.json");
  EXPECT_ERROR(read_text("{\"type\":\"LBStatsfile\",\"phases\":[]}", "f.json"), bad_input, "LBStatsfile");
  EXPECT_ERROR(
      read_text(R"({"type":"LBDatafile","phases":[{"id":1,"tasks":[]},{"id":1,"tasks":[]}]})", "f.json"),
      bad_input, "phase 1 appears twice");
  EXPECT_ERROR(read_text(R"({"type":"LBDatafile","phases":[],"phases":[]})", "f.json"), bad_input, "/phases");
}

TEST(Reader, ReportsInconsistentFiles) {
  const TemporaryFolder folder;
  folder.write(
      "data.0.json",
      R"({"metadata":{"type":"LBDatafile","rank":0},"phases":[{"id":0,"tasks":[]},{"id":7,"tasks":[]}]})");
  folder.write("data.1.json",
               R"({"metadata":{"type":"LBDatafile","rank":0},"phases":[{"id":7,"tasks":[]}]})");
  const ReadResult result = read(find_rank_files({folder.path()}));
  ASSERT_THAT(result.findings, SizeIs(2));
  EXPECT_THAT(result.findings[0].what, HasSubstr("rank 0"));
  EXPECT_EQ(result.findings[0].file, folder / "data.1.json");
  EXPECT_EQ(to_string(result.findings[1]), "some ranks have no data for 1 phase: 0 [complete-set]");
}

/// Writes the file of a rank on a node, with one phase.
void write_rank(const TemporaryFolder& folder, int rank, const SharedNode& node) {
  folder.write(
      fmt::format("data.{}.json", rank),
      fmt::format(R"({{"metadata":{{"type":"LBDatafile","rank":{},"shared_node":{{"id":{},"size":{},)"
                  R"("rank":{},"num_nodes":{}}}}},"phases":[{{"id":0,"tasks":[]}}]}})",
                  rank, node.id, node.size, node.rank, node.num_nodes));
}

TEST(Reader, ReportsMissingLastRank) {
  const TemporaryFolder folder;
  for (const int rank : {0, 1, 2}) write_rank(folder, rank, {.size = 4, .rank = rank, .num_nodes = 1});
  const std::vector<RankFile> files = find_rank_files({folder.path()});
  EXPECT_ERROR(read(files), bad_input,
               folder.path() +
                   ": the data set has 3 files, but its metadata (shared_node) specify 4 ranks "
                   "[complete-set]; add the missing files, or use --expected-ranks 3");
  EXPECT_EQ(read(files, {.ranks = RankCheck::any}).dataset.ranks.size(), 3U);
  EXPECT_EQ(read(files, {.expected_ranks = 3}).dataset.ranks.size(), 3U);
  EXPECT_ERROR(read(files, {.expected_ranks = 4}), bad_input, "has 3 files, but 4 ranks are expected");
  EXPECT_ERROR(read(files, {.expected_ranks = 2}), bad_input, "has 3 files, but 2 ranks are expected");
  write_rank(folder, 3, {.size = 4, .rank = 3, .num_nodes = 1});
  EXPECT_EQ(read(find_rank_files({folder.path()})).dataset.ranks.size(), 4U);
}

TEST(Reader, ReportsMissingNode) {
  const TemporaryFolder folder;
  write_rank(folder, 0, {.id = 0, .size = 2, .rank = 0, .num_nodes = 3});
  write_rank(folder, 1, {.id = 0, .size = 2, .rank = 1, .num_nodes = 3});
  write_rank(folder, 2, {.id = 1, .size = 1, .rank = 0, .num_nodes = 3});
  EXPECT_ERROR(read(find_rank_files({folder.path()})), bad_input, "specify at least 4 ranks");
}

TEST(Reader, IgnoresImpossibleNodes) {
  const TemporaryFolder folder;
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  write_rank(folder, 0, {.id = 0, .size = huge, .num_nodes = 1});
  write_rank(folder, 1, {.id = 0, .size = -1, .num_nodes = 1});
  write_rank(folder, 2, {.id = huge, .size = 1, .num_nodes = huge});
  EXPECT_EQ(read(find_rank_files({folder.path()})).dataset.ranks.size(), 3U);
}

TEST(Reader, MentionsContradictoryListsOfPhases) {
  const std::string text =
      R"({"metadata":{"type":"LBDatafile","phases":{"identical_to_previous":{"list":[],"range":[]},)"
      R"("skipped":{"list":[0],"range":[[5,2]]}}},"phases":[{"id":0,"tasks":[]},{"id":1,"tasks":[]}]})";
  for (const char* selection : {"0-9", "1"}) {
    const ReadResult result = read_text(text, "file", {.phases = PhaseSelection::parse(selection)});
    ASSERT_THAT(result.findings, SizeIs(2));
    EXPECT_EQ(result.findings[0].what, "phase 0 is listed under skipped, but the file contains it");
    EXPECT_EQ(result.findings[1].what, "invalid range: expected a first and a last phase");
    EXPECT_EQ(result.findings[1].severity, Severity::warning);
  }
}

TEST(Reader, OmitsOnlyPlaceholdersWithoutLoad) {
  // 2^63 - 1 has the bits of the placeholder of rank 65,535, but here it is the ID of an object.
  const auto n_tasks = [](std::int32_t home, double time_s) {
    const std::string text = fmt::format(
        R"({{"metadata":{{"type":"LBDatafile"}},"phases":[{{"id":0,"tasks":[{{"entity":{{"type":"object",)"
        R"("home":{},"id":{},"migratable":true}},"node":0,"resource":"cpu","time":{:.1f}}}]}}]}})",
        home, std::numeric_limits<std::int64_t>::max(), time_s);
    return read_text(text, "file").dataset.ranks.at(0).phases.at(0).tasks.size();
  };
  EXPECT_EQ(n_tasks(65'535, 0), 0U);
  EXPECT_EQ(n_tasks(65'535, 5), 1U);
  EXPECT_EQ(n_tasks(0, 0), 1U);
}

}  // namespace
}  // namespace plimsoll::lbdata
