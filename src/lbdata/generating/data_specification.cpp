#include "lbdata/generating/data_specification.hpp"

#include <fmt/format.h>

#include <plimsoll/lbdata/data_specification.hpp>
#include <plimsoll/lbdata/generator.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "lbdata/generating/generated_metadata.hpp"
#include "lbdata/generating/object_layout.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

constexpr std::uint64_t most_specification_bytes = std::uint64_t{1} << 20;

Entity entity_of(std::int64_t number, const SpecifiedTask& task) {
  return {.seq_id = WideInteger{static_cast<std::uint64_t>(number)},
          .collection_id = WideInteger{static_cast<std::uint64_t>(task.collection_id)},
          .home = static_cast<std::int32_t>(task.home.value_or(*task.rank)),
          .migratable = task.migratable};
}

/// Returns the user data of a task, with its shared block; empty without any.
std::string user_data_of(const SpecifiedTask& task) {
  if (task.user_defined.empty() && !task.block) return {};
  std::string text;
  support::JsonWriter json(text);
  json.begin_object();
  for (const auto& [key, value] : task.user_defined) json.key(key).raw(value);
  if (const auto& block = task.block) {
    if (block->home_rank) json.member("home_rank", *block->home_rank);
    json.member("shared_bytes", block->size_bytes).member("shared_id", block->number);
  }
  json.end_object();
  return text;
}

class DatasetOfSpecification {
 public:
  DatasetOfSpecification(DataSpecification specification, const SpecificationOptions& options)
      : specification_(std::move(specification)), options_(options) {
    if (options.ranks_per_node < 0)
      throw support::usage_error(
          fmt::format("invalid value {} for --ranks-per-node: must be >= 0", options.ranks_per_node));
    dataset_.resources = generated_resources();
  }

  Dataset create() {
    for (std::size_t rank = 0; rank < specification_.ranks.size(); ++rank) add_rank(rank);
    for (std::size_t edge = 0; edge < specification_.edges.size(); ++edge) add_edge(edge);
    return std::move(dataset_);
  }

 private:
  double sample(const Sampler& sampler, RandomStream stream, std::uint64_t number) const {
    CounterRandom random(options_.seed, static_cast<std::uint64_t>(stream), number);
    return sampler.draw(random);
  }

  void add_rank(std::size_t rank) {
    RankData& data = dataset_.ranks.emplace_back();
    data.metadata = generated_metadata({.ranks = static_cast<std::int64_t>(specification_.ranks.size()),
                                        .ranks_per_node = options_.ranks_per_node,
                                        .seed = options_.seed},
                                       static_cast<std::int64_t>(rank));
    Tasks& tasks = data.phases.emplace_back().tasks;
    for (const std::int64_t number : specification_.ranks[rank]) {
      const SpecifiedTask& task = specification_.tasks.at(number);
      const auto row = static_cast<std::uint32_t>(tasks.size());
      tasks.entity.push_back(dataset_.entities.intern(entity_of(number, task)));
      tasks.time_s.push_back(sample(task.time_s, RandomStream::load, static_cast<std::uint64_t>(number)));
      tasks.node.push_back(static_cast<std::int32_t>(rank));
      tasks.resource.push_back(0);
      tasks.subphase_end.push_back(0);
      if (const std::string text = user_data_of(task); !text.empty()) tasks.user_defined.add(row, text);
    }
  }

  void add_edge(std::size_t number) {
    const SpecifiedEdge& edge = specification_.edges[number];
    const SpecifiedTask& sender = specification_.tasks.at(edge.from);
    const SpecifiedTask& receiver = specification_.tasks.at(edge.to);
    auto& edges = dataset_.ranks[static_cast<std::size_t>(*sender.rank)].phases.front().communications;
    if (!edges) edges.emplace();
    edges->from.push_back(dataset_.entities.intern(entity_of(edge.from, sender)));
    edges->to.push_back(dataset_.entities.intern(entity_of(edge.to, receiver)));
    edges->bytes.push_back(sample(edge.bytes, RandomStream::edge, number));
    edges->messages.push_back(edge.messages);
    edges->category.push_back(static_cast<std::uint8_t>(CommCategory::SendRecv) - 1);
  }

  DataSpecification specification_;
  SpecificationOptions options_;
  Dataset dataset_;
};

}  // namespace

Dataset parse_data_specification(std::string_view text, const std::string& name,
                                 const SpecificationOptions& options) {
  return DatasetOfSpecification(parse_specification(text, name), options).create();
}

Dataset read_data_specification(const std::string& path, const SpecificationOptions& options) {
  return parse_data_specification(support::read_text_file(path, most_specification_bytes), path, options);
}

}  // namespace plimsoll::lbdata
