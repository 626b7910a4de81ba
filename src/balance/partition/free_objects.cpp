#include "balance/partition/free_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::balance {

namespace {

// Sum of weights that leaves room below 2^31 for rounding up and for the partitioners' sums.
constexpr double sum_of_vertex_weights = 1 << 29;
constexpr double sum_of_edge_weights = 1 << 29;
constexpr std::size_t max_ends = std::size_t{1} << 30;

/// Opposite end of a vertex's edge, which is a vertex or rank.
struct End {
  std::uint32_t code;  ///< vertex, or rank with the highest bit set
  double weight;
};
constexpr std::uint32_t rank_bit = 1u << 31;
constexpr std::uint32_t unseen = ~std::uint32_t{0};

double weight_of(const LDCommData& comm) {
  return comm.bytes + static_cast<double>(comm.messages);
}

class EdgeCollector {
 public:
  EdgeCollector(const LDStats& stats, const std::vector<std::uint32_t>& objects)
      : stats_(stats), code_(stats.obj_data.size()), begin_(objects.size() + 2, 0) {
    for (std::size_t object = 0; object < code_.size(); ++object)
      code_[object] = static_cast<std::uint32_t>(stats.from_proc[object]) | rank_bit;
    for (std::uint32_t vertex = 0; vertex < objects.size(); ++vertex) code_[objects[vertex]] = vertex;
    check_edges();
    collect();
  }

  /// Calls `take` with the distinct ends of each vertex in turn.
  template <typename Take>
  void for_each_vertex(const Take& take) {
    std::vector<std::uint32_t> vertex_place(begin_.size() - 2, unseen);
    std::vector<std::uint32_t> rank_place(stats_.procs.size(), unseen);
    std::vector<End> distinct;
    for (std::size_t vertex = 0; vertex + 2 < begin_.size(); ++vertex) {
      distinct.clear();
      const auto place_of = [&](std::uint32_t code) -> std::uint32_t& {
        return (code & rank_bit) != 0 ? rank_place[code & ~rank_bit] : vertex_place[code];
      };
      for (std::uint64_t i = begin_[vertex]; i < begin_[vertex + 1]; ++i) {
        std::uint32_t& place = place_of(ends_[i].code);
        if (place == unseen) {
          place = static_cast<std::uint32_t>(distinct.size());
          distinct.push_back(ends_[i]);
        } else {
          distinct[place].weight += ends_[i].weight;
        }
      }
      for (const End& end : distinct) place_of(end.code) = unseen;
      take(distinct);
    }
  }

  double total_weight() const { return total_weight_; }
  std::size_t n_ends() const { return ends_.size(); }

 private:
  void check_edges() const {
    for (std::size_t edge = 0; edge < stats_.comm_data.size(); ++edge) {
      const LDCommData& comm = stats_.comm_data[edge];
      for (const CommEnd end : {comm.sender, comm.receiver})
        if (end.index() >= (end.is_object() ? stats_.obj_data.size() : stats_.procs.size()))
          throw support::bad_input(fmt::format("edge {} refers to {} {}, which does not exist", edge,
                                               end.is_object() ? "object" : "processor", end.index()));
      if (!std::isfinite(comm.bytes) || comm.bytes < 0 || comm.messages < 0)
        throw support::bad_input(fmt::format("invalid edge {}: {} bytes, {} messages; both must be >= 0",
                                             edge, comm.bytes, comm.messages));
    }
  }

  /// Visits both ends of each edge: `visit(vertex, other end)`.
  template <typename Visit>
  void for_each_end(const Visit& visit) const {
    for (const LDCommData& comm : stats_.comm_data) {
      const std::uint32_t from = code_of(comm.sender);
      const std::uint32_t to = code_of(comm.receiver);
      const double weight = weight_of(comm);
      if (from == to || weight == 0) continue;
      if ((from & rank_bit) == 0) visit(from, End{to, weight});
      if ((to & rank_bit) == 0) visit(to, End{from, weight});
    }
  }

  void collect() {
    // Use counting sort: begin[v + 2] counts v's ends; after summation, begin[v + 1] is the position of v's
    // next end.
    for_each_end([&](std::uint32_t vertex, const End& end) {
      ++begin_[vertex + 2];
      total_weight_ += end.weight;
    });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    if (begin_.back() > max_ends)
      throw support::usage_error(
          fmt::format("too many edge ends in the graph: {}, but partitioners support at most {}",
                      begin_.back(), max_ends));
    ends_.resize(begin_.back());
    for_each_end([&](std::uint32_t vertex, const End& end) { ends_[begin_[vertex + 1]++] = end; });
  }

  std::uint32_t code_of(CommEnd end) const {
    return end.is_object() ? code_[end.index()] : end.index() | rank_bit;
  }

  const LDStats& stats_;
  std::vector<std::uint32_t> code_;  ///< code of each object, as in End::code
  std::vector<std::uint64_t> begin_;
  std::vector<End> ends_;
  double total_weight_ = 0;
};

void add_edges(const LDStats& stats, FreeObjects& free) {
  EdgeCollector collector(stats, free.object);
  const double scale = collector.total_weight() > 0 ? sum_of_edge_weights / collector.total_weight() : 1;
  free.graph.neighbors.reserve(collector.n_ends());
  free.graph.edge_weights.reserve(collector.n_ends());
  free.graph.begin.reserve(free.object.size() + 1);
  free.ties_begin.reserve(free.object.size() + 1);
  free.ties_begin.push_back(0);
  collector.for_each_vertex([&](const std::vector<End>& ends) {
    for (const End& end : ends) {
      const auto weight = std::max(1, static_cast<std::int32_t>(end.weight * scale));
      if ((end.code & rank_bit) != 0) {
        free.ties.push_back({static_cast<std::int32_t>(end.code & ~rank_bit), weight});
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

}  // namespace plimsoll::balance
