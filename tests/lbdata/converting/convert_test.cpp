#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include <plimsoll/lbdata/converter.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;

Dataset data_of(const std::string& path) {
  return read(find_rank_files({path})).dataset;
}

/// Converts data sets to DIR/NAME, and returns the result as read back.
Dataset converted(const std::vector<std::string>& inputs, const ConvertOptions& options,
                  const std::string& folder, bool compress = true) {
  convert(inputs, options, folder, "data", {.compress = compress});
  EXPECT_TRUE(validate(find_rank_files({folder})).valid());
  return data_of(folder);
}

/// Returns the data without the lists of phases in the metadata.
Dataset without_lists(Dataset dataset) {
  for (RankData& rank : dataset.ranks) {
    rank.metadata.phases.reset();
    rank.metadata.present = false;
    rank.metadata.type.reset();
  }
  return dataset;
}

/// Tests conversions there and back over all data sets.
class ThereAndBack : public ::testing::TestWithParam<std::string> {};

TEST_P(ThereAndBack, CompressionKeepsData) {
  const Dataset original = data_of(GetParam());
  const TemporaryFolder folder;
  EXPECT_TRUE(converted({GetParam()}, {}, folder / "compressed", true) == original);
  EXPECT_TRUE(converted({folder / "compressed"}, {}, folder / "plain", false) == original);
  EXPECT_TRUE(folder.has("plain/data.0.json"));
}

TEST_P(ThereAndBack, ElidingAndExpandingKeepsPhases) {
  const Dataset original = data_of(GetParam());
  const TemporaryFolder folder;
  const Dataset expanded =
      converted({GetParam()}, {.identical = IdenticalPhases::expanded}, folder / "expanded");
  const Dataset elided =
      converted({folder / "expanded"}, {.identical = IdenticalPhases::elided}, folder / "elided");
  EXPECT_TRUE(converted({folder / "elided"}, {.identical = IdenticalPhases::expanded}, folder / "again") ==
              expanded);
  for (std::size_t rank = 0; rank < original.ranks.size(); ++rank)
    for (const std::int64_t phase : original.phase_ids()) {
      const PhaseRecord* before = original.ranks[rank].resolve(phase).record;
      const PhaseRecord* after = expanded.ranks[rank].resolve(phase).record;
      const PhaseRecord* shorter = elided.ranks[rank].resolve(phase).record;
      ASSERT_EQ(before == nullptr, after == nullptr) << phase;
      ASSERT_EQ(before == nullptr, shorter == nullptr) << phase;
      if (before == nullptr) continue;
      EXPECT_EQ(after->id, phase);
      EXPECT_EQ(before->tasks.time_s, after->tasks.time_s);
      EXPECT_EQ(before->tasks.time_s, shorter->tasks.time_s);
    }
}

TEST_P(ThereAndBack, MergingSelectedPhasesGivesAllPhases) {
  const Dataset original = data_of(GetParam());
  const TemporaryFolder folder;
  const Dataset first = converted({GetParam()}, {.phases = PhaseSelection::parse("0")}, folder / "first");
  EXPECT_EQ(phase_coverage(first).complete, std::vector<std::int64_t>{0});
  if (original.phase_ids().size() == 1) return;
  converted({GetParam()}, {.phases = PhaseSelection::parse("1-100")}, folder / "rest");
  EXPECT_TRUE(without_lists(converted({folder / "first", folder / "rest"}, {.merge = true},
                                      folder / "all")) == without_lists(original));
}

/// Returns the data as one file: all tasks and edges on rank 0.
Dataset in_one_file(const Dataset& dataset) {
  Dataset whole = dataset;
  whole.ranks.resize(1);
  for (const RankData& rank : std::span(dataset.ranks).subspan(1))
    for (const PhaseRecord& phase : rank.phases) {
      PhaseRecord* into = whole.ranks[0].find(phase.id);
      for (std::size_t task = 0; task < phase.tasks.size(); ++task) into->tasks.append(phase.tasks, task);
      if (!phase.communications) continue;
      if (!into->communications) into->communications.emplace();
      for (std::size_t edge = 0; edge < phase.communications->size(); ++edge)
        into->communications->append(*phase.communications, edge);
    }
  return whole;
}

/// Returns the tasks of all phases of a rank as text.
std::vector<std::string> task_texts(const Dataset& dataset, std::size_t rank) {
  std::vector<std::string> texts;
  for (PhaseRecord phase : dataset.ranks[rank].phases) {
    phase.communications.reset();
    phase.user_defined.reset();
    texts.push_back(to_json(phase, RecordTables(dataset)));
  }
  return texts;
}

/// Returns the edges of all ranks, sorted: phase, sender, receiver, bytes and messages.
auto sorted_edges(const Dataset& dataset) {
  std::multiset<std::tuple<std::int64_t, std::string, std::string, double, std::int64_t>> edges;
  for (const RankData& rank : dataset.ranks)
    for (const PhaseRecord& phase : rank.phases)
      for (std::size_t k = 0; phase.communications && k < phase.communications->size(); ++k) {
        const Communications& list = *phase.communications;
        edges.emplace(phase.id, to_string(dataset.entities.number(list.from[k])),
                      to_string(dataset.entities.number(list.to[k])), list.bytes[k], list.messages[k]);
      }
  return edges;
}

TEST_P(ThereAndBack, SplittingAFileOfAllTasksGivesThoseOfEachRank) {
  const Dataset original = data_of(GetParam());
  const TemporaryFolder folder;
  write(in_one_file(original), folder / "one", "data");
  ConvertOptions options;
  options.split_ranks = static_cast<std::int64_t>(original.ranks.size());
  const Dataset split = converted({folder / "one/data.0.json.br"}, options, folder / "split");
  ASSERT_EQ(split.ranks.size(), original.ranks.size());
  for (std::size_t rank = 0; rank < original.ranks.size(); ++rank) {
    EXPECT_EQ(task_texts(split, rank), task_texts(original, rank)) << rank;
    EXPECT_EQ(split.ranks[rank].metadata.rank, rank);
  }
  EXPECT_EQ(sorted_edges(split), sorted_edges(original));
}

TEST_P(ThereAndBack, RenumberingKeepsOrderOfObjectsAndEdges) {
  const Dataset original = data_of(GetParam());
  const TemporaryFolder folder;
  const Dataset renumbered = converted({GetParam()}, {.renumber = true}, folder / "renumbered");
  EXPECT_TRUE(converted({folder / "renumbered"}, {.renumber = true}, folder / "again") == renumbered);
  std::map<std::uint64_t, std::uint64_t> new_number;
  for (std::size_t rank = 0; rank < original.ranks.size(); ++rank)
    for (std::size_t k = 0; k < original.ranks[rank].phases.size(); ++k) {
      const PhaseRecord& before = original.ranks[rank].phases[k];
      const PhaseRecord& after = renumbered.ranks[rank].phases[k];
      EXPECT_EQ(before.tasks.time_s, after.tasks.time_s);
      const auto compare = [&](const std::vector<EntityIndex>& old_ones,
                               const std::vector<EntityIndex>& new_ones) {
        for (std::size_t row = 0; row < old_ones.size(); ++row) {
          if (original.entities.kind(old_ones[row]) != EntityKind::object) continue;
          const std::uint64_t number = renumbered.entities.number(new_ones[row]).bits;
          const auto known = new_number.emplace(original.entities.number(old_ones[row]).bits, number).first;
          EXPECT_EQ(known->second, number);
        }
      };
      compare(before.tasks.entity, after.tasks.entity);
      if (!before.communications) continue;
      compare(before.communications->from, after.communications->from);
      compare(before.communications->to, after.communications->to);
    }
  std::uint64_t next = 0;  // the numbers are dense and in the order of the earlier ones
  for (const auto& [before, after] : new_number) EXPECT_EQ(after, next++);
}

INSTANTIATE_TEST_SUITE_P(
    Sets, ThereAndBack,
    ::testing::ValuesIn(plimsoll::testing::own_and_real(
        {"lb/blocks", "lb/generated", "lb/phases"},
        {"data/lb/ccm_example", "data/lb/synthetic-blocks/synthetic-dataset-blocks",
         "data/lb/user-defined-memory-toy-problem/toy_mem", "data/lb/challenging_toy_fewer_tasks",
         "data/lb/nolb-8color-16nodes-11firstphases", "data/lb/lb_data_file_example.json"})));

constexpr const char* only_task =
    R"({"entity":{"collection_id":7,"home":0,"id":262147,"migratable":true,"type":"object"},"node":0,)"
    R"("resource":"cpu","time":1.0})";

/// Returns the text of a file of rank 0 with these phases; each has one task and a value.
std::string file_text(const std::string& lists, const std::vector<std::pair<int, std::string>>& phases) {
  std::string text = R"({"metadata":{"phases":{)" + lists + R"(},"rank":0,"type":"LBDatafile"},"phases":[)";
  for (const auto& [id, value] : phases) {
    if (text.back() == '}') text += ',';
    text += R"({"id":)" + std::to_string(id) + R"(,"tasks":[)" + only_task + R"(],"user_defined":{"run":)" +
            value + "}}";
  }
  return text + "]}";
}

constexpr const char* empty_lists =
    R"("identical_to_previous":{"list":[],"range":[]},"skipped":{"list":[],"range":[]})";

/// Converts a text of rank 0, and returns the written text.
std::string converted_text(const std::string& text, const ConvertOptions& options) {
  const TemporaryFolder folder;
  convert({folder.write("in.0.json", text)}, options, folder / "out", "data", {.compress = false});
  return folder.read("out/data.0.json");
}

TEST(Convert, ExpandsAndElidesIdenticalPhases) {
  const std::string listed =
      file_text(R"("identical_to_previous":{"list":[5],"range":[[1,2]]},"skipped":{"list":[3],"range":[]})",
                {{0, "1"}, {4, "2"}});
  const std::string full =
      file_text(R"("identical_to_previous":{"list":[],"range":[]},"skipped":{"list":[3],"range":[]})",
                {{0, "1"}, {1, "1"}, {2, "1"}, {4, "2"}, {5, "2"}});
  EXPECT_EQ(converted_text(listed, {.identical = IdenticalPhases::expanded}), full);
  EXPECT_EQ(converted_text(full, {.identical = IdenticalPhases::elided}), listed);
  EXPECT_EQ(converted_text(listed, {}), listed);
}

TEST(Convert, KeepsContentOfSelectedPhasesThatAreListedAsIdentical) {
  const std::string listed = file_text(
      R"("count":6,"identical_to_previous":{"list":[5],"range":[[1,3]]},"skipped":{"list":[],"range":[]})",
      {{0, "1"}, {4, "2"}});
  EXPECT_EQ(converted_text(listed, {.phases = PhaseSelection::parse("2-4"), .phase_offset = 10}),
            file_text(R"("count":6,"identical_to_previous":{"list":[13],"range":[]},)"
                      R"("skipped":{"list":[15],"range":[[10,11]]})",
                      {{12, "1"}, {14, "2"}}));
}

TEST(Convert, OmitsSkippedPhasesThatAnOffsetMakesNegative) {
  const std::string text = file_text(empty_lists, {{0, "1"}, {1, "2"}, {2, "3"}, {3, "4"}});
  EXPECT_EQ(converted_text(text, {.phases = PhaseSelection::parse("2"), .phase_offset = -1}),
            file_text(R"("identical_to_previous":{"list":[],"range":[]},"skipped":{"list":[0,2],"range":[]})",
                      {{1, "3"}}));
}

TEST(Convert, LaterRunReplacesPhasesOfEarlierRuns) {
  const TemporaryFolder folder;
  folder.write("first.0.json", file_text(R"("identical_to_previous":{"list":[],"range":[[1,2]]},)"
                                         R"("skipped":{"list":[4],"range":[]})",
                                         {{0, "1"}, {3, "1"}, {5, "1"}}));
  folder.write("second.0.json", file_text(empty_lists, {{2, "2"}, {3, "2"}}));
  folder.write("third.0.json", file_text(R"("identical_to_previous":{"list":[5],"range":[]},)"
                                         R"("skipped":{"list":[],"range":[]})",
                                         {{4, "3"}}));
  const ConvertResult result = convert({folder / "first", folder / "second", folder / "third"},
                                       {.merge = true}, folder / "out", "data", {.compress = false});
  EXPECT_EQ(folder.read("out/data.0.json"),
            file_text(R"("identical_to_previous":{"list":[1,5],"range":[]},"skipped":{"list":[],"range":[]})",
                      {{0, "1"}, {2, "2"}, {3, "2"}, {4, "3"}}));
  EXPECT_EQ(result.phases, 6U);
  ASSERT_EQ(result.runs.size(), 3U);
  EXPECT_EQ(result.runs[0].phases, (PhaseRange{0, 1}));
  EXPECT_EQ(result.runs[0].replaced, (PhaseRange{2, 5}));
  EXPECT_EQ(result.runs[1].phases, (PhaseRange{2, 3}));
  EXPECT_EQ(result.runs[1].replaced, std::nullopt);
}

TEST(Convert, RejectsRunsThatDoNotContinue) {
  const TemporaryFolder folder;
  folder.write("first.0.json", file_text(empty_lists, {{0, "1"}, {1, "1"}}));
  folder.write("again.0.json", file_text(empty_lists, {{0, "2"}}));
  folder.write("empty.0.json", file_text(empty_lists, {}));
  folder.write("two.0.json", file_text(empty_lists, {{2, "1"}}));
  folder.write("two.1.json", file_text(empty_lists, {{2, "1"}}));
  const auto merge = [&](const std::string& next) {
    convert({folder / "first", folder / next}, {.merge = true}, folder / "out", "data");
  };
  EXPECT_ERROR(merge("again"), bad_input, "again: begins at phase 0, but");
  EXPECT_ERROR(merge("empty"), bad_input, "empty: the run contains no phases");
  EXPECT_ERROR(merge("two"), bad_input, "has 2 ranks, but");
  EXPECT_ERROR(convert({folder / "first"}, {.merge = true}, folder / "out", "data"), usage,
               "only one run to merge");
  EXPECT_FALSE(folder.has("out"));
}

TEST(Convert, RejectsTasksOfRanksThatDoNotExist) {
  const TemporaryFolder folder;
  std::string text = file_text(empty_lists, {{3, "1"}});
  text.replace(text.find(R"("node":0)"), 8, R"("node":4)");
  const std::string file = folder.write("all.json", text);
  const auto split = [&](std::int64_t ranks) {
    ConvertOptions options;
    options.split_ranks = ranks;
    convert({file}, options, folder / "out", "data");
  };
  EXPECT_ERROR(split(4), bad_input,
               "all.json: object 262147 ran on rank 4 in phase 3: must be between 0 and 3");
  EXPECT_ERROR(split(0), usage, "invalid number of ranks 0: must be between 1 and 1000000");
  EXPECT_FALSE(folder.has("out"));
  split(5);
  EXPECT_EQ(data_of(folder / "out").ranks[4].phases[0].tasks.size(), 1U);
}

TEST(Convert, EncodesIdsAsVtDoes) {
  const std::string text =
      R"({"metadata":{"type":"LBDatafile"},"phases":[{"communications":[{"bytes":1.0,"from":{"seq_id":5,)"
      R"("type":"object"},"messages":1,"to":{"id":1,"type":"node"},"type":"CollectionToNode"}],"id":0,"tasks":[)"
      R"({"entity":{"collection_id":7,"home":2,"migratable":true,"seq_id":5,"type":"object"},"node":0,)"
      R"("resource":"cpu","time":1.0},)"
      R"({"entity":{"collection_id":7,"home":1,"migratable":false,"seq_id":6,"type":"object"},"node":0,)"
      R"("resource":"cpu","time":1.0},)"
      R"({"entity":{"home":0,"migratable":false,"seq_id":9,"type":"object"},"node":0,"resource":"cpu",)"
      R"("time":1.0},)"
      R"({"entity":{"home":0,"id":1,"migratable":false,"type":"object"},"node":0,"resource":"cpu","time":1.0}]}]})";
  // Element 5 of home 2 is 5 * 2^18 + 2 * 4 + 3, the fixed element 6 of home 1 is 6 * 2^18 + 1 * 4 + 2.
  EXPECT_EQ(
      converted_text(text, {.encode_ids = true}),
      R"({"metadata":{"type":"LBDatafile"},"phases":[{"communications":[{"bytes":1.0,"from":{"id":1310731,)"
      R"("seq_id":5,"type":"object"},"messages":1,"to":{"id":1,"type":"node"},"type":"CollectionToNode"}],"id":0,)"
      R"("tasks":[{"entity":{"collection_id":7,"home":2,"id":1310731,"migratable":true,"seq_id":5,)"
      R"("type":"object"},"node":0,"resource":"cpu","time":1.0},)"
      R"({"entity":{"collection_id":7,"home":1,"id":1572870,"migratable":false,"seq_id":6,"type":"object"},)"
      R"("node":0,"resource":"cpu","time":1.0},)"
      R"({"entity":{"home":0,"id":9,"migratable":false,"seq_id":9,"type":"object"},"node":0,"resource":"cpu",)"
      R"("time":1.0},)"
      R"({"entity":{"home":0,"id":1,"migratable":false,"type":"object"},"node":0,"resource":"cpu","time":1.0}]}]})");
}

TEST(Convert, RejectsIdsThatCannotBeEncoded) {
  const auto encode = [](const std::string& tasks) {
    std::string text = R"({"metadata":{"type":"LBDatafile"},"phases":[{"id":0,"tasks":[)";
    converted_text(text + tasks + "]}]}", {.encode_ids = true});
  };
  const auto entity = [](const std::string& home, const std::string& number) {
    return R"({"entity":{"collection_id":7,"home":)" + home + R"(,"migratable":true,)" + number +
           R"(,"type":"object"},"node":0,"resource":"cpu","time":1.0})";
  };
  EXPECT_ERROR(encode(entity("0", R"("seq_id":-1)")), bad_input, "id of object -1: a number is negative");
  EXPECT_ERROR(encode(entity("65536", R"("seq_id":1)")), bad_input, "id of object 1: rank 65536 exceeds");
  EXPECT_ERROR(encode(entity("0", R"("seq_id":70368744177664)")), bad_input, "exceeds the 46 bits");
  EXPECT_ERROR(encode(entity("0", R"("seq_id":1)") + "," + entity("1", R"("seq_id":1)")), bad_input,
               "id of object 1: its descriptions differ");
  EXPECT_ERROR(encode(entity("0", R"("seq_id":1)") + "," + entity("0", R"("id":262147)")), bad_input,
               "objects 1 and 262147 would have the same id 262147");
}

TEST(Convert, RenumbersEndsOfEdgesThatHaveNoCollection) {
  const std::string text =
      R"({"phases":[{"communications":[{"bytes":1.0,"from":{"home":0,"id":524291,"migratable":true,"type":"object"},)"
      R"("messages":1,"to":{"home":0,"id":99,"migratable":true,"type":"object"},"type":"SendRecv"}],"id":0,"tasks":[)"
      R"({"entity":{"collection_id":15,"home":0,"id":524291,"migratable":true,"type":"object"},"node":0,)"
      R"("resource":"cpu","time":1.0}]}],"type":"LBDatafile"})";
  // The object 99 has no task, and thus gets the first collection.
  EXPECT_EQ(
      converted_text(text, {.renumber = true}),
      R"({"phases":[{"communications":[{"bytes":1.0,"from":{"collection_id":15,"home":0,"migratable":true,)"
      R"("seq_id":1,"type":"object"},"messages":1,"to":{"collection_id":7,"home":0,"migratable":true,)"
      R"("seq_id":0,"type":"object"},"type":"SendRecv"}],"id":0,"tasks":[)"
      R"({"entity":{"collection_id":15,"home":0,"migratable":true,"seq_id":1,"type":"object"},"node":0,)"
      R"("resource":"cpu","time":1.0}]}],"type":"LBDatafile"})");
}

TEST(Convert, BoundsTheSizeOfExpandedFiles) {
  const std::string text = file_text(
      R"("identical_to_previous":{"list":[],"range":[[1,999999]]},"skipped":{"list":[],"range":[]})",
      {{0, "1"}});
  ConvertOptions options{.identical = IdenticalPhases::expanded};
  options.limits.max_bytes = 100'000'000;
  EXPECT_ERROR(converted_text(text, options), bad_input,
               "the identical phases, written in full, exceed the limit of 95.4 MiB");
}

TEST(Convert, RejectsSelectionAndOffsetWithoutPhases) {
  const std::string text = file_text(empty_lists, {{1, "1"}});
  EXPECT_ERROR(converted_text(text, {.phases = PhaseSelection::parse("2-9")}), usage,
               "the data set contains none of the selected phases");
  EXPECT_ERROR(converted_text(text, {.phase_offset = -2}), bad_input, "phase 1 cannot be renumbered by -2");
  EXPECT_ERROR(converted_text(text, {.phase_offset = std::numeric_limits<std::int64_t>::max()}), bad_input,
               "phase 1 cannot be renumbered by");
}

TEST(Convert, ReplacesItsOwnInputOnRequest) {
  const TemporaryFolder folder;
  const std::string path = plimsoll::testing::own_path("lb/phases");
  convert({path}, {}, folder / "data", "data", {.compress = false});
  convert({folder / "data"}, {}, folder / "data", "data", {.overwrite = true});
  EXPECT_FALSE(folder.has("data/data.0.json"));
  EXPECT_TRUE(data_of(folder / "data") == data_of(path));
  EXPECT_ERROR(convert({path}, {}, folder / "data", "data"), usage, "already contains a data set");
}

}  // namespace
}  // namespace plimsoll::lbdata
