// Does the same as `plimsoll layout solve --model cime --exact-sum` in a user's program. Solves the example
// from the documentation of CIME's tool, whose optimum is known.
#include <cmath>
#include <iostream>

#include <plimsoll/pelayout.hpp>

namespace {

constexpr const char* example = R"({
  "layout": "IceLndAtmOcn", "totaltasks": 1024,
  "ATM": {"ntasks": [32, 64, 128, 256, 512], "blocksize": 8, "cost": [427.471, 223.332, 119.580, 66.182, 37.769]},
  "OCN": {"ntasks": [32, 64, 128, 256, 512], "blocksize": 8, "cost": [15.745, 7.782, 4.383, 3.181, 2.651]},
  "LND": {"ntasks": [32, 64, 128, 256, 512], "blocksize": 8, "cost": [4.356, 2.191, 1.191, 0.705, 0.560]},
  "ICE": {"ntasks": [32, 64, 160, 320, 640], "blocksize": 8, "cost": [8.018, 4.921, 2.368, 1.557, 1.429]}})";

}  // namespace

int main() {
  using namespace plimsoll::pelayout;
  StudyRequest request{.problem = parse_problem(example, "example.json")};
  request.plan = {.model = ModelKind::cime, .exact_sum = true};
  const Study answer = study(request);
  std::cout << to_string(answer.layout.expression) << " on " << answer.total << " tasks\n";
  for (const auto& [name, value] : answer.values) std::cout << name << " = " << value << '\n';
  for (const ComponentSensitivity& component : answer.sensitivity->components)
    std::cout << component.component << (component.limiting ? " is on the critical path\n" : " has slack\n");
  return std::abs(answer.solution.time - 23.943355) < 1e-6 ? 0 : 1;
}
