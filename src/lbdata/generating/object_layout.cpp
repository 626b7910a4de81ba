#include "lbdata/generating/object_layout.hpp"

#include <algorithm>

#include "lbdata/generating/counter_random.hpp"
#include "lbdata/generating/load_sampler.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

int dimensions(Topology topology) {
  switch (topology) {
    case Topology::mesh2d: return 2;
    case Topology::mesh3d: return 3;
    case Topology::none:
    case Topology::ring:
    case Topology::random: break;
  }
  return 1;
}

}  // namespace

ObjectLayout::ObjectLayout(const GenerateOptions& options)
    : topology_(options.topology),
      objects_(options.ranks * options.objects_per_rank),
      degree_(options.degree),
      seed_(options.seed),
      grid_(objects_, dimensions(options.topology)) {}

std::vector<std::int64_t> ObjectLayout::sources(std::int64_t object) const {
  switch (topology_) {
    case Topology::none: break;
    case Topology::mesh2d:
    case Topology::mesh3d: return grid_.neighbours(object);
    case Topology::random: return random_sources(object);
    case Topology::ring: {
      if (objects_ < 2) break;
      const std::int64_t before = (object + objects_ - 1) % objects_;
      const std::int64_t after = (object + 1) % objects_;
      if (before == after) return {before};
      return {before, after};
    }
  }
  return {};
}

// Selects `degree` distinct objects of the n - 1 others, with one draw each: R. Floyd's sampling (CACM 30(9),
// 1987).
std::vector<std::int64_t> ObjectLayout::random_sources(std::int64_t object) const {
  CounterRandom random(seed_, static_cast<std::uint64_t>(RandomStream::edge),
                       static_cast<std::uint64_t>(object));
  std::vector<std::int64_t> sources;  // sorted ascending
  for (std::int64_t last = objects_ - 1 - degree_; last < objects_ - 1; ++last) {
    auto drawn = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last) + 1));
    auto place = std::ranges::lower_bound(sources, drawn);
    if (place != sources.end() && *place == drawn) {
      drawn = last;
      place = sources.end();
    }
    sources.insert(place, drawn);
  }
  for (std::int64_t& source : sources) source += source >= object ? 1 : 0;
  return sources;
}

}  // namespace plimsoll::lbdata
