#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>

namespace plimsoll::testing {

using namespace pelayout;

/// Returns a component that was measured once at each of the given counts.
inline Component measured(std::string name, const std::vector<std::int64_t>& tasks,
                          const std::vector<double>& costs, std::int64_t block_size = 1,
                          std::int64_t threads = 1) {
  Component component{std::move(name), "", block_size, {}};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    component.samples.push_back({tasks[i], threads, costs[i], 1, costs[i], costs[i]});
  }
  return component;
}

// Components of the example in the documentation of CIME's tool (example.json).
inline Component example_atm() {
  return measured("ATM", {32, 64, 128, 256, 512}, {427.471, 223.332, 119.580, 66.182, 37.769}, 8);
}
inline Component example_ocn() {
  return measured("OCN", {32, 64, 128, 256, 512}, {15.745, 7.782, 4.383, 3.181, 2.651}, 8);
}
inline Component example_lnd() {
  return measured("LND", {32, 64, 128, 256, 512}, {4.356, 2.191, 1.191, 0.705, 0.560}, 8);
}
inline Component example_ice() {
  return measured("ICE", {32, 64, 160, 320, 640}, {8.018, 4.921, 2.368, 1.557, 1.429}, 8);
}

}  // namespace plimsoll::testing
