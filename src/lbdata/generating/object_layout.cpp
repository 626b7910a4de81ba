#include "lbdata/generating/object_layout.hpp"

#include <algorithm>
#include <cmath>

#include <plimsoll/support/json_writer.hpp>

#include "lbdata/generating/portable_random.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

// Returns the largest divisor of `count` whose `power`-th power does not exceed `count`.
std::int64_t root_divisor(std::int64_t count, int power) {
  const auto fits = [=](std::int64_t side) {
    std::int64_t rest = count;
    for (int k = 0; k < power; ++k) rest /= side;
    return rest > 0;
  };
  std::int64_t best = 1;
  for (std::int64_t side = 1; fits(side); ++side) {
    if (count % side == 0) best = side;
  }
  return best;
}

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

/// JSON object that is empty text without members. Members must be added in alphabetical order.
class MemberText {
 public:
  MemberText() : json_(text_) { json_.begin_object(); }

  template <class Value>
  void add(const char* name, Value value) {
    json_.member(name, value);
    has_members_ = true;
  }
  void add_size(const char* name, double bytes) {
    if (bytes > 0) add(name, bytes);
  }
  std::string take() {
    json_.end_object();
    return has_members_ ? std::move(text_) : std::string();
  }

 private:
  std::string text_;
  support::JsonWriter json_;
  bool has_members_ = false;
};

}  // namespace

Grid::Grid(std::int64_t count, int dimensions) {
  for (int power = dimensions; power > 1; --power) {
    sides_.push_back(count > 0 ? root_divisor(count, power) : 1);
    count /= sides_.back();
  }
  sides_.push_back(count);
  std::ranges::sort(sides_, std::greater());
}

std::vector<std::int64_t> Grid::coordinates(std::int64_t cell) const {
  std::vector<std::int64_t> result(sides_.size());
  for (std::size_t k = sides_.size(); k-- > 0;) {
    result[k] = cell % sides_[k];
    cell /= sides_[k];
  }
  return result;
}

std::vector<std::int64_t> Grid::neighbours(std::int64_t cell) const {
  std::vector<std::int64_t> result;
  const std::vector<std::int64_t> position = coordinates(cell);
  std::int64_t stride = 1;
  for (const std::int64_t side : sides_) stride *= side;
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    stride /= sides_[k];
    if (position[k] > 0) result.push_back(cell - stride);
    if (position[k] + 1 < sides_[k]) result.push_back(cell + stride);
  }
  return result;
}

LoadSampler::LoadSampler(const GenerateOptions& options)
    : options_(options), lognormal_(Sampler::lognormal(options.mean_s, options.variance_s2)) {}

double LoadSampler::base_s(std::int64_t object) const {
  CounterRandom random(options_.seed, static_cast<std::uint64_t>(RandomStream::load),
                       static_cast<std::uint64_t>(object));
  switch (options_.law) {
    case LoadLaw::constant:
    case LoadLaw::moving_hot_spot: break;
    case LoadLaw::uniform: {
      const double half_width = std::sqrt(3 * options_.variance_s2);
      return std::max(0.0, options_.mean_s + half_width * (2 * random.uniform() - 1));
    }
    case LoadLaw::lognormal: return lognormal_.draw(random);
    case LoadLaw::u4: {
      const double u = random.uniform();
      return 10e-6 + 2990e-6 * (u * u) * (u * u);
    }
    case LoadLaw::ramp: {
      const auto objects = static_cast<double>(options_.ranks * options_.objects_per_rank);
      return options_.mean_s * (2 * static_cast<double>(object) + 1) / objects;
    }
  }
  return options_.mean_s;
}

double LoadSampler::load_s(double base_s, std::int64_t object, std::int64_t phase) const {
  double load = base_s;
  if (options_.law == LoadLaw::moving_hot_spot && is_hot(object, phase)) load *= options_.hot_factor;
  if (options_.phase_noise > 0) {
    CounterRandom random(options_.seed, static_cast<std::uint64_t>(RandomStream::noise),
                         static_cast<std::uint64_t>(object), static_cast<std::uint64_t>(phase));
    load *= 1 + options_.phase_noise * (2 * random.uniform() - 1);
  }
  return load;
}

bool LoadSampler::is_hot(std::int64_t object, std::int64_t phase) const {
  const std::int64_t objects = options_.ranks * options_.objects_per_rank;
  const auto hot = static_cast<std::int64_t>(options_.hot_fraction * static_cast<double>(objects));
  const std::int64_t first = phase % options_.ranks * options_.objects_per_rank;
  return (object - first + objects) % objects < hot;
}

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

std::string object_memory_text(const GenerateOptions& options, std::int64_t rank, std::int64_t number) {
  MemberText text;
  if (options.blocks_per_rank > 0) text.add("home_rank", rank);
  text.add_size("rank_working_bytes", options.rank_bytes);
  if (options.blocks_per_rank > 0) {
    // Consecutive objects share a block; the last block also has the remainder.
    const std::int64_t size = options.objects_per_rank / options.blocks_per_rank;
    const std::int64_t block = std::min(number / size, options.blocks_per_rank - 1);
    text.add_size("shared_bytes", options.block_bytes);
    text.add("shared_id", rank * options.blocks_per_rank + block);
  }
  text.add_size("task_footprint_bytes", options.footprint_bytes);
  text.add_size("task_serialized_bytes", options.serialized_bytes);
  text.add_size("task_working_bytes", options.working_bytes);
  return text.take();
}

std::string rank_memory_text(const GenerateOptions& options) {
  MemberText text;
  text.add_size("rank_working_bytes", options.rank_bytes);
  return text.take();
}

}  // namespace plimsoll::lbdata
