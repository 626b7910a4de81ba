// What the elements compute, and how much work it is.
#pragma once

#include <cstdint>
#include <vector>

#include "random.hpp"
#include "topology.hpp"

struct Problem {
  int elements = 0;
  int steps = 0;
  int minimum_us = 0;  // work per element and step, in microseconds
  int maximum_us = 0;
  Topology topology = Topology::ring;
  int redraw_steps = 0;  // the work is drawn again after this number of steps; 0: never
  int heavy_factor = 1;  // on the work of the first half of the elements

  // Work of an element in a step, in microseconds. As in the lb_test of Charm++, few elements have much.
  double work_us(int element, int step) const {
    const double u = random_share(2, element, redraw_steps == 0 ? 0 : step / redraw_steps);
    const int factor = element < elements / 2 ? heavy_factor : 1;
    return factor * (minimum_us + (maximum_us - minimum_us) * u * u * u * u);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(elements, steps, minimum_us, maximum_us, topology, redraw_steps, heavy_factor);
  }
};

// The state of an element depends on all messages that it has received, and each message on the state of its
// sender. A lost, doubled or changed message therefore changes the result.

inline std::uint64_t first_state(int element) {
  return random_bits(4, element, 0);
}
inline std::uint64_t next_state(std::uint64_t state, std::uint64_t sum_of_received) {
  return mix(state + 3 * sum_of_received);
}

// Computes the sum of all states after the last step without messages.
inline std::uint64_t sequential_checksum(const Problem& problem) {
  std::vector<std::vector<int>> neighbours;
  std::vector<std::uint64_t> states;
  for (int element = 0; element < problem.elements; ++element) {
    neighbours.push_back(neighbours_of(element, problem.elements, problem.topology));
    states.push_back(first_state(element));
  }
  for (int step = 0; step < problem.steps; ++step) {
    std::vector<std::uint64_t> next = states;
    for (int element = 0; element < problem.elements; ++element) {
      std::uint64_t received = 0;
      for (const int neighbour : neighbours[element]) received += states[neighbour];
      next[element] = next_state(states[element], received);
    }
    states.swap(next);
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t state : states) sum += state;
  return sum;
}
