#include <plimsoll/support/error.hpp>

#include "balance/partition/partitioner.hpp"

#ifdef PLIMSOLL_WITH_SCOTCH
#include <algorithm>
#include <cstdio>
#include <string>
#include <type_traits>
// Include <cstdio> first, because scotch.h requires it.
#include <scotch.h>

#endif

namespace plimsoll::PLIMSOLL_ABI::balance {

#ifdef PLIMSOLL_WITH_SCOTCH

namespace {

static_assert(std::is_same_v<SCOTCH_Num, std::int32_t>,
              "PartitionGraph requires Scotch with 32-bit indices, as in its packages");

/// Checks the result of a Scotch function. Scotch writes the cause of a failure to stderr, because its
/// message functions belong to the program, which may define its own.
void require(int result) {
  if (result != 0) throw Error(ErrorKind::system, {.what = "Scotch cannot partition the graph"});
}

template <typename Type, auto init, auto exit>
class Owned {
 public:
  Owned() { require(init(&value_)); }
  ~Owned() { exit(&value_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Type* get() { return &value_; }

 private:
  Type value_;
};
using Graph = Owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using Context = Owned<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;
using Architecture = Owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using Method = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;

// Sum of the integers that the shares are converted to.
constexpr double share_units = 1 << 28;

/// Partitions a graph of one or more vertices into two or more parts.
Partition cut(const PartitionGraph& graph, const PartShares& shares, const PartitionOptions& options) {
  Context context;
  SCOTCH_contextRandomSeed(context.get(), static_cast<SCOTCH_Num>(options.seed & 0x7fffffff));
  SCOTCH_contextRandomReset(context.get());
  require(SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1));
  require(SCOTCH_contextThreadSpawn(context.get(), 1, nullptr));

  Graph plain;
  require(SCOTCH_graphBuild(
      plain.get(), 0, graph.n_vertices(), graph.begin.data(), nullptr, graph.vertex_weights.data(), nullptr,
      static_cast<SCOTCH_Num>(graph.neighbors.size()), graph.neighbors.data(), graph.edge_weights.data()));
  Graph bound;
  require(SCOTCH_contextBindGraph(context.get(), plain.get(), bound.get()));

  std::vector<SCOTCH_Num> weights;
  for (const double share : shares.values)
    weights.push_back(std::max(1, static_cast<SCOTCH_Num>(share * share_units)));
  Architecture architecture;
  require(SCOTCH_archCmpltw(architecture.get(), shares.n_parts(), weights.data()));
  Method method;
  require(SCOTCH_stratGraphMapBuild(method.get(),
                                    SCOTCH_STRATBALANCE | (options.recursive ? SCOTCH_STRATRECURSIVE : 0),
                                    shares.n_parts(), options.tolerance - 1));
  Partition parts(static_cast<std::size_t>(graph.n_vertices()));
  require(SCOTCH_graphMap(bound.get(), architecture.get(), method.get(), parts.data()));
  return parts;
}

}  // namespace

Partition partition_with_scotch(const PartitionGraph& graph, const PartShares& shares,
                                const PartitionOptions& options) {
  if (graph.n_dimensions != 1)
    throw support::usage_error("Scotch supports only one load dimension",
                               "use partitioner=metis, or remove the additional load dimensions");
  if (shares.n_parts() < 2) return Partition(static_cast<std::size_t>(graph.n_vertices()));
  // Work around a bug of Scotch 7.0.3: it writes out of bounds when it partitions a graph of few vertices
  // into many parts at once.
  if (fine_grained(graph, shares)) return cut(graph, shares, options);
  PartitionOptions bisection = options;
  bisection.recursive = true;
  return partition_by_bisection(graph, shares, [&](const PartitionGraph& piece, const PartShares& two) {
    return cut(piece, two, bisection);
  });
}

#else

Partition partition_with_scotch(const PartitionGraph& /*graph*/, const PartShares& /*shares*/,
                                const PartitionOptions& /*options*/) {
  throw support::usage_error(
      "this Plimsoll was built without Scotch",
      "use RecBipartLB or partitioner=metis (if built in), or install libscotch-dev and rebuild");
}

#endif

}  // namespace plimsoll::balance
