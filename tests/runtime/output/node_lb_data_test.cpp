#include <gtest/gtest.h>

#include <filesystem>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

lbdata::EntityIndex object(NodeLBData& data, std::uint64_t number) {
  const lbdata::WideInteger collection{7};
  return data.entities().intern({.id = lbdata::WideInteger{number << 18 | 3},
                                 .collection_id = collection,
                                 .home = 0,
                                 .migratable = true});
}

lbdata::PhaseRecord phase(NodeLBData& data, std::int64_t id, const std::vector<std::uint64_t>& objects) {
  lbdata::PhaseRecord record;
  record.id = id;
  for (const std::uint64_t number : objects) {
    record.tasks.entity.push_back(object(data, number));
    record.tasks.time_s.push_back(static_cast<double>(number) + static_cast<double>(id) / 1024);
    record.tasks.node.push_back(0);
    record.tasks.resource.push_back(data.cpu());
    record.tasks.subphase_end.push_back(0);
  }
  return record;
}

class NodeLBDataFiles : public ::testing::Test {
 protected:
  Settings settings() const {
    Settings result;
    result.lb_data = true;
    result.lb_data_dir = folder.path();
    return result;
  }
  lbdata::Dataset read(const std::string& path) const {
    const lbdata::ValidationReport report = lbdata::validate({{0, path}});
    for (const Diagnostic& finding : report.findings) ADD_FAILURE() << finding.what;
    return lbdata::read({{0, path}}).dataset;
  }
  static std::vector<std::int64_t> ids(const lbdata::Dataset& dataset) {
    std::vector<std::int64_t> result;
    for (const lbdata::PhaseRecord& record : dataset.ranks[0].phases) result.push_back(record.id);
    return result;
  }

  TemporaryFolder folder;
};

TEST_F(NodeLBDataFiles, HaveNamesOfVt) {
  const auto path_of = [&](const std::string& name, bool compress, int rank) {
    Settings its = settings();
    its.lb_data_file = name;
    its.lb_data_compress = compress;
    return std::filesystem::path(NodeLBData(its, {.rank = rank}).path()).filename().string();
  };
  EXPECT_EQ(path_of("data.%p.json", true, 3), "data.3.json.br");
  EXPECT_EQ(path_of("data.%p.json", false, 12), "data.12.json");
  EXPECT_EQ(path_of("x.json", false, 0), "x.json0");
  EXPECT_EQ(path_of("x.json", true, 0), "x.json0.br");
  EXPECT_EQ(path_of("%p.%p.br", true, 1), "1.%p.br");
  EXPECT_EQ(NodeLBData(Settings{}, {}).path(), "");
}

TEST_F(NodeLBDataFiles, HaveOneWriterAtATime) {
  Settings its = settings();
  its.lb_data_overwrite = true;
  NodeLBData first(its, {});
  EXPECT_ERROR(NodeLBData(its, {}), usage, "another recorder of this program writes this file");
  const NodeLBData of_another_rank(its, {.rank = 1});
  first.close();
  const NodeLBData second(its, {});
}

TEST_F(NodeLBDataFiles, ContainEveryPhaseAndAreValid) {
  for (const bool threads : {true, false}) {
    Settings its = settings();
    its.lb_data_overwrite = true;
    NodeLBData data(its,
                    {.rank = 0, .shared_node = {.size = 1, .num_nodes = 1}, .may_have_threads = threads});
    const std::string path = data.path();
    data.set_attributes(R"({"site":"here"})");
    for (std::int64_t id = 0; id < 10; ++id) data.write(data.add(phase(data, id, {1, 2, 3})));
    data.close();
    const lbdata::Dataset dataset = read(path);
    EXPECT_EQ(dataset.ranks[0].phases.size(), 10U);
    EXPECT_EQ(dataset.ranks[0].metadata.attributes, R"({"site":"here"})");
    EXPECT_EQ(dataset.ranks[0].metadata.rank, 0);
    ASSERT_TRUE(dataset.ranks[0].metadata.shared_node);
    EXPECT_EQ(dataset.ranks[0].metadata.shared_node->num_nodes, 1);
    EXPECT_EQ(dataset.ranks[0].phases[4].tasks.time_s[1], 2 + 4.0 / 1024);
  }
}

TEST_F(NodeLBDataFiles, AreValidWithoutPhases) {
  NodeLBData data(settings(), {.shared_node = {.size = 1, .num_nodes = 1}});
  const std::string path = data.path();
  data.close();
  EXPECT_TRUE(read(path).ranks[0].phases.empty());
}

// Test vector of vt's specification files (docs/reference/lb-data-files.md).
TEST_F(NodeLBDataFiles, ListPhasesThatSpecificationSkips) {
  NodeLBData data(settings(), {.shared_node = {.size = 1, .num_nodes = 1}},
                  lbdata::PhaseSpecification::parse("0 0 2\n%5 -1 1\n", "spec"));
  const std::string path = data.path();
  for (std::int64_t id = 0; id < 10; ++id) data.write(data.add(phase(data, id, {1})));
  data.close();
  const lbdata::Dataset dataset = read(path);
  EXPECT_THAT(ids(dataset), ElementsAre(0, 1, 2, 4, 5, 6, 9));
  ASSERT_TRUE(dataset.ranks[0].metadata.phases);
  const lbdata::PhaseNumbers& skipped = dataset.ranks[0].metadata.phases->skipped;
  EXPECT_THAT(skipped.list, ElementsAre(3));
  EXPECT_THAT(skipped.range, ElementsAre(ElementsAre(7, 8)));
  EXPECT_TRUE(dataset.ranks[0].metadata.phases->identical_to_previous.empty());
}

TEST_F(NodeLBDataFiles, ListPhasesIdenticalToLastWrittenPhase) {
  Settings its = settings();
  its.lb_data_elide_identical = true;
  NodeLBData data(its, {.shared_node = {.size = 1, .num_nodes = 1}},
                  lbdata::PhaseSpecification::parse("0 0 6\n8 0 3", "spec"));
  const std::string path = data.path();
  const std::vector<std::vector<std::uint64_t>> placements = {{1, 2}, {2, 1}, {1, 2}, {1, 3}, {1, 3}, {1},
                                                              {1, 2}, {9},    {1, 2}, {1, 2}, {1, 2}, {}};
  for (std::size_t id = 0; id < placements.size(); ++id) {
    data.write(data.add(phase(data, static_cast<std::int64_t>(id), placements[id])));
  }
  data.close();
  const lbdata::Dataset dataset = read(path);
  EXPECT_THAT(ids(dataset), ElementsAre(0, 3, 5, 6, 11));
  const lbdata::PhaseMetadata& phases = *dataset.ranks[0].metadata.phases;
  EXPECT_THAT(phases.identical_to_previous.list, ElementsAre(4));
  EXPECT_THAT(phases.identical_to_previous.range, ElementsAre(ElementsAre(1, 2), ElementsAre(8, 10)));
  EXPECT_THAT(phases.skipped.list, ElementsAre(7));
  const lbdata::ResolvedPhase resolved = dataset.ranks[0].resolve(9);
  EXPECT_EQ(resolved.state, lbdata::PhaseState::identical);
  ASSERT_NE(resolved.record, nullptr);
  EXPECT_EQ(resolved.record->id, 6);
}

TEST_F(NodeLBDataFiles, ReplaceEarlierRunOnlyIfAllowed) {
  for (const std::string suffix : {"", ".partial", ".pending"}) {
    const TemporaryFolder its_folder;
    Settings its = settings();
    its.lb_data_dir = its_folder.path();
    its_folder.write("data.0.json.br" + suffix, "of an earlier run");
    EXPECT_ERROR(NodeLBData(its, {}), usage, "data.0.json.br" + suffix);
    EXPECT_EQ(its_folder.read("data.0.json.br" + suffix), "of an earlier run");

    its.lb_data_overwrite = true;
    NodeLBData data(its, {.shared_node = {.size = 1, .num_nodes = 1}});
    data.write(data.add(phase(data, 0, {1})));
    data.close();
    EXPECT_EQ(read(its_folder / "data.0.json.br").ranks[0].phases.size(), 1U);
    EXPECT_FALSE(its_folder.has("data.0.json.br.partial"));
    EXPECT_FALSE(its_folder.has("data.0.json.br.pending"));
  }
}

TEST_F(NodeLBDataFiles, RejectAttributesAfterFirstPhase) {
  NodeLBData data(settings(), {});
  data.write(data.add(phase(data, 0, {1})));
  EXPECT_ERROR(data.set_attributes("{}"), usage, "set too late");
}

TEST_F(NodeLBDataFiles, StayPartialWithoutClose) {
  {
    NodeLBData data(settings(), {});
    data.write(data.add(phase(data, 0, {1})));
  }
  EXPECT_TRUE(folder.has("data.0.json.br.partial"));
  EXPECT_FALSE(folder.has("data.0.json.br"));
}

TEST_F(NodeLBDataFiles, ListElidedPhasesAfterRepair) {
  for (const bool compress : {true, false}) {
    Settings its = settings();
    its.lb_data_elide_identical = true;
    its.lb_data_compress = compress;
    its.lb_data_overwrite = true;
    std::string path;
    {
      NodeLBData data(its, {.shared_node = {.size = 1, .num_nodes = 1}},
                      lbdata::PhaseSpecification::parse("0 0 5\n9", "spec"));
      path = data.path();
      data.set_attributes(R"({"site":"a long name at the beginning"})");
      for (std::int64_t id = 0; id < 6; ++id)
        data.write(data.add(phase(data, id, {static_cast<std::uint64_t>(id / 2 + 1)})));
      data.set_attributes(R"({"site":"here"})");
      for (std::int64_t id = 6; id < 11; ++id) data.write(data.add(phase(data, id, {3})));
    }
    const lbdata::RepairResult result = lbdata::repair(path + ".partial", {.overwrite = true});
    EXPECT_FALSE(result.metadata_lost);
    const lbdata::Dataset dataset = read(path);
    EXPECT_THAT(ids(dataset), ElementsAre(0, 2, 4));
    const lbdata::RankMetadata& metadata = dataset.ranks[0].metadata;
    EXPECT_EQ(metadata.attributes, R"({"site":"here"})");
    EXPECT_THAT(metadata.phases->identical_to_previous.list, ElementsAre(1, 3, 5, 9));
    EXPECT_THAT(metadata.phases->skipped.range, ElementsAre(ElementsAre(6, 8)));
    EXPECT_THAT(metadata.phases->skipped.list, ElementsAre(10));
  }
}

TEST(NodeLBData, KeepsRequestedNumberOfPhases) {
  for (const std::size_t history : {0, 1, 2, 4}) {
    Settings settings;
    settings.lb_history = static_cast<std::int64_t>(history);
    NodeLBData data(settings, {});
    for (std::int64_t id = 0; id < 10; ++id) {
      data.add(phase(data, id, {1, 2}));
      data.trim();
      ASSERT_EQ(data.phases().size(), std::min<std::size_t>(history, static_cast<std::size_t>(id) + 1));
    }
    EXPECT_EQ(data.phase(9) != nullptr, history > 0);
    EXPECT_EQ(data.load_s(9), history > 0 ? 3 + 18.0 / 1024 : 0);
    EXPECT_EQ(data.phase(9 - static_cast<std::int64_t>(history)), nullptr);
    data.keep(1);
    data.trim();
    EXPECT_LE(data.phases().size(), 1U);
  }
}

TEST(NodeLBData, KeepsPhasesUntilTrim) {
  NodeLBData data(Settings{}, {});
  const lbdata::PhaseRecord& record = data.add(phase(data, 0, {1, 2}));
  data.keep(0);
  ASSERT_EQ(data.phase(0), &record);
  EXPECT_EQ(record.tasks.size(), 2U);
  data.trim();
  EXPECT_EQ(data.phase(0), nullptr);
}

TEST(NodeLBData, DropsEntitiesWithoutChangingKeptPhases) {
  Settings settings;
  settings.lb_history = 2;
  NodeLBData data(settings, {});
  std::uint64_t number = 0;
  for (std::int64_t id = 0; id < 200; ++id) {
    std::vector<std::uint64_t> objects;
    for (int k = 0; k < 100; ++k) objects.push_back(++number);
    lbdata::PhaseRecord record = phase(data, id, objects);
    record.communications.emplace();
    record.communications->from.push_back(object(data, number));
    record.communications->to.push_back(object(data, 1'000'000 + number));
    record.communications->bytes.push_back(1);
    record.communications->messages.push_back(1);
    record.communications->category.push_back(0);
    data.add(std::move(record));

    const lbdata::EntityIndex alive = object(data, 5'000'000);
    const auto new_index = data.compact(std::vector{alive});
    const lbdata::EntityIndex alive_now = new_index.empty() ? alive : new_index[alive];
    EXPECT_EQ(data.entities().number(alive_now).bits, 5'000'000ULL << 18 | 3);
    ASSERT_LT(data.entities().size(), 4096U + 300);
    for (const lbdata::PhaseRecord& kept : data.phases()) {
      const auto first = static_cast<std::uint64_t>(kept.id) * 100 + 1;
      for (std::uint64_t k = 0; k < 100; ++k) {
        ASSERT_EQ(data.entities().number(kept.tasks.entity[k]).bits, (first + k) << 18 | 3);
      }
      ASSERT_EQ(data.entities().number(kept.communications->from[0]).bits, (first + 99) << 18 | 3);
      ASSERT_EQ(data.entities().number(kept.communications->to[0]).bits, (1'000'000 + first + 99) << 18 | 3);
    }
  }
}

TEST(NodeLBData, IsAccessibleWhileItExists) {
  EXPECT_ERROR(the_node_lb_data(), usage, "missing LoadRecorder");
  {
    NodeLBData first(Settings{}, {});
    EXPECT_EQ(&the_node_lb_data(), &first);
    const NodeLBData second(Settings{}, {});
    EXPECT_EQ(&the_node_lb_data(), &first);
  }
  EXPECT_ERROR(the_node_lb_data(), usage, "missing LoadRecorder");
}

}  // namespace
}  // namespace plimsoll::runtime
