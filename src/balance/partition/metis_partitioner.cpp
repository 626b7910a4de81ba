#include <plimsoll/support/error.hpp>

#include "balance/partition/partitioner.hpp"

#ifdef PLIMSOLL_WITH_METIS
#include <fmt/format.h>
#include <metis.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <type_traits>

#endif

namespace plimsoll::PLIMSOLL_ABI::balance {

#ifdef PLIMSOLL_WITH_METIS

namespace {

static_assert(std::is_same_v<idx_t, std::int32_t>,
              "PartitionGraph requires METIS with 32-bit indices, as in its packages");

// Minimum share: METIS rejects shares of 0, which include shares below a float's precision.
constexpr double minimum_share = 1e-6;

using MetisFunction = decltype(&METIS_PartGraphKway);

Partition call(MetisFunction function, const PartitionGraph& graph, const PartShares& shares,
               double tolerance, const PartitionOptions& given) {
  std::vector<real_t> targets;
  for (const double share : shares.values)
    targets.push_back(static_cast<real_t>(std::max(share, minimum_share)));
  std::vector<real_t> tolerances(static_cast<std::size_t>(shares.n_dimensions),
                                 static_cast<real_t>(tolerance));
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = static_cast<idx_t>(given.seed & 0x7fffffff);
  options[METIS_OPTION_NCUTS] = given.n_cuts;

  idx_t n_vertices = graph.n_vertices();
  idx_t n_dimensions = graph.n_dimensions;
  idx_t n_parts = shares.n_parts();
  idx_t cut = 0;
  Partition parts(static_cast<std::size_t>(n_vertices));
  // Cast away const for METIS's interface, which only reads these arrays if numbering starts at 0.
  const auto unconst = [](const std::vector<std::int32_t>& values) {
    return const_cast<idx_t*>(values.data());
  };
  // Serialise the calls: METIS uses the C library's global random sequence, and restarts it in every call.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const int result = function(&n_vertices, &n_dimensions, unconst(graph.begin), unconst(graph.neighbors),
                              unconst(graph.vertex_weights), nullptr, unconst(graph.edge_weights), &n_parts,
                              targets.data(), tolerances.data(), options, &cut, parts.data());
  if (result != METIS_OK)
    throw Error(
        ErrorKind::system,
        {.what = fmt::format("METIS cannot partition a graph of {} vertices and {} edges (METIS error {}{})",
                             n_vertices, graph.neighbors.size() / 2, result,
                             result == METIS_ERROR_MEMORY ? ", out of memory" : "")});
  return parts;
}

}  // namespace

Partition partition_with_metis(const PartitionGraph& graph, const PartShares& shares,
                               const PartitionOptions& options) {
  const std::int32_t n_parts = shares.n_parts();
  if (n_parts < 2 || graph.n_vertices() == 0) return Partition(static_cast<std::size_t>(graph.n_vertices()));
  // Avoid METIS's error output on stdout, which it prints when it partitions a piece without vertices.
  if (fine_grained(graph, shares))
    return call(options.recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway, graph, shares,
                options.tolerance, options);
  // Reduce the tolerance, because the tolerances of the bisections multiply.
  const double tolerance = std::pow(options.tolerance, 1 / std::max(1.0, std::ceil(std::log2(n_parts))));
  return partition_by_bisection(graph, shares, [&](const PartitionGraph& piece, const PartShares& two) {
    return call(METIS_PartGraphRecursive, piece, two, tolerance, options);
  });
}

#else

Partition partition_with_metis(const PartitionGraph& /*graph*/, const PartShares& /*shares*/,
                               const PartitionOptions& /*options*/) {
  throw support::usage_error(
      "this Plimsoll was built without METIS",
      "use RecBipartLB or partitioner=scotch (if built in), or install libmetis-dev and rebuild");
}

#endif

}  // namespace plimsoll::balance
