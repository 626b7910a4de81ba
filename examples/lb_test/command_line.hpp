// Arguments of the program.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "../common/run_options.hpp"
#include "problem.hpp"

inline const char* const usage =
    "usage: lb_test ELEMENTS STEPS MIN MAX TOPOLOGY [--phase=K] [--redraw=K] [--heavy-half=FACTOR] "
    "[--shuffle]\n"
    "               [--checkpoint=DIR] [--restart=DIR] [--vt_lb_...]\n"
    "  ELEMENTS     number of elements\n"
    "  STEPS        number of time steps\n"
    "  MIN, MAX     minimum and maximum work of an element per step, in microseconds\n"
    "  TOPOLOGY     ring, mesh2d, mesh3d or randgraph\n"
    "  --phase=K    number of time steps per phase [default: 10]\n"
    "  --redraw=K   draws the work of all elements again after every K steps [default: never]\n"
    "  --heavy-half=FACTOR  factor on the work of the first half of the elements [default: 1]\n"
    "  --shuffle    all elements migrate to pseudo-random ranks after each phase\n"
    "  --checkpoint=DIR  saves all elements in a directory after each phase\n"
    "  --restart=DIR     continues from the elements in a directory\n"
    "Settings of Plimsoll (--vt_lb_...) come last.\n";

struct Arguments {
  Problem problem;
  RunOptions run = {.phase_steps = 10};
};

inline Topology to_topology(const std::string& name) {
  const auto found = std::ranges::find(topology_names, name);
  if (found == topology_names.end()) {
    throw std::invalid_argument("unknown topology \"" + name +
                                "\"; available: ring, mesh2d, mesh3d, randgraph");
  }
  return static_cast<Topology>(found - topology_names.begin());
}

// Throws std::invalid_argument. Settings of Plimsoll begin with --vt and come last.
inline Arguments parse_arguments(int argc, char** argv) {
  constexpr int max_us = 1'000'000;
  Arguments arguments;
  Problem& problem = arguments.problem;
  const auto read_option = [&](const std::string& name, const std::string& value) {
    if (name == "--redraw")
      problem.redraw_steps = to_integer(value, name, 1, max_steps);
    else if (name == "--heavy-half")
      problem.heavy_factor = to_integer(value, name, 1, 1000);
    else
      return false;
    return true;
  };
  const std::vector<std::string> words =
      read_arguments(argc, argv, arguments.run, "--phase=K, --redraw=K, --heavy-half=FACTOR, ", read_option);
  if (words.size() != 5)
    throw std::invalid_argument("invalid arguments: expected ELEMENTS STEPS MIN MAX TOPOLOGY");
  problem.elements = to_integer(words[0], "ELEMENTS", 1, 1'000'000'000);
  problem.steps = to_integer(words[1], "STEPS", 1, max_steps);
  problem.minimum_us = to_integer(words[2], "MIN", 0, max_us);
  problem.maximum_us = to_integer(words[3], "MAX", problem.minimum_us, max_us);
  problem.topology = to_topology(words[4]);
  return arguments;
}
