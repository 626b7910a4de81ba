#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/generator.hpp>
#include <plimsoll/support/error.hpp>

#include "lbdata/generating/generated_metadata.hpp"
#include "lbdata/generating/object_layout.hpp"
#include "lbdata/generating/portable_random.hpp"
#include "lbdata/writing/data_set_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Throws an error that names the option of `plimsoll generate`.
template <class Number>
void expect_in_range(const char* option, Number value, Number minimum, Number maximum) {
  if (value >= minimum && value <= maximum) return;
  throw support::usage_error(
      fmt::format("invalid value {} for {}: expected {} to {}", value, option, minimum, maximum));
}

constexpr std::int64_t most_objects = std::int64_t{1} << 40;
constexpr std::int64_t most_ranks = 0x7fffffff;
constexpr std::int64_t most_ranks_with_sentinels = 65536;  // limit of an ID's home bits
constexpr double longest_s = 1e12;

void check_loads(const GenerateOptions& options) {
  expect_in_range("--mean", options.mean_s, 1e-12, longest_s);
  expect_in_range("--variance", options.variance_s2, 0.0, longest_s * longest_s);
  const double relative = options.variance_s2 / options.mean_s / options.mean_s;
  if (options.law == LoadLaw::uniform && relative > 1.0 / 3) {
    throw support::usage_error(
        fmt::format("invalid uniform loads of mean {} and variance {}: some would be negative",
                    options.mean_s, options.variance_s2),
        fmt::format("use a variance up to mean^2 / 3 = {}", options.mean_s * options.mean_s / 3));
  }
  if (options.law == LoadLaw::lognormal && relative > widest_lognormal) {
    throw support::usage_error(
        fmt::format("invalid lognormal loads of mean {} and variance {}: the variance is too large",
                    options.mean_s, options.variance_s2),
        fmt::format("use a variance up to {} mean^2", widest_lognormal));
  }
  expect_in_range("--hot-factor", options.hot_factor, 0.0, 1e12);
  expect_in_range("--hot-fraction", options.hot_fraction, 0.0, 1.0);
  expect_in_range("--noise", options.phase_noise, 0.0, 1.0);
  expect_in_range("--sentinel-load", options.sentinel_load_s, 0.0, longest_s);
}

void check_memory(const GenerateOptions& options) {
  constexpr double most_bytes = 1e18;
  expect_in_range("--footprint", options.footprint_bytes, 0.0, most_bytes);
  expect_in_range("--working-memory", options.working_bytes, 0.0, most_bytes);
  expect_in_range("--serialized", options.serialized_bytes, 0.0, most_bytes);
  expect_in_range("--rank-memory", options.rank_bytes, 0.0, most_bytes);
  expect_in_range<std::int64_t>("--blocks-per-rank", options.blocks_per_rank, 0, options.objects_per_rank);
  expect_in_range("--block-bytes", options.block_bytes, 0.0, most_bytes);
}

/// Throws Error (usage) if the options contradict each other or cannot be represented.
void check(const GenerateOptions& options) {
  expect_in_range<std::int64_t>("--ranks", options.ranks, 1, most_ranks);
  expect_in_range<std::int64_t>("--objects-per-rank", options.objects_per_rank, 0,
                                most_objects / options.ranks);
  expect_in_range<std::int64_t>("--phases", options.phases, 0, most_ranks);
  expect_in_range<std::int64_t>("--subphases", options.subphases, 0, 1000000);
  expect_in_range<std::int64_t>("--sentinels", options.sentinels, 0, 1000000);
  expect_in_range<std::int64_t>("--ranks-per-node", options.ranks_per_node, 0, most_ranks);
  expect_in_range<std::int64_t>("--messages", options.messages, 0, std::int64_t{1} << 53);
  expect_in_range("--bytes", options.bytes_per_message, 0.0, 1e18);
  check_loads(options);
  check_memory(options);
  if (options.sentinels > 0 && options.ranks > most_ranks_with_sentinels) {
    throw support::usage_error(
        fmt::format("too many ranks for the IDs of non-migratable objects: {}", options.ranks),
        fmt::format("use up to {} ranks, or no non-migratable objects", most_ranks_with_sentinels));
  }
  if (options.topology == Topology::random) {
    const std::int64_t others = options.ranks * options.objects_per_rank - 1;
    expect_in_range<std::int64_t>("--degree", options.degree, 0, others < 0 ? 0 : others);
  }
}

constexpr std::uint64_t first_object_group = 3;  // numbered like the runtime's object groups
constexpr std::int64_t homes_in_id = 65536;

EntityIndex add_object(const GenerateOptions& options, const ObjectLayout& layout, std::int64_t object,
                       EntityTable& entities) {
  const std::int64_t home = object / options.objects_per_rank;
  const std::int64_t number = object % options.objects_per_rank;
  // Continue the sequence numbers for homes beyond the 16 bits of an ID, so that IDs stay distinct.
  const std::int64_t sequence = 1 + home / homes_in_id * options.objects_per_rank + number;
  const std::uint64_t id = encode({.kind = IdentifierKind::migratable_element,
                                   .home = static_cast<std::uint32_t>(home % homes_in_id),
                                   .sequence = static_cast<std::uint64_t>(sequence)});
  const std::vector<std::int64_t> index = layout.index(object);
  return entities.intern({.id = WideInteger{id},
                          .collection_id = WideInteger{first_collection_id},
                          .home = static_cast<std::int32_t>(home),
                          .migratable = true,
                          .index = std::span<const std::int64_t>(index)});
}

EntityIndex add_sentinel(std::int64_t rank, std::int64_t number, EntityTable& entities) {
  const auto home = static_cast<std::uint32_t>(rank);
  Entity entity;
  entity.home = static_cast<std::int32_t>(rank);
  entity.migratable = false;
  if (number == 0) {
    entity.id = WideInteger{encode({.kind = IdentifierKind::bare_handler, .home = home})};
  } else {
    const Identifier group = {.kind = IdentifierKind::object_group,
                              .home = home,
                              .sequence = first_object_group + static_cast<std::uint64_t>(number) - 1,
                              .collective = true};
    entity.id = WideInteger{encode(group)};
    entity.objgroup_id = WideInteger{object_group_proxy(group)};
  }
  return entities.intern(entity);
}

// Splits a load over subphases by shares that stay the same for an object in all phases.
void add_subphases(const GenerateOptions& options, std::int64_t object, double load_s, Tasks& tasks) {
  const auto random = [&] {
    return CounterRandom(options.seed, static_cast<std::uint64_t>(RandomStream::subphase),
                         static_cast<std::uint64_t>(object));
  };
  double sum = 0;
  CounterRandom weights = random();
  for (std::int64_t k = 0; k < options.subphases; ++k) sum += 0.5 + weights.uniform();
  weights = random();
  for (std::int64_t k = 0; k < options.subphases; ++k) {
    tasks.subphase_id.push_back(static_cast<std::int32_t>(k));
    tasks.subphase_time_s.push_back(load_s * ((0.5 + weights.uniform()) / sum));
  }
}

}  // namespace

RankGenerator::RankGenerator(const GenerateOptions& options, std::int64_t rank, EntityTable& entities)
    : options_(options), rank_(rank) {
  check(options);
  PLIMSOLL_EXPECT(rank >= 0 && rank < options.ranks);
  const ObjectLayout layout(options);
  const LoadSampler sampler(options);
  const std::int64_t first = rank * options.objects_per_rank;
  for (std::int64_t object = first; object < first + options.objects_per_rank; ++object) {
    entities_.push_back(add_object(options, layout, object, entities));
    base_s_.push_back(sampler.base_s(object));
    for (const std::int64_t source : layout.sources(object)) {
      edges_.from.push_back(add_object(options, layout, source, entities));
      edges_.to.push_back(entities_.back());
    }
  }
  for (std::int64_t number = 0; number < options.sentinels; ++number) {
    entities_.push_back(add_sentinel(rank, number, entities));
  }
  const double bytes = options.bytes_per_message * static_cast<double>(options.messages);
  edges_.bytes.assign(edges_.from.size(), bytes);
  edges_.messages.assign(edges_.from.size(), options.messages);
  edges_.category.assign(edges_.from.size(), static_cast<std::uint8_t>(CommCategory::SendRecv) - 1);
}

RankMetadata generated_metadata(const GenerateOptions& options, std::int64_t rank) {
  const std::int64_t node_size = options.ranks_per_node > 0 ? options.ranks_per_node : options.ranks;
  const std::int64_t node = rank / node_size;
  RankMetadata metadata;
  metadata.present = true;
  metadata.type = "LBDatafile";
  metadata.rank = rank;
  metadata.shared_node = SharedNode{.id = node,
                                    .size = std::min(node_size, options.ranks - node * node_size),
                                    .rank = rank % node_size,
                                    .num_nodes = (options.ranks + node_size - 1) / node_size};
  metadata.phases.emplace();
  metadata.attributes = fmt::format(R"({{"generator":"plimsoll","seed":{}}})", options.seed);
  return metadata;
}

RankMetadata RankGenerator::metadata() const {
  return generated_metadata(options_, rank_);
}

PhaseRecord RankGenerator::phase(std::int64_t phase) const {
  const LoadSampler sampler(options_);
  const std::int64_t first = rank_ * options_.objects_per_rank;
  PhaseRecord record;
  record.id = phase;
  Tasks& tasks = record.tasks;
  tasks.entity = entities_;
  tasks.node.assign(entities_.size(), static_cast<std::int32_t>(rank_));
  tasks.resource.assign(entities_.size(), 0);
  for (std::size_t task = 0; task < entities_.size(); ++task) {
    const std::int64_t object = first + static_cast<std::int64_t>(task);
    const bool sentinel = task >= base_s_.size();
    tasks.time_s.push_back(sentinel ? options_.sentinel_load_s
                                    : sampler.load_s(base_s_[task], object, phase));
    if (!sentinel) add_subphases(options_, object, tasks.time_s.back(), tasks);
    tasks.subphase_end.push_back(static_cast<std::uint32_t>(tasks.subphase_id.size()));
    const std::string memory = sentinel
                                   ? rank_memory_text(options_)
                                   : object_memory_text(options_, rank_, static_cast<std::int64_t>(task));
    if (!memory.empty()) tasks.user_defined.add(static_cast<std::uint32_t>(task), memory);
  }
  if (edges_.size() > 0) record.communications = edges_;
  return record;
}

NameTable generated_resources() {
  return NameTable({"cpu"});
}

Dataset generate(const GenerateOptions& options) {
  check(options);
  Dataset dataset;
  dataset.resources = generated_resources();
  for (std::int64_t rank = 0; rank < options.ranks; ++rank) {
    const RankGenerator generator(options, rank, dataset.entities);
    RankData& data = dataset.ranks.emplace_back();
    data.metadata = generator.metadata();
    for (std::int64_t phase = 0; phase < options.phases; ++phase)
      data.phases.push_back(generator.phase(phase));
  }
  return dataset;
}

void generate_files(const GenerateOptions& options, const std::string& folder, const std::string& base,
                    const WriteOptions& write_options, unsigned threads, support::Progress& progress) {
  check(options);
  const NameTable resources = generated_resources();
  const NameTable categories = Dataset::known_categories();
  write_data_set(folder, base, static_cast<std::size_t>(options.ranks), write_options, threads, progress,
                 [&](std::size_t rank, support::OutputFile file) {
                   EntityTable entities;
                   const RankGenerator generator(options, static_cast<std::int64_t>(rank), entities);
                   RankWriter writer(std::move(file), generator.metadata(), {entities, resources, categories},
                                     write_options.metadata_last);
                   for (std::int64_t phase = 0; phase < options.phases; ++phase) {
                     writer.write(generator.phase(phase));
                   }
                   writer.finish();
                 });
}

}  // namespace plimsoll::lbdata
