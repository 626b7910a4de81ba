// Feeds text to the reader of external layout solvers' answers. Accepted answers must fit on the available
// processors and contain valid numbers.

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/solvers/external_solver.hpp"

namespace pelayout = plimsoll::pelayout;

namespace {

constexpr std::int64_t total = 128;

pelayout::Component component(const std::string& name, std::vector<pelayout::Sample> samples) {
  pelayout::Component component;
  component.name = name;
  component.samples = std::move(samples);
  return component;
}

/// Problems with and without thread counts.
struct Data {
  explicit Data(std::int64_t threads) {
    problem.components = {
        component("ATM", {{.tasks = 32, .cost = 40}, {.tasks = 64, .threads = threads, .cost = 20}}),
        component("OCN", {{.tasks = 8, .cost = 30}})};
    models = make_component_models(problem, pelayout::ModelKind::linear, total);
  }
  pelayout::Problem problem;
  std::vector<pelayout::ComponentModel> models;
};

void check(const pelayout::ExternalAnswer& answer) {
  if (!std::isfinite(answer.time) || answer.time < 0 || answer.values.empty()) std::abort();
  for (const auto& [name, value] : answer.values)
    if (!std::isfinite(value)) std::abort();
  for (const pelayout::Place& place : answer.places)
    if (place.tasks < 1 || place.threads < 1 || place.root < 0 || place.root + place.processors > total ||
        !std::isfinite(place.cost))
      std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const Data sets[] = {Data(1), Data(4)};
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const Data& set : sets) {
    try {
      check(pelayout::read_external_answer(text, "./solver", set.problem, set.models, total));
    } catch (const plimsoll::Error&) {
    }
  }
  return 0;
}
