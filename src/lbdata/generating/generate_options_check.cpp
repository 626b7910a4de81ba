#include "lbdata/generating/generate_options_check.hpp"

#include <fmt/format.h>

#include <plimsoll/support/error.hpp>

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
constexpr double widest_lognormal = 1e12;

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

}  // namespace

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

}  // namespace plimsoll::lbdata
