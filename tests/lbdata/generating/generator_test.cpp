#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/generator.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/lbdata/validator.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;

// Returns the loads of all migratable objects in one phase, ordered by rank.
std::vector<double> loads(const Dataset& dataset, std::size_t phase = 0) {
  std::vector<double> values;
  for (const RankData& rank : dataset.ranks) {
    const Tasks& tasks = rank.phases.at(phase).tasks;
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      if (dataset.entities.migratable(tasks.entity[task])) values.push_back(tasks.time_s[task]);
    }
  }
  return values;
}

Statistics load_statistics(const GenerateOptions& options) {
  return Statistics(loads(generate(options)));
}

TEST(Generator, WritesSameMembersAsVt) {
  const GenerateOptions options = {.ranks = 2,
                                   .objects_per_rank = 1,
                                   .mean_s = 0.5,
                                   .topology = Topology::ring,
                                   .bytes_per_message = 100,
                                   .messages = 3,
                                   .sentinels = 2};
  EntityTable entities;
  const RankGenerator generator(options, 1, entities);
  const NameTable resources = generated_resources();
  const NameTable categories = Dataset::known_categories();
  EXPECT_EQ(
      to_json(generator.phase(0), {entities, resources, categories}),
      R"({"communications":[{"bytes":300.0,"from":{"collection_id":7,"home":0,"id":262147,"index":[0],)"
      R"("migratable":true,"type":"object"},"messages":3,"to":{"collection_id":7,"home":1,"id":262151,)"
      R"("index":[1],"migratable":true,"type":"object"},"type":"SendRecv"}],"id":0,"tasks":[)"
      R"({"entity":{"collection_id":7,"home":1,"id":262151,"index":[1],"migratable":true,"type":"object"},)"
      R"("node":1,"resource":"cpu","time":0.5},)"
      R"({"entity":{"home":1,"id":5,"migratable":false,"type":"object"},"node":1,"resource":"cpu",)"
      R"("time":0.0},)"
      R"({"entity":{"home":1,"id":3145756,"migratable":false,"objgroup_id":786435,"type":"object"},)"
      R"("node":1,"resource":"cpu","time":0.0}]})");
  EXPECT_EQ(to_json(generator.metadata()),
            R"({"attributes":{"generator":"plimsoll","seed":1},)"
            R"("phases":{"identical_to_previous":{"list":[],"range":[]},"skipped":{"list":[],"range":[]}},)"
            R"("rank":1,"shared_node":{"id":0,"num_nodes":1,"rank":1,"size":2},"type":"LBDatafile"})");
}

TEST(Generator, WritesMemoryAsUserData) {
  const GenerateOptions options = {.ranks = 3,
                                   .objects_per_rank = 5,
                                   .footprint_bytes = 1000,
                                   .working_bytes = 0.5,
                                   .serialized_bytes = 7,
                                   .rank_bytes = 1e9,
                                   .blocks_per_rank = 2,
                                   .block_bytes = 64};
  const Dataset dataset = generate(options);
  const TextColumn& user_data = dataset.ranks[2].phases[0].tasks.user_defined;
  ASSERT_EQ(user_data.size(), 6U);
  const auto of_object = [](const char* block) {
    return std::string(
               R"({"home_rank":2,"rank_working_bytes":1000000000.0,"shared_bytes":64.0,"shared_id":)") +
           block + R"(,"task_footprint_bytes":1000.0,"task_serialized_bytes":7.0,"task_working_bytes":0.5})";
  };
  EXPECT_EQ(user_data.at(0), of_object("4"));
  EXPECT_EQ(user_data.at(1), of_object("4"));
  EXPECT_EQ(user_data.at(2), of_object("5"));
  EXPECT_EQ(user_data.at(3), of_object("5"));
  EXPECT_EQ(user_data.at(4), of_object("5"));                            // the last block has the remainder
  EXPECT_EQ(user_data.at(5), R"({"rank_working_bytes":1000000000.0})");  // the non-migratable object
}

TEST(Generator, OmitsSizesOfZero) {
  EXPECT_EQ(generate({.phases = 2}).ranks[0].phases[1].tasks.user_defined.size(), 0U);
  const Dataset footprints = generate({.ranks = 1, .objects_per_rank = 1, .footprint_bytes = 8});
  const TextColumn& user_data = footprints.ranks[0].phases[0].tasks.user_defined;
  ASSERT_EQ(user_data.size(), 1U);
  EXPECT_EQ(user_data.text(0), R"({"task_footprint_bytes":8.0})");
}

TEST(Generator, RejectsImpossibleMemory) {
  EXPECT_ERROR(generate({.objects_per_rank = 4, .blocks_per_rank = 5}), usage,
               "invalid value 5 for --blocks-per-rank: expected 0 to 4");
  EXPECT_ERROR(generate({.footprint_bytes = -1}), usage,
               "invalid value -1 for --footprint: expected 0 to 1e+18");
  EXPECT_ERROR(generate({.block_bytes = std::nan("")}), usage, "invalid value nan for --block-bytes");
}

TEST(Generator, DistributesRanksOverNodes) {
  EntityTable entities;
  const GenerateOptions options = {.ranks = 10, .ranks_per_node = 4};
  EXPECT_EQ(RankGenerator(options, 5, entities).metadata().shared_node,
            (SharedNode{.id = 1, .size = 4, .rank = 1, .num_nodes = 3}));
  EXPECT_EQ(RankGenerator(options, 9, entities).metadata().shared_node,
            (SharedNode{.id = 2, .size = 2, .rank = 1, .num_nodes = 3}));
}

// A Python implementation of the definitions computed the expected loads.
TEST(Generator, DrawsSameLoadsOnAllPlatforms) {
  GenerateOptions options = {.ranks = 1, .objects_per_rank = 3, .law = LoadLaw::u4};
  EXPECT_EQ(loads(generate(options)),
            std::vector<double>({8.631700846484163e-05, 1.000264715610674e-05, 0.00011927763836371728}));
  options.law = LoadLaw::lognormal;
  const std::vector<double> lognormal = loads(generate(options));
  const double expected[] = {0.0008202793466924928, 0.0007088667608276478, 0.0008571867331905647};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(lognormal[k], expected[k], 1e-14 * expected[k]);
}

TEST(Generator, MatchesRequestedMoments) {
  GenerateOptions options = {.ranks = 20, .objects_per_rank = 5000, .mean_s = 2, .variance_s2 = 1};
  constexpr double root_count = 316;
  EXPECT_EQ(load_statistics(options).imbalance(), 0);

  options.law = LoadLaw::uniform;
  Statistics statistics = load_statistics(options);
  EXPECT_NEAR(statistics.average(), 2, 5 / root_count);
  EXPECT_NEAR(statistics.variance(), 1, 0.02);
  EXPECT_GE(statistics.minimum(), 2 - std::sqrt(3.0));
  EXPECT_LE(statistics.maximum(), 2 + std::sqrt(3.0));

  options.law = LoadLaw::lognormal;
  statistics = load_statistics(options);
  EXPECT_NEAR(statistics.average(), 2, 5 / root_count);
  EXPECT_NEAR(statistics.variance(), 1, 0.05);
  EXPECT_NEAR(statistics.skewness(), 1.625, 0.2);  // (x + 2) sqrt(x - 1) for x = e^(sigma^2) = 1.25
  EXPECT_GT(statistics.minimum(), 0);

  options.law = LoadLaw::u4;
  statistics = load_statistics(options);
  EXPECT_NEAR(statistics.average(), 608e-6, 5 * 797e-6 / root_count);  // 2990 sqrt(1/9 - 1/25) = 797
  EXPECT_GE(statistics.minimum(), 10e-6);
  EXPECT_LE(statistics.maximum(), 3e-3);

  options.law = LoadLaw::ramp;
  const std::vector<double> ramp = loads(generate(options));
  EXPECT_NEAR(Statistics(ramp).average(), 2, 1e-12);
  EXPECT_TRUE(std::ranges::is_sorted(ramp));
  EXPECT_NEAR(ramp.back(), 4, 1e-4);
}

TEST(Generator, MovesHotSpotByOneRankPerPhase) {
  const Dataset dataset = generate({.ranks = 4,
                                    .objects_per_rank = 2,
                                    .phases = 5,
                                    .law = LoadLaw::moving_hot_spot,
                                    .mean_s = 1,
                                    .hot_factor = 3,
                                    .hot_fraction = 0.375});
  EXPECT_EQ(loads(dataset, 0), std::vector<double>({3, 3, 3, 1, 1, 1, 1, 1}));
  EXPECT_EQ(loads(dataset, 1), std::vector<double>({1, 1, 3, 3, 3, 1, 1, 1}));
  EXPECT_EQ(loads(dataset, 3), std::vector<double>({3, 1, 1, 1, 1, 1, 3, 3}));
  EXPECT_EQ(loads(dataset, 4), loads(dataset, 0));
}

TEST(Generator, VariesLoadsOverPhasesOnlyIfRequested) {
  GenerateOptions options = {.phases = 2, .law = LoadLaw::lognormal};
  Dataset dataset = generate(options);
  EXPECT_EQ(loads(dataset, 0), loads(dataset, 1));
  const std::vector<double> still = loads(dataset, 0);
  options.phase_noise = 0.25;
  dataset = generate(options);
  EXPECT_NE(loads(dataset, 0), loads(dataset, 1));
  for (std::size_t k = 0; k < still.size(); ++k) EXPECT_NEAR(loads(dataset, 1)[k] / still[k], 1, 0.25);
}

TEST(Generator, SplitsLoadsIntoSubphases) {
  const Dataset dataset = generate({.ranks = 1, .objects_per_rank = 5, .subphases = 3, .sentinels = 1});
  const Tasks& tasks = dataset.ranks[0].phases[0].tasks;
  ASSERT_EQ(tasks.subphase_end, std::vector<std::uint32_t>({3, 6, 9, 12, 15, 15}));
  for (std::size_t task = 0; task < 5; ++task) {
    double sum = 0;
    for (std::size_t k = 3 * task; k < 3 * task + 3; ++k) {
      EXPECT_EQ(tasks.subphase_id[k], static_cast<std::int32_t>(k % 3));
      EXPECT_GT(tasks.subphase_time_s[k], 0);
      sum += tasks.subphase_time_s[k];
    }
    EXPECT_NEAR(sum, tasks.time_s[task], 1e-15);
  }
}

// Returns the source and target of all edges as object numbers.
std::set<std::pair<std::int64_t, std::int64_t>> edges(const GenerateOptions& options) {
  const Dataset dataset = generate(options);
  const auto number = [&](EntityIndex entity) {
    const auto identifier = decode_identifier(dataset.entities.number(entity).bits);
    return identifier->home * options.objects_per_rank + static_cast<std::int64_t>(identifier->sequence) - 1;
  };
  std::set<std::pair<std::int64_t, std::int64_t>> result;
  for (std::size_t rank = 0; rank < dataset.ranks.size(); ++rank) {
    const auto& communications = dataset.ranks[rank].phases.at(0).communications;
    if (!communications) continue;
    for (std::size_t edge = 0; edge < communications->size(); ++edge) {
      EXPECT_EQ(dataset.entities.home(communications->to[edge]), static_cast<std::int32_t>(rank));
      EXPECT_TRUE(
          result.insert({number(communications->from[edge]), number(communications->to[edge])}).second);
    }
  }
  return result;
}

TEST(Generator, ConnectsObjectsByTopology) {
  using Edges = std::set<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(edges({.topology = Topology::none}), Edges());
  EXPECT_EQ(edges({.ranks = 3, .objects_per_rank = 1, .topology = Topology::ring}),
            Edges({{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 1}, {0, 2}}));
  EXPECT_EQ(edges({.ranks = 1, .objects_per_rank = 1, .topology = Topology::ring}), Edges());
  EXPECT_EQ(edges({.ranks = 2, .objects_per_rank = 2, .topology = Topology::mesh2d}),
            Edges({{0, 1}, {0, 2}, {1, 0}, {1, 3}, {2, 0}, {2, 3}, {3, 1}, {3, 2}}));
  // A cube of side n has 3 n^2 (n - 1) links, each with an edge in both directions.
  EXPECT_EQ(edges({.ranks = 4, .objects_per_rank = 16, .topology = Topology::mesh3d}).size(),
            2U * 3 * 16 * 3);

  const auto random = edges({.ranks = 4, .objects_per_rank = 10, .topology = Topology::random, .degree = 7});
  std::map<std::int64_t, int> received;
  for (const auto& [from, to] : random) {
    EXPECT_NE(from, to);
    ++received[to];
  }
  EXPECT_EQ(received.size(), 40U);
  for (const auto& [to, count] : received) EXPECT_EQ(count, 7);
  EXPECT_EQ(edges({.ranks = 1, .objects_per_rank = 6, .topology = Topology::random, .degree = 5}).size(),
            30U);
}

TEST(Generator, AssignsUniqueIdsForMoreRanksThanHomeBitsAllow) {
  EntityTable entities;
  const GenerateOptions options = {.ranks = 200000, .objects_per_rank = 3, .sentinels = 0};
  std::set<std::uint64_t> ids;
  for (const std::int64_t rank : {0, 7, 65535, 65536, 65543, 131072, 131079, 199999}) {
    const PhaseRecord phase = RankGenerator(options, rank, entities).phase(0);
    for (const EntityIndex entity : phase.tasks.entity) {
      EXPECT_EQ(entities.home(entity), rank);
      EXPECT_TRUE(ids.insert(entities.number(entity).bits).second);
    }
  }
}

TEST(Generator, WritesSameBytesForSameSeedWithAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const GenerateOptions options = {.ranks = 5,
                                   .objects_per_rank = 40,
                                   .phases = 3,
                                   .law = LoadLaw::lognormal,
                                   .phase_noise = 0.1,
                                   .subphases = 2,
                                   .topology = Topology::random};
  const WriteOptions plain = {.compress = false};
  generate_files(options, folder / "one", "data", plain, 1);
  generate_files(options, folder / "four", "data", plain, 4);
  write(generate(options), folder / "whole", "data", plain);
  GenerateOptions other_seed = options;
  other_seed.seed = 2;
  generate_files(other_seed, folder / "other", "data", plain);
  for (int rank = 0; rank < 5; ++rank) {
    const std::string name = "/data." + std::to_string(rank) + ".json";
    const std::string text = folder.read("one" + name);
    EXPECT_EQ(folder.read("four" + name), text);
    EXPECT_EQ(folder.read("whole" + name), text);
    EXPECT_NE(folder.read("other" + name), text);
  }
}

TEST(Generator, WritesValidDataThatRoundTrips) {
  const TemporaryFolder folder;
  const GenerateOptions options = {.ranks = 3, .phases = 2, .subphases = 1, .topology = Topology::mesh3d};
  generate_files(options, folder.path(), "data");
  const std::vector<RankFile> files = find_rank_files({folder.path()});
  EXPECT_TRUE(validate(files).valid());
  EXPECT_TRUE(read(files).dataset == generate(options));
}

TEST(Generator, RejectsInvalidSettings) {
  EXPECT_ERROR(generate({.ranks = 0}), usage, "invalid value 0 for --ranks: expected 1 to 2147483647");
  EXPECT_ERROR(generate({.objects_per_rank = -1}), usage, "invalid value -1 for --objects-per-rank");
  EXPECT_ERROR(generate({.ranks = 1 << 30, .objects_per_rank = 1 << 30}), usage,
               "for --objects-per-rank: expected 0 to 1024");
  EXPECT_ERROR(generate({.mean_s = 0}), usage, "invalid value 0 for --mean");
  EXPECT_ERROR(generate({.mean_s = std::nan("")}), usage, "invalid value nan for --mean");
  EXPECT_ERROR(generate({.law = LoadLaw::uniform, .mean_s = 1, .variance_s2 = 1}), usage,
               "would be negative");
  EXPECT_ERROR(generate({.law = LoadLaw::lognormal, .mean_s = 1e-9, .variance_s2 = 1}), usage,
               "the variance is too large");
  EXPECT_ERROR(generate({.hot_fraction = 1.5}), usage,
               "invalid value 1.5 for --hot-fraction: expected 0 to 1");
  EXPECT_ERROR(generate({.phase_noise = -0.5}), usage, "invalid value -0.5 for --noise: expected 0 to 1");
  EXPECT_ERROR(generate({.ranks = 100000}), usage,
               "too many ranks for the IDs of non-migratable objects: 100000");
  EXPECT_ERROR(generate({.ranks = 1, .objects_per_rank = 4, .topology = Topology::random}), usage,
               "invalid value 4 for --degree: expected 0 to 3");
  EXPECT_EQ(generate({.ranks = 2, .objects_per_rank = 0, .topology = Topology::ring}).ranks.size(), 2U);
}

}  // namespace
}  // namespace plimsoll::lbdata
