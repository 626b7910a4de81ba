#include <plimsoll/balance/internal/used_libraries.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/partition/partitioner.hpp"

#ifdef PLIMSOLL_SCOTCH_LIBRARY
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
// Include <cstdio> first, because scotch.h requires it.
#include <scotch.h>

#include <plimsoll/support/internal/loaded_library.hpp>
#endif

namespace plimsoll::PLIMSOLL_ABI::balance {

#ifdef PLIMSOLL_SCOTCH_LIBRARY

namespace {

constexpr const char* instead_of_scotch = "use partitioner=metis (if built in) or RecBipartLB";

/// Checks the result of a Scotch function, which writes the cause of a failure to stderr.
void require(int result) {
  if (result != 0) throw Error(ErrorKind::system, {.what = "Scotch cannot partition the graph"});
}

/// Scotch, which is loaded when it is first used. Throws Error (system) if that fails.
struct Scotch {
  support::LoadedLibrary library{PLIMSOLL_SCOTCH_LIBRARY};
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, version);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, numSizeof);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, graphInit);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, graphExit);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, graphBuild);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, graphMap);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, contextInit);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, contextExit);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, contextRandomSeed);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, contextRandomReset);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, contextOptionSetNum);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, contextThreadSpawn);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, contextBindGraph);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, archInit);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, archExit);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, archCmpltw);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, stratInit);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, stratExit);
  PLIMSOLL_LOADED_FUNCTION(SCOTCH_, stratGraphMapBuild);

  Scotch() {
    library.expect_usable("Scotch", instead_of_scotch);
    int loaded[3] = {};
    version(&loaded[0], &loaded[1], &loaded[2]);
    if (loaded[0] != SCOTCH_VERSION || loaded[1] != SCOTCH_RELEASE || numSizeof() != sizeof(SCOTCH_Num))
      throw Error(ErrorKind::system, {.what = fmt::format("Scotch is version {}.{} with indices of {} bytes, "
                                                          "expected version {}.{} with {} bytes",
                                                          loaded[0], loaded[1], numSizeof(), SCOTCH_VERSION,
                                                          SCOTCH_RELEASE, sizeof(SCOTCH_Num)),
                                      .suggestion = instead_of_scotch});
  }
};

const Scotch& scotch() {
  static const Scotch loaded;
  return loaded;
}

template <typename Type, auto init, auto exit>
class Owned {
 public:
  Owned() { require((scotch().*init)(&value_)); }
  ~Owned() { (scotch().*exit)(&value_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Type* get() { return &value_; }

 private:
  Type value_;
};
using Graph = Owned<SCOTCH_Graph, &Scotch::graphInit, &Scotch::graphExit>;
using Context = Owned<SCOTCH_Context, &Scotch::contextInit, &Scotch::contextExit>;
using Architecture = Owned<SCOTCH_Arch, &Scotch::archInit, &Scotch::archExit>;
using Method = Owned<SCOTCH_Strat, &Scotch::stratInit, &Scotch::stratExit>;

// Sum of the integers that the shares are converted to.
constexpr double share_units = 1 << 28;

/// Partitions a graph of one or more vertices into two or more parts.
Partition cut(const PartitionGraph& graph, const PartShares& shares, const PartitionOptions& options) {
  const Scotch& library = scotch();
  Context context;
  library.contextRandomSeed(context.get(), static_cast<SCOTCH_Num>(options.seed & 0x7fffffff));
  library.contextRandomReset(context.get());
  require(library.contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1));
  require(library.contextThreadSpawn(context.get(), 1, nullptr));

  Indices<SCOTCH_Num> begin(graph.begin);
  Indices<SCOTCH_Num> neighbors(graph.neighbors);
  Indices<SCOTCH_Num> vertex_weights(graph.vertex_weights);
  Indices<SCOTCH_Num> edge_weights(graph.edge_weights);
  Graph plain;
  require(library.graphBuild(plain.get(), 0, graph.n_vertices(), begin.data(), nullptr, vertex_weights.data(),
                             nullptr, static_cast<SCOTCH_Num>(graph.neighbors.size()), neighbors.data(),
                             edge_weights.data()));
  Graph bound;
  require(library.contextBindGraph(context.get(), plain.get(), bound.get()));

  std::vector<SCOTCH_Num> weights;
  for (const double share : shares.values)
    weights.push_back(std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(share * share_units)));
  Architecture architecture;
  require(library.archCmpltw(architecture.get(), shares.n_parts(), weights.data()));
  Method method;
  require(library.stratGraphMapBuild(method.get(),
                                     SCOTCH_STRATBALANCE | (options.recursive ? SCOTCH_STRATRECURSIVE : 0),
                                     shares.n_parts(), options.tolerance - 1));
  std::vector<SCOTCH_Num> parts(static_cast<std::size_t>(graph.n_vertices()));
  require(library.graphMap(bound.get(), architecture.get(), method.get(), parts.data()));
  return Partition(parts.begin(), parts.end());
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

support::UsedLibrary scotch_library() {
  return support::try_library("Scotch", [](support::UsedLibrary& library) {
    int loaded[3] = {};
    scotch().version(&loaded[0], &loaded[1], &loaded[2]);
    library.version = fmt::format("{}.{}.{}", loaded[0], loaded[1], loaded[2]);
    library.index_bits = support::bits_in(static_cast<std::size_t>(scotch().numSizeof()));
  });
}

#else

support::UsedLibrary scotch_library() {
  return {.name = "Scotch", .is_built_in = false};
}

Partition partition_with_scotch(const PartitionGraph& /*graph*/, const PartShares& /*shares*/,
                                const PartitionOptions& /*options*/) {
  throw support::usage_error(
      "this Plimsoll was built without Scotch",
      "use RecBipartLB or partitioner=metis (if built in), or install libscotch-dev and rebuild");
}

#endif

}  // namespace plimsoll::balance
