// Arguments of the program.
#pragma once

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>
#include <vector>

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
  int phase_steps = 10;
  bool shuffle = false;
  std::string checkpoint;  // directory; empty: none
  std::string restart;
};

// Returns an integer from `lowest` to `highest`.
inline int to_integer(const std::string& text, const std::string& name, int lowest, int highest) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < lowest || number > highest) {
    throw std::invalid_argument("invalid value \"" + text + "\" for " + name + ": expected " +
                                std::to_string(lowest) + " to " + std::to_string(highest));
  }
  return number;
}

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
  constexpr int max_steps = 1'000'000'000;
  constexpr int max_us = 1'000'000;
  Arguments arguments;
  Problem& problem = arguments.problem;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string value = word.substr(word.find('=') + 1);
    if (word.starts_with("--vt")) break;
    if (word.starts_with("--phase=")) {
      arguments.phase_steps = to_integer(value, "--phase", 1, max_steps);
    } else if (word.starts_with("--redraw=")) {
      problem.redraw_steps = to_integer(value, "--redraw", 1, max_steps);
    } else if (word.starts_with("--heavy-half=")) {
      problem.heavy_factor = to_integer(value, "--heavy-half", 1, 1000);
    } else if (word == "--shuffle") {
      arguments.shuffle = true;
    } else if (word.starts_with("--checkpoint=")) {
      arguments.checkpoint = word.substr(13);
    } else if (word.starts_with("--restart=")) {
      arguments.restart = word.substr(10);
    } else if (word.starts_with("--")) {
      throw std::invalid_argument("unknown option \"" + word +
                                  "\"; available: --phase=K, --redraw=K, --heavy-half=FACTOR, --shuffle, "
                                  "--checkpoint=DIR, --restart=DIR");
    } else {
      words.push_back(word);
    }
  }
  if (words.size() != 5)
    throw std::invalid_argument("invalid arguments: expected ELEMENTS STEPS MIN MAX TOPOLOGY");
  problem.elements = to_integer(words[0], "ELEMENTS", 1, 1'000'000'000);
  problem.steps = to_integer(words[1], "STEPS", 1, max_steps);
  problem.minimum_us = to_integer(words[2], "MIN", 0, max_us);
  problem.maximum_us = to_integer(words[3], "MAX", problem.minimum_us, max_us);
  problem.topology = to_topology(words[4]);
  return arguments;
}
