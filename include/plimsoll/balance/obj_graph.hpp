#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Whether to build the edges of an ObjGraph. Strategies that ignore communication save this work.
enum class GraphEdges { build, ignore };

/// Objects, their communication, and their new processors (Charm++'s ObjGraph). Vertex v is object v of the
/// LDStats, which must outlive the graph and not change.
class ObjGraph {
 public:
  /// Communication with one neighbour.
  struct Edge {
    std::uint32_t neighbor = 0;  ///< vertex of the neighbour
    std::int64_t messages = 0;
    double bytes = 0;
  };
  static constexpr std::int32_t no_pe = -1;  ///< new_pe() of an object that is not placed yet

  /// Builds the graph. Cost: O(objects + edges). Edges with a processor at one end, and edges from an object
  /// to itself, are excluded. Throws Error (bad_input) for an edge to an object that does not exist.
  explicit ObjGraph(const LDStats& stats, GraphEdges edges = GraphEdges::build);

  std::uint32_t n_vertices() const { return static_cast<std::uint32_t>(new_pe_.size()); }
  /// Returns the load in seconds at speed 1.
  double compute_load(std::uint32_t vertex) const {
    return static_cast<double>(stats_.obj_data[vertex].walltime);
  }
  bool migratable(std::uint32_t vertex) const { return stats_.obj_data[vertex].migratable; }
  std::int32_t current_pe(std::uint32_t vertex) const { return stats_.from_proc[vertex]; }

  /// Returns the new processor of a vertex, or no_pe if not placed yet.
  std::int32_t new_pe(std::uint32_t vertex) const { return new_pe_[vertex]; }
  void set_new_pe(std::uint32_t vertex, std::int32_t pe) { new_pe_[vertex] = pe; }

  /// Returns the edges that a vertex sends or receives along, in the order of LDStats::comm_data.
  std::span<const Edge> outgoing(std::uint32_t vertex) const { return edges_of(outgoing_, vertex); }
  std::span<const Edge> incoming(std::uint32_t vertex) const { return edges_of(incoming_, vertex); }

  /// Writes to_proc of the same stats: the new processor of each object, or from_proc if it has none. Throws
  /// Error (usage) if a non-migratable object would migrate, or if a new processor does not exist or is not
  /// available. In this case it writes nothing.
  void convert_decisions(LDStats& stats) const;

 private:
  /// Adjacency lists as compressed sparse rows; both arrays are empty without edges.
  struct Adjacency {
    std::vector<std::uint64_t> begin;
    std::vector<Edge> edges;
  };
  void check_edges() const;
  Adjacency adjacency(bool from_sender) const;
  std::span<const Edge> edges_of(const Adjacency& adjacency, std::uint32_t vertex) const {
    if (adjacency.edges.empty()) return {};
    return std::span(adjacency.edges)
        .subspan(adjacency.begin[vertex], adjacency.begin[vertex + 1] - adjacency.begin[vertex]);
  }

  const LDStats& stats_;
  std::vector<std::int32_t> new_pe_;
  Adjacency outgoing_;
  Adjacency incoming_;
};

}  // namespace plimsoll::balance
