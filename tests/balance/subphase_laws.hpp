#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// Distribution of loads over subphases after which the ranks synchronise.
struct SubphaseLaw {
  /// Object for which a load is drawn. `index` is its position among all objects, from 0 to 1.
  struct Object {
    std::size_t number;
    double index;
    double u;  ///< random number of the object, from 0 to 1
  };
  std::string name;
  std::uint32_t n_subphases;
  /// Returns the load of an object in a subphase.
  std::function<double(const Object&, std::uint32_t, Random&)> load;
};

inline std::vector<SubphaseLaw> subphase_laws() {
  using Object = SubphaseLaw::Object;
  const auto any = [](Random& random) { return 0.1 + random.uniform(); };
  return {
      {"correlated", 4,
       [](const Object& object, std::uint32_t, Random&) { return (0.2 + object.index) * (0.1 + object.u); }},
      {"independent", 4, [=](const Object&, std::uint32_t, Random& random) { return any(random); }},
      {"sparse", 4,
       [=](const Object&, std::uint32_t, Random& random) {
         return random.uniform() < 0.4 ? any(random) : 0;
       }},
      {"heavy", 4,
       [=](const Object&, std::uint32_t subphase, Random& random) {
         return (subphase == 2 ? 10 : 1) * any(random);
       }},
      {"alternating", 4,
       [=](const Object& object, std::uint32_t subphase, Random& random) {
         return object.number % 2 == subphase % 2 ? any(random) : 0;
       }},
      {"half_empty", 4,
       [=](const Object& object, std::uint32_t subphase, Random& random) {
         return subphase == 3 && object.index < 0.5 ? 0 : any(random);
       }},
      {"opposite", 2,
       [=](const Object& object, std::uint32_t subphase, Random& random) {
         return (subphase == 0 ? 0.1 + object.index : 1.1 - object.index) * any(random);
       }},
      {"hot_spots", 4,
       [=](const Object& object, std::uint32_t subphase, Random& random) {
         const bool is_hot = std::floor(4 * object.index) == subphase && object.index * 4 - subphase < 0.4;
         return (is_hot ? 10 : 1) * any(random);
       }},
      {"skewed", 3,
       [](const Object&, std::uint32_t, Random& random) { return 0.003 + std::pow(random.uniform(), 4); }},
      {"one_each", 4,
       [=](const Object& object, std::uint32_t subphase, Random& random) {
         return std::floor(4 * object.u) == subphase ? any(random) : 0;
       }},
      {"decaying", 8,
       [=](const Object&, std::uint32_t subphase, Random& random) {
         return std::pow(0.6, subphase) * any(random);
       }},
      {"whole_numbers", 4,
       [](const Object&, std::uint32_t, Random& random) { return static_cast<double>(random.next() % 6); }}};
}

/// Creates objects in blocks, without load outside of subphases.
inline LDStats stats_by_law(const SubphaseLaw& law, std::size_t n_objs, std::size_t n_procs,
                            std::uint64_t seed) {
  Random random(seed);
  LDStats stats;
  stats.procs.resize(n_procs);
  stats.subphases.count = law.n_subphases + 1;
  for (std::size_t number = 0; number < n_objs; ++number) {
    const SubphaseLaw::Object object{number, static_cast<double>(number) / static_cast<double>(n_objs),
                                     random.uniform()};
    double sum = 0;
    stats.subphases.loads.push_back(0);
    for (std::uint32_t subphase = 0; subphase < law.n_subphases; ++subphase) {
      const double load_s = law.load(object, subphase, random);
      stats.subphases.loads.push_back(static_cast<LBRealType>(load_s));
      sum += load_s;
    }
    stats.obj_data.push_back({static_cast<LBRealType>(sum), true});
    stats.from_proc.push_back(static_cast<std::int32_t>(number * n_procs / n_objs));
  }
  stats.to_proc = stats.from_proc;
  return stats;
}

}  // namespace plimsoll::balance::testing
