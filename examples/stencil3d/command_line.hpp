// Arguments of the program.
#pragma once

#include <charconv>
#include <stdexcept>
#include <string>
#include <vector>

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
  int phase_steps = 5;
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

// Throws std::invalid_argument. Settings of Plimsoll begin with --vt and come last.
inline Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("--vt")) break;
    if (word.starts_with("--phase=")) {
      arguments.phase_steps = to_integer(word.substr(8), "--phase", 1, 1'000'000'000);
    } else if (word == "--shuffle") {
      arguments.shuffle = true;
    } else if (word.starts_with("--checkpoint=")) {
      arguments.checkpoint = word.substr(13);
    } else if (word.starts_with("--restart=")) {
      arguments.restart = word.substr(10);
    } else if (word.starts_with("--")) {
      throw std::invalid_argument("unknown option \"" + word +
                                  "\"; available: --phase=K, --shuffle, --checkpoint=DIR, --restart=DIR");
    } else {
      words.push_back(word);
    }
  }
  if (words.size() != 3) throw std::invalid_argument("invalid arguments: expected SIZE BLOCK STEPS");
  Grid& grid = arguments.grid;
  grid.size = to_integer(words[0], "SIZE", 1, 1 << 15);
  grid.block = to_integer(words[1], "BLOCK", 1, 1 << 10);
  if (grid.size % grid.block != 0) {
    throw std::invalid_argument("SIZE = " + words[0] + " is not a multiple of BLOCK = " + words[1] +
                                "; use a divisor of SIZE");
  }
  arguments.steps = to_integer(words[2], "STEPS", 1, 1'000'000'000);
  return arguments;
}
