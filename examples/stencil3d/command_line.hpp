// Arguments of the program.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "../common/run_options.hpp"
#include "grid.hpp"

inline const char* const usage =
    "usage: stencil3d SIZE BLOCK STEPS [--phase=K] [--shuffle] [--checkpoint=DIR] [--restart=DIR]\n"
    "                 [--vt_lb_...]\n"
    "  SIZE       cells per side of the grid\n"
    "  BLOCK      cells per side of a block, a divisor of SIZE\n"
    "  STEPS      number of time steps\n"
    "  --phase=K  number of time steps per phase [default: 5]\n"
    "  --shuffle  all blocks migrate to pseudo-random ranks after each phase\n"
    "  --checkpoint=DIR  saves all blocks in a directory after each phase\n"
    "  --restart=DIR     continues from the blocks in a directory\n"
    "Settings of Plimsoll (--vt_lb_...) come last.\n";

struct Arguments {
  Grid grid;
  int steps = 0;
  RunOptions run = {.phase_steps = 5};
};

// Throws std::invalid_argument. Settings of Plimsoll begin with --vt and come last.
inline Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  const auto no_other_option = [](const std::string&, const std::string&) { return false; };
  const std::vector<std::string> words =
      read_arguments(argc, argv, arguments.run, "--phase=K, ", no_other_option);
  if (words.size() != 3) throw std::invalid_argument("invalid arguments: expected SIZE BLOCK STEPS");
  Grid& grid = arguments.grid;
  grid.size = to_integer(words[0], "SIZE", 1, 1 << 15);
  grid.block = to_integer(words[1], "BLOCK", 1, 1 << 10);
  if (grid.size % grid.block != 0) {
    throw std::invalid_argument("SIZE = " + words[0] + " is not a multiple of BLOCK = " + words[1] +
                                "; use a divisor of SIZE");
  }
  arguments.steps = to_integer(words[2], "STEPS", 1, max_steps);
  return arguments;
}
