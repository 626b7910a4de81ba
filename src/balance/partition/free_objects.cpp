#include "balance/partition/free_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Sum of weights that leaves room below 2^31 for rounding up and for the partitioners' sums.
constexpr double sum_of_vertex_weights = 1 << 29;
constexpr double sum_of_edge_weights = 1 << 29;
constexpr std::uint64_t max_ends = std::uint64_t{1} << 30;

/// Opposite end of a vertex's edge, which is a vertex or rank.
struct End {
  std::uint32_t code;  ///< vertex, or number of vertices + rank
  float weight;        ///< scaled, so that all weights sum to at most sum_of_edge_weights
};

double weight_of(const LDCommData& comm) {
  return comm.bytes + static_cast<double>(comm.messages);
}

class EdgeCollector {
 public:
  EdgeCollector(const LDStats& stats, const std::vector<std::uint32_t>& objects)
      : stats_(stats),
        n_vertices_(static_cast<std::uint32_t>(objects.size())),
        code_(stats.obj_data.size()),
        begin_(objects.size() + 2, 0) {
    for (std::size_t object = 0; object < code_.size(); ++object)
      code_[object] = n_vertices_ + static_cast<std::uint32_t>(stats.from_proc[object]);
    for (std::uint32_t vertex = 0; vertex < n_vertices_; ++vertex) code_[objects[vertex]] = vertex;
    collect();
  }

  /// Calls `take` with the distinct ends of each vertex in turn.
  template <typename Take>
  void for_each_vertex(const Take& take) const {
    // Place of each end in `distinct`, plus n_previous. Values below n_previous come from previous vertices,
    // and therefore need not be cleared.
    std::vector<std::uint32_t> place_of(n_vertices_ + stats_.procs.size(), 0);
    std::uint32_t n_previous = 1;
    std::vector<End> distinct;
    for (std::uint32_t vertex = 0; vertex < n_vertices_; ++vertex) {
      distinct.resize(std::max<std::size_t>(distinct.size(), begin_[vertex + 1] - begin_[vertex]));
      std::uint32_t n_distinct = 0;
      // Avoid branches, because they would be unpredictable.
      for (std::uint32_t i = begin_[vertex]; i < begin_[vertex + 1]; ++i) {
        const End& end = ends_[i];
        std::uint32_t& place = place_of[end.code];
        const bool is_new = place < n_previous;
        place = is_new ? n_previous + n_distinct : place;
        End& merged = distinct[place - n_previous];
        merged = {end.code, is_new ? end.weight : merged.weight + end.weight};
        n_distinct += is_new ? 1 : 0;
      }
      n_previous += n_distinct;
      take(std::span(distinct).first(n_distinct));
    }
  }

  bool is_rank(const End& end) const { return end.code >= n_vertices_; }
  std::int32_t rank_of(const End& end) const { return static_cast<std::int32_t>(end.code - n_vertices_); }
  std::size_t n_ends() const { return n_ends_; }

 private:
  void check(const LDCommData& comm) const {
    const auto edge = &comm - stats_.comm_data.data();
    for (const CommEnd end : {comm.sender, comm.receiver})
      if (end.index() >= (end.is_object() ? stats_.obj_data.size() : stats_.procs.size()))
        throw support::bad_input(fmt::format("edge {} refers to {} {}, which does not exist", edge,
                                             end.is_object() ? "object" : "processor", end.index()));
    if (!std::isfinite(comm.bytes) || comm.bytes < 0 || comm.messages < 0)
      throw support::bad_input(
          fmt::format("invalid edge {}: {} bytes, {} messages; both must be finite and >= 0", edge,
                      comm.bytes, comm.messages));
  }

  /// Visits both ends of an edge: `visit(vertex, code of the other end, weight)`.
  template <typename Visit>
  void visit_ends(const LDCommData& comm, const Visit& visit) const {
    const std::uint32_t from = code_of(comm.sender);
    const std::uint32_t to = code_of(comm.receiver);
    const double weight = weight_of(comm);
    if (from == to || weight == 0) return;
    if (from < n_vertices_) visit(from, to, weight);
    if (to < n_vertices_) visit(to, from, weight);
  }

  void collect() {
    // Use counting sort: begin[v + 2] counts v's ends; after summation, begin[v + 1] is the position of v's
    // next end.
    double total_weight = 0;
    for (const LDCommData& comm : stats_.comm_data) {
      check(comm);
      double n_ends = 0;
      visit_ends(comm, [&](std::uint32_t vertex, std::uint32_t /*code*/, double /*weight*/) {
        ++begin_[vertex + 2];
        ++n_ends;
      });
      total_weight += n_ends * weight_of(comm);
    }
    n_ends_ = std::accumulate(begin_.begin(), begin_.end(), std::uint64_t{0});
    if (n_ends_ > max_ends)
      throw support::usage_error(fmt::format(
          "too many edge ends in the graph: {}, but partitioners support at most {}", n_ends_, max_ends));
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    ends_ = std::make_unique_for_overwrite<End[]>(n_ends_);
    const double scale = total_weight > 0 ? sum_of_edge_weights / total_weight : 1;
    for (const LDCommData& comm : stats_.comm_data)
      visit_ends(comm, [&](std::uint32_t vertex, std::uint32_t code, double weight) {
        ends_[begin_[vertex + 1]++] = {code, static_cast<float>(weight * scale)};
      });
  }

  std::uint32_t code_of(CommEnd end) const {
    return end.is_object() ? code_[end.index()] : n_vertices_ + end.index();
  }

  const LDStats& stats_;
  std::uint32_t n_vertices_;
  std::vector<std::uint32_t> code_;  ///< code of each object, as in End::code
  std::vector<std::uint32_t> begin_;
  std::uint64_t n_ends_ = 0;
  std::unique_ptr<End[]> ends_;
};

void add_edges(const LDStats& stats, FreeObjects& free) {
  const EdgeCollector collector(stats, free.object);
  free.graph.neighbors.reserve(collector.n_ends());
  free.graph.edge_weights.reserve(collector.n_ends());
  free.graph.begin.reserve(free.object.size() + 1);
  free.ties_begin.reserve(free.object.size() + 1);
  free.ties_begin.push_back(0);
  collector.for_each_vertex([&](std::span<const End> ends) {
    for (const End& end : ends) {
      const auto weight = std::max(1, static_cast<std::int32_t>(end.weight));
      if (collector.is_rank(end)) {
        free.ties.push_back({collector.rank_of(end), weight});
      } else {
        free.graph.neighbors.push_back(static_cast<std::int32_t>(end.code));
        free.graph.edge_weights.push_back(weight);
      }
    }
    free.graph.begin.push_back(static_cast<std::int32_t>(free.graph.neighbors.size()));
    free.ties_begin.push_back(static_cast<std::int32_t>(free.ties.size()));
  });
}

/// Adds integer weights in proportion to the loads, or 1 for all if all loads are 0.
void add_vertex_weights(std::span<const double> heaviest, FreeObjects& free) {
  const std::size_t n_dimensions = heaviest.size();
  free.graph.n_dimensions = static_cast<std::int32_t>(n_dimensions);
  free.graph.vertex_weights.resize(free.loads.size());
  for (std::size_t dimension = 0; dimension < n_dimensions; ++dimension) {
    double sum = 0;
    for (std::size_t i = dimension; i < free.loads.size(); i += n_dimensions)
      sum += std::min(free.loads[i], heaviest[dimension]);
    const double scale = sum_of_vertex_weights / sum;
    for (std::size_t i = dimension; i < free.loads.size(); i += n_dimensions) {
      const double load = std::min(free.loads[i], heaviest[dimension]);
      free.graph.vertex_weights[i] =
          std::isfinite(scale) ? static_cast<std::int32_t>(std::lround(load * scale)) : 1;
    }
  }
}

}  // namespace

double load_of(const LDStats& stats, std::size_t object, std::size_t dimension) {
  return static_cast<double>(dimension == 0 ? stats.obj_data[object].walltime
                                            : stats.more_loads[dimension - 1].of_object[object]);
}

FreeObjects free_objects(const LDStats& stats, std::span<const double> heaviest) {
  FreeObjects free;
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
    if (!stats.obj_data[object].migratable) continue;
    free.object.push_back(object);
    for (std::size_t dimension = 0; dimension < heaviest.size(); ++dimension)
      free.loads.push_back(load_of(stats, object, dimension));
  }
  add_vertex_weights(heaviest, free);
  add_edges(stats, free);
  return free;
}

namespace {

// Number of rounds to find the common finish time (level). In each round, the loads of objects are capped at
// the maximum room at the level of the previous round.
constexpr int level_rounds = 8;

struct Dimension {
  std::vector<Processor> processors;  ///< available ranks
  double level = 0;
  double heaviest = 0;
};

Dimension dimension_of(const LDStats& stats, const ProcArray& procs, const std::vector<std::int32_t>& ranks,
                       std::size_t index) {
  std::vector<double> fixed(stats.procs.size(), 0.0);
  if (index == 0) {
    for (const ProcInfo& proc : procs.procs) fixed[at(proc.proc_id)] = proc.overhead;
  } else {
    for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
      if (!stats.obj_data[object].migratable)
        fixed[at(stats.from_proc[object])] += load_of(stats, object, index);
  }
  Dimension result;
  for (const std::int32_t rank : ranks)
    result.processors.push_back({fixed[at(rank)], index == 0 ? procs.procs[at(rank)].pe_speed : 1});

  double cut = -1;
  for (int round = 0; round < level_rounds; ++round) {
    double load = 0;
    for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
      if (!stats.obj_data[object].migratable) continue;
      const double whole = load_of(stats, object, index);
      load += round == 0 ? whole : std::min(whole, result.heaviest);
    }
    if (load == cut) break;
    cut = load;
    result.level = fair_level(result.processors, load);
    for (result.heaviest = 0; const Processor& processor : result.processors)
      result.heaviest = std::max(result.heaviest, processor.room_below(result.level));
  }
  return result;
}

}  // namespace

RankTargets rank_targets(const LDStats& stats, const ProcArray& procs, double tolerance,
                         std::size_t n_dimensions) {
  const std::vector<std::int32_t> available = available_ranks(stats);
  std::vector<Dimension> dimensions;
  for (std::size_t index = 0; index < n_dimensions; ++index)
    dimensions.push_back(dimension_of(stats, procs, available, index));

  RankTargets targets;
  targets.latest_finish_s =
      std::max(tolerance * procs.average_load(), finish_time_bound(stats, procs).time_s);
  for (const Dimension& dimension : dimensions) targets.heaviest.push_back(dimension.heaviest);
  for (std::size_t i = 0; i < available.size(); ++i) {
    if (dimensions[0].heaviest > 0 && dimensions[0].processors[i].room_below(dimensions[0].level) <= 0)
      continue;
    targets.ranks.push_back(available[i]);
    for (std::size_t index = 0; index < n_dimensions; ++index) {
      const Processor& processor = dimensions[index].processors[i];
      const double latest = index == 0 ? targets.latest_finish_s : tolerance * dimensions[index].level;
      targets.rooms.push_back(processor.room_below(dimensions[index].level));
      targets.capacities.push_back(processor.room_below(latest));
    }
  }

  targets.shares.n_dimensions = static_cast<std::int32_t>(n_dimensions);
  for (std::size_t i = 0; i < targets.rooms.size(); ++i) {
    double sum = 0;
    for (std::size_t j = i % n_dimensions; j < targets.rooms.size(); j += n_dimensions)
      sum += targets.rooms[j];
    targets.shares.values.push_back(sum > 0 ? targets.rooms[i] / sum
                                            : 1.0 / static_cast<double>(targets.ranks.size()));
  }
  return targets;
}

}  // namespace plimsoll::balance
