#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// Builds data sets by hand. `rank(r)` returns the record of phase 0 unless another phase is specified.
class DatasetFactory {
 public:
  explicit DatasetFactory(std::size_t n_ranks) { dataset.ranks.resize(n_ranks); }

  lbdata::PhaseRecord& record(std::size_t rank, std::int64_t phase = 0) {
    lbdata::RankData& data = dataset.ranks[rank];
    if (lbdata::PhaseRecord* found = data.find(phase)) return *found;
    data.phases.emplace_back().id = phase;
    return data.phases.back();
  }

  void task(std::size_t rank, std::uint64_t number, double time_s, bool migratable = true,
            std::int64_t phase = 0, std::string_view user_defined = {}) {
    lbdata::Tasks& tasks = record(rank, phase).tasks;
    tasks.entity.push_back(object(number, migratable));
    tasks.time_s.push_back(time_s);
    tasks.node.push_back(static_cast<std::int32_t>(rank));
    tasks.resource.push_back(dataset.resources.intern("cpu"));
    tasks.subphase_id.push_back(0);
    tasks.subphase_time_s.push_back(time_s);
    tasks.subphase_end.push_back(static_cast<std::uint32_t>(tasks.subphase_id.size()));
    if (!user_defined.empty())
      tasks.user_defined.add(static_cast<std::uint32_t>(tasks.size() - 1), user_defined);
  }

  lbdata::EntityIndex object(std::uint64_t number, bool migratable = true) {
    lbdata::Entity entity;
    entity.id = lbdata::WideInteger{number};
    entity.home = 0;
    entity.migratable = migratable;
    return dataset.entities.intern(entity);
  }
  lbdata::EntityIndex other(std::string_view type, std::uint64_t number) {
    lbdata::Entity entity;
    entity.type = type;
    entity.id = lbdata::WideInteger{number};
    return dataset.entities.intern(entity);
  }

  void edge(std::size_t rank, lbdata::EntityIndex from, lbdata::EntityIndex to, double bytes,
            lbdata::CommCategory category = lbdata::CommCategory::SendRecv, std::int64_t phase = 0) {
    lbdata::PhaseRecord& there = record(rank, phase);
    if (!there.communications) there.communications.emplace();
    there.communications->from.push_back(from);
    there.communications->to.push_back(to);
    there.communications->bytes.push_back(bytes);
    there.communications->messages.push_back(1);
    there.communications->category.push_back(static_cast<std::uint8_t>(static_cast<int>(category) - 1));
  }

  lbdata::Dataset dataset;
};

/// Returns the numbers of the tasks of `rank` in `phase`.
inline std::vector<std::uint64_t> numbers_on(const lbdata::Dataset& dataset, std::size_t rank,
                                             std::int64_t phase = 0) {
  std::vector<std::uint64_t> numbers;
  for (const lbdata::EntityIndex entity : dataset.ranks[rank].resolve(phase).record->tasks.entity)
    numbers.push_back(dataset.entities.number(entity).bits);
  return numbers;
}

/// Returns the bytes of the edges of `rank` in `phase`, which tests use to distinguish edges.
inline std::vector<double> edges_on(const lbdata::Dataset& dataset, std::size_t rank,
                                    std::int64_t phase = 0) {
  const auto& edges = dataset.ranks[rank].resolve(phase).record->communications;
  return edges ? edges->bytes : std::vector<double>();
}

}  // namespace plimsoll::balance::testing
