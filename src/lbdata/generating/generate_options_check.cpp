#include "lbdata/generating/generate_options_check.hpp"

#include <fmt/format.h>

#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::lbdata {

namespace {

template <class Number>
void expect_in_range(const char* what, Number value, Number least, Number most) {
  if (value >= least && value <= most) return;
  throw support::usage_error(fmt::format("cannot generate data with {} {}", what, value),
                             fmt::format("choose a value from {} to {}", least, most));
}

constexpr std::int64_t most_objects = std::int64_t{1} << 40;
constexpr std::int64_t most_ranks = 0x7fffffff;
constexpr std::int64_t most_ranks_with_sentinels = 65536;  // limit of an id's home bits
constexpr double longest_s = 1e12;
constexpr double widest_lognormal = 1e12;

void check_loads(const GenerateOptions& options) {
  expect_in_range("a mean load (seconds) of", options.mean_s, 1e-12, longest_s);
  expect_in_range("a load variance (square seconds) of", options.variance_s2, 0.0, longest_s * longest_s);
  const double relative = options.variance_s2 / options.mean_s / options.mean_s;
  if (options.law == LoadLaw::uniform && relative > 1.0 / 3) {
    throw support::usage_error(
        fmt::format("uniform loads of mean {} and variance {} would be negative", options.mean_s,
                    options.variance_s2),
        fmt::format("choose a variance of at most mean^2 / 3 = {}", options.mean_s * options.mean_s / 3));
  }
  if (options.law == LoadLaw::lognormal && relative > widest_lognormal) {
    throw support::usage_error(fmt::format("lognormal loads of mean {} and variance {} spread too far",
                                           options.mean_s, options.variance_s2),
                               fmt::format("choose a variance of at most {} mean^2", widest_lognormal));
  }
  expect_in_range("a hot factor of", options.hot_factor, 0.0, 1e12);
  expect_in_range("a hot fraction of", options.hot_fraction, 0.0, 1.0);
  expect_in_range("a phase noise of", options.phase_noise, 0.0, 1.0);
  expect_in_range("a sentinel load (seconds) of", options.sentinel_load_s, 0.0, longest_s);
}

}  // namespace

void check(const GenerateOptions& options) {
  expect_in_range<std::int64_t>("a number of ranks of", options.ranks, 1, most_ranks);
  expect_in_range<std::int64_t>("a number of objects per rank of", options.objects_per_rank, 0,
                                most_objects / options.ranks);
  expect_in_range<std::int64_t>("a number of phases of", options.phases, 0, most_ranks);
  expect_in_range<std::int64_t>("a number of subphases of", options.subphases, 0, 1000000);
  expect_in_range<std::int64_t>("a number of sentinels per rank of", options.sentinels, 0, 1000000);
  expect_in_range<std::int64_t>("a number of ranks per node of", options.ranks_per_node, 0, most_ranks);
  expect_in_range<std::int64_t>("a number of messages of", options.messages, 0, std::int64_t{1} << 53);
  expect_in_range("bytes per message of", options.bytes_per_message, 0.0, 1e18);
  check_loads(options);
  if (options.sentinels > 0 && options.ranks > most_ranks_with_sentinels) {
    throw support::usage_error(
        fmt::format("the ids of sentinels have no room for {} ranks", options.ranks),
        fmt::format("choose no sentinels, or at most {} ranks", most_ranks_with_sentinels));
  }
  if (options.topology == Topology::random) {
    const std::int64_t others = options.ranks * options.objects_per_rank - 1;
    expect_in_range<std::int64_t>("a degree of", options.degree, 0, others < 0 ? 0 : others);
  }
}

}  // namespace plimsoll::lbdata
