#include <plimsoll/balance/internal/used_libraries.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/partition/partitioner.hpp"

#ifdef PLIMSOLL_METIS_LIBRARY
#include <fmt/format.h>
#include <metis.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include <plimsoll/support/internal/loaded_library.hpp>
#endif

namespace plimsoll::PLIMSOLL_ABI::balance {

#ifdef PLIMSOLL_METIS_LIBRARY

namespace {

constexpr const char* instead_of_metis = "use partitioner=scotch (if built in) or RecBipartLB";

/// METIS, which is loaded when it is first used. Throws Error (system) if that fails.
struct Metis {
  support::LoadedLibrary library{PLIMSOLL_METIS_LIBRARY};
  decltype(&METIS_SetDefaultOptions) set_default_options = library.function("METIS_SetDefaultOptions");
  decltype(&METIS_PartGraphKway) part_kway = library.function("METIS_PartGraphKway");
  decltype(&METIS_PartGraphRecursive) part_recursive = library.function("METIS_PartGraphRecursive");

  Metis() {
    library.expect_usable("METIS", instead_of_metis);
    if (index_bytes() != sizeof(idx_t))
      throw Error(ErrorKind::system, {.what = fmt::format("METIS has indices of {} bytes, expected {}",
                                                          index_bytes(), sizeof(idx_t)),
                                      .suggestion = instead_of_metis});
  }

  std::size_t index_bytes() const {
    // METIS sets all options. Only 64-bit ones occupy the last element.
    std::array<std::int64_t, METIS_NOPTIONS> options{};
    set_default_options(reinterpret_cast<idx_t*>(options.data()));
    return options.back() == 0 ? 4 : 8;
  }
};

const Metis& metis() {
  static const Metis loaded;
  return loaded;
}

// Minimum share: METIS rejects shares of 0, which include shares below a float's precision.
constexpr double minimum_share = 1e-6;

using MetisFunction = decltype(Metis::part_kway);

Partition call(MetisFunction function, const PartitionGraph& graph, const PartShares& shares,
               double tolerance, const PartitionOptions& given) {
  std::vector<real_t> targets;
  for (const double share : shares.values)
    targets.push_back(static_cast<real_t>(std::max(share, minimum_share)));
  std::vector<real_t> tolerances(static_cast<std::size_t>(shares.n_dimensions),
                                 static_cast<real_t>(tolerance));
  idx_t options[METIS_NOPTIONS];
  metis().set_default_options(options);
  options[METIS_OPTION_SEED] = static_cast<idx_t>(given.seed & 0x7fffffff);
  options[METIS_OPTION_NCUTS] = given.n_cuts;

  idx_t n_vertices = graph.n_vertices();
  idx_t n_dimensions = graph.n_dimensions;
  idx_t n_parts = shares.n_parts();
  idx_t cut = 0;
  Indices<idx_t> begin(graph.begin);
  Indices<idx_t> neighbors(graph.neighbors);
  Indices<idx_t> vertex_weights(graph.vertex_weights);
  Indices<idx_t> edge_weights(graph.edge_weights);
  std::vector<idx_t> parts(static_cast<std::size_t>(n_vertices));
  // Serialise the calls: METIS uses the C library's global random sequence, and restarts it in every call.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const int result =
      function(&n_vertices, &n_dimensions, begin.data(), neighbors.data(), vertex_weights.data(), nullptr,
               edge_weights.data(), &n_parts, targets.data(), tolerances.data(), options, &cut, parts.data());
  if (result != METIS_OK)
    throw Error(
        ErrorKind::system,
        {.what = fmt::format("METIS cannot partition a graph of {} vertices and {} edges (METIS error {}{})",
                             n_vertices, graph.neighbors.size() / 2, result,
                             result == METIS_ERROR_MEMORY ? ", out of memory" : "")});
  return Partition(parts.begin(), parts.end());
}

}  // namespace

Partition partition_with_metis(const PartitionGraph& graph, const PartShares& shares,
                               const PartitionOptions& options) {
  const std::int32_t n_parts = shares.n_parts();
  if (n_parts < 2 || graph.n_vertices() == 0) return Partition(static_cast<std::size_t>(graph.n_vertices()));
  // Avoid METIS's error output on stdout, which it prints when it partitions a piece without vertices.
  if (fine_grained(graph, shares))
    return call(options.recursive ? metis().part_recursive : metis().part_kway, graph, shares,
                options.tolerance, options);
  // Reduce the tolerance, because the tolerances of the bisections multiply.
  const double tolerance = std::pow(options.tolerance, 1 / std::max(1.0, std::ceil(std::log2(n_parts))));
  return partition_by_bisection(graph, shares, [&](const PartitionGraph& piece, const PartShares& two) {
    return call(metis().part_recursive, piece, two, tolerance, options);
  });
}

support::UsedLibrary metis_library() {
  return support::try_library("METIS", [](support::UsedLibrary& library) {
    library.index_bits = support::bits_in(metis().index_bytes());
    // Only the header contains the version.
    library.version =
        fmt::format("{}.{}.{} when built", METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR);
  });
}

#else

support::UsedLibrary metis_library() {
  return {.name = "METIS", .is_built_in = false};
}

Partition partition_with_metis(const PartitionGraph& /*graph*/, const PartShares& /*shares*/,
                               const PartitionOptions& /*options*/) {
  throw support::usage_error(
      "this Plimsoll was built without METIS",
      "use RecBipartLB or partitioner=scotch (if built in), or install libmetis-dev and rebuild");
}

#endif

}  // namespace plimsoll::balance
