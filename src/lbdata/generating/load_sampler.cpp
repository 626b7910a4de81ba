#include "lbdata/generating/load_sampler.hpp"

#include <algorithm>
#include <cmath>

#include "lbdata/generating/counter_random.hpp"
#include "lbdata/generating/portable_math.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

LoadSampler::LoadSampler(const GenerateOptions& options) : options_(options) {
  // Compute sigma^2 = ln((m^2 + v) / m^2) and mu = ln(m^2 / sqrt(m^2 + v)), as LBAF does.
  const double log_variance = portable_log(1 + options.variance_s2 / options.mean_s / options.mean_s);
  log_mean_ = portable_log(options.mean_s) - log_variance / 2;
  log_deviation_ = std::sqrt(log_variance);
}

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
    case LoadLaw::lognormal: return portable_exp(log_mean_ + log_deviation_ * random.normal());
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

}  // namespace plimsoll::lbdata
