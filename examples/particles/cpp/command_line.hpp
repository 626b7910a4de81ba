// Arguments of the program.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "distribution.hpp"
#include "mesh.hpp"

inline const char* const usage =
    "usage: particles STEPS L N K M DISTRIBUTION [PARAMETER...] [--block=B] [--vt_lb_...]\n"
    "  STEPS  number of time steps\n"
    "  L      cells per side of the mesh, even\n"
    "  N      approximate number of particles\n"
    "  K, M   a particle moves 2K+1 cells in x and M cells in y per step\n"
    "  B      cells per side of a block, a divisor of L [default: 20]\n"
    "distributions: GEOMETRIC RHO, SINUSOIDAL, LINEAR ALPHA BETA, PATCH LEFT RIGHT BOTTOM TOP, UNIFORM\n"
    "Settings of Plimsoll (--vt_lb_...) come last.\n";

struct Arguments {
  int steps = 0;
  Mesh mesh = {.cells = 0, .k = 0, .m = 0, .block = 20};
  std::string distribution_name;
  Distribution distribution;
};

template <typename Number>
Number to_number(const std::string& text, const char* name) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument("invalid value \"" + text + "\" for " + name + ": expected " +
                                (std::is_integral_v<Number> ? "an integer" : "a number"));
  }
  return number;
}

// Returns an integer from `lowest` to `highest`.
template <typename Integer>
Integer to_integer(const std::string& text, const char* name, Integer lowest, Integer highest) {
  const auto number = to_number<Integer>(text, name);
  if (number < lowest || number > highest) {
    throw std::invalid_argument("invalid value " + text + " for " + name + ": expected " +
                                std::to_string(lowest) + " to " + std::to_string(highest));
  }
  return number;
}

// Throws std::invalid_argument. Settings of Plimsoll begin with --vt and come last.
inline Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  Mesh& mesh = arguments.mesh;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("--vt")) break;
    if (word.starts_with("--block=")) {
      mesh.block = to_integer<int>(word.substr(8), "--block", 1, 1 << 15);
    } else {
      words.push_back(word);
    }
  }
  if (words.size() < 6) throw std::invalid_argument("missing arguments");

  arguments.steps = to_integer<int>(words[0], "STEPS", 1, 1'000'000'000);
  mesh.cells = to_integer<int>(words[1], "L", 2, 1 << 15);
  if (mesh.cells % 2 != 0)
    throw std::invalid_argument("invalid value " + words[1] + " for L: expected an even number");
  if (mesh.cells % mesh.block != 0) {
    throw std::invalid_argument("L = " + words[1] + " is not a multiple of the block size " +
                                std::to_string(mesh.block) + "; use --block=B with a divisor of L");
  }
  const auto particles = to_integer<std::int64_t>(words[2], "N", 1, 1'000'000'000);
  mesh.k = to_integer<int>(words[3], "K", 0, mesh.cells / 2 - 1);
  mesh.m = to_integer<int>(words[4], "M", 1 - mesh.cells, mesh.cells - 1);

  std::vector<double> parameters;
  for (std::size_t i = 6; i < words.size(); ++i) {
    parameters.push_back(to_number<double>(words[i], "a parameter of the distribution"));
  }
  arguments.distribution_name = words[5];
  arguments.distribution =
      make_distribution(words[5], parameters, mesh.cells, static_cast<double>(particles));
  return arguments;
}
