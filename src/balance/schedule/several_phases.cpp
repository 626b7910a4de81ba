#include <algorithm>

#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/balance/several_phases.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

bool can_balance_phases(const StrategySpec& spec) {
  if (spec.name == offline_lb || spec.name == test_serialization_lb) return false;
  StrategyRegistry registry = StrategyRegistry::builtin();
  return registry.info(registry.resolve(spec.name)).name == "RefineLB";
}

StrategySpec tolerant(StrategySpec spec) {
  const auto is_tolerance = [](const auto& parameter) {
    return parameter.first == "tolerance" || parameter.first == "overload";
  };
  if (std::ranges::none_of(spec.parameters, is_tolerance)) spec.parameters.emplace_back("tolerance", "1.05");
  return spec;
}

void use_several_phases(LDStats& stats, std::span<const double> loads_s, std::size_t n_phases) {
  const std::size_t n_objects = stats.obj_data.size();
  stats.subphases = SubphaseLoads::zeros(n_objects, static_cast<std::uint32_t>(n_phases));
  for (std::size_t object = 0; object < n_objects; ++object) {
    double sum_s = 0;
    for (std::size_t phase = 0; phase < n_phases; ++phase) {
      const double load_s = loads_s[object * n_phases + phase] / static_cast<double>(n_phases);
      stats.subphases.of_object(object)[phase + 1] = static_cast<LBRealType>(load_s);
      sum_s += load_s;
    }
    stats.obj_data[object].walltime = static_cast<LBRealType>(sum_s);
  }
}

}  // namespace plimsoll::balance
