#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <plimsoll/collectives/internal/time_windows.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Number of a region that the program marks: 0 is the time outside all regions, and the last number stands
/// for all regions whose names are too many.
using Region = std::uint32_t;
inline constexpr Region no_region = 0;
inline constexpr Region max_named_regions = 64;
inline constexpr Region other_regions = max_named_regions + 1;

/// Sums of a time, by region.
using RegionTimes = std::array<std::uint64_t, other_regions + 1>;

/// Sums of a time of this rank, by parts of the run. Times are in ns since the run began.
struct PartTimes {
  TimeWindows windows;
  RegionTimes regions_ns = {};

  void add(std::uint64_t begin_ns, std::uint64_t end_ns, Region region) {
    windows.add(begin_ns, end_ns);
    regions_ns[region] += end_ns - begin_ns;
  }
  /// Adds a time, distributed evenly over an interval.
  void spread(std::uint64_t time_ns, std::uint64_t begin_ns, std::uint64_t end_ns, Region region) {
    windows.spread(time_ns, begin_ns, end_ns);
    regions_ns[region] += time_ns;
  }
  void add(const PartTimes& other) {
    windows.add(other.windows);
    for (std::size_t region = 0; region < regions_ns.size(); ++region)
      regions_ns[region] += other.regions_ns[region];
  }
  std::uint64_t total_ns() const {
    return std::accumulate(regions_ns.begin(), regions_ns.end(), std::uint64_t{0});
  }
};

}  // namespace plimsoll::collectives
