#include <algorithm>

#include <plimsoll/balance/steady_loads.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

std::vector<double> steady_loads(const LoadHistory& history, Steady which) {
  std::vector<double> steady;
  steady.reserve(history.n_objects());
  std::vector<double> of_phase;
  for (ObjectIndex object = 0; object < history.n_objects(); ++object) {
    const std::size_t n = std::min(history.n_phases(object), steady_phases);
    of_phase.clear();
    for (std::size_t back = 1; back <= n; ++back)
      of_phase.push_back(history.load_s(object, static_cast<std::int64_t>(back)));
    std::ranges::sort(of_phase);
    steady.push_back(of_phase[which == Steady::minimum ? 0 : (n - 1) / 2]);
  }
  return steady;
}

std::vector<double> loads_of_phases(const LoadHistory& history, std::size_t n_phases) {
  std::vector<double> loads_s;
  loads_s.reserve(history.n_objects() * n_phases);
  for (ObjectIndex object = 0; object < history.n_objects(); ++object)
    for (std::size_t back = 1; back <= n_phases; ++back)
      loads_s.push_back(history.load_s(object, static_cast<std::int64_t>(back)));
  return loads_s;
}

}  // namespace plimsoll::balance
