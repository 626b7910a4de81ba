#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// Law of the work in a program: which objects have how much in which phase, relative to 1 for the mean
/// object of uniform work. Simulated programs and bench/scenarios use the same laws.
struct WorkLaw {
  std::string name;
  double (*work)(std::size_t object, std::size_t n_objects, std::size_t n_ranks, int phase, int n_phases);
};

namespace laws {

inline bool is_on_rank(std::size_t rank, std::size_t object, std::size_t n_objects, std::size_t n_ranks) {
  return object * n_ranks / n_objects == rank;
}

inline double uniform(std::size_t, std::size_t, std::size_t, int, int) {
  return 1;
}

/// From a quarter of the run on, the objects of rank 0 have three times the work.
inline double jump(std::size_t object, std::size_t n_objects, std::size_t n_ranks, int phase, int n_phases) {
  return phase >= n_phases / 4 && is_on_rank(0, object, n_objects, n_ranks) ? 3 : 1;
}

/// The objects of rank 0 and those of rank 1 have three times the work in turn, for `period` phases each.
template <int period>
double flip(std::size_t object, std::size_t n_objects, std::size_t n_ranks, int phase, int) {
  const std::size_t heavy = phase / period % 2 == 0 ? 0 : 1;
  return is_on_rank(heavy, object, n_objects, n_ranks) ? 3 : 1;
}

/// A hot spot moves across all objects once within `phases` phases, again and again.
template <int phases>
double drift(std::size_t object, std::size_t n_objects, std::size_t, int phase, int) {
  const double place = static_cast<double>(object) / static_cast<double>(n_objects);
  const double centre = static_cast<double>(phase) / phases;
  const double apart = place - (centre - std::floor(centre));
  const double distance = std::min(std::abs(apart), 1 - std::abs(apart));
  return 0.3 + 3 * std::exp(-40 * distance * distance);
}

/// One object has as much work as the others on its rank.
inline double heavy_object(std::size_t object, std::size_t n_objects, std::size_t n_ranks, int, int) {
  return object == 0 ? static_cast<double>(n_objects) / static_cast<double>(n_ranks) : 1;
}

/// The work of rank 0 grows by 5 % of the mean in each phase.
inline double growth(std::size_t object, std::size_t n_objects, std::size_t n_ranks, int phase, int) {
  return is_on_rank(0, object, n_objects, n_ranks) ? 1 + 0.05 * phase : 1;
}

/// The objects of rank 0 have twice the work from the start.
inline double uneven(std::size_t object, std::size_t n_objects, std::size_t n_ranks, int, int) {
  return is_on_rank(0, object, n_objects, n_ranks) ? 2 : 1;
}

}  // namespace laws

inline const std::vector<WorkLaw>& work_laws() {
  static const std::vector<WorkLaw> all = {
      {"uniform", &laws::uniform},
      {"uneven", &laws::uneven},
      {"jump", &laws::jump},
      {"flip_2", &laws::flip<2>},
      {"flip_10", &laws::flip<10>},
      {"flip_25", &laws::flip<25>},
      {"drift_slow", &laws::drift<400>},
      {"drift", &laws::drift<100>},
      {"drift_fast", &laws::drift<30>},
      {"heavy_object", &laws::heavy_object},
      {"growth", &laws::growth},
  };
  return all;
}

}  // namespace plimsoll::balance::testing
