// Arguments that the programs with collections share.
#pragma once

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

inline constexpr int max_steps = 1'000'000'000;

struct RunOptions {
  int phase_steps = 1;          // --phase: time steps per phase
  bool shuffle = false;         // --shuffle: all elements migrate to pseudo-random ranks after each phase
  std::string checkpoint = {};  // --checkpoint: directory; empty: none
  std::string restart = {};     // --restart
};

// Returns an integer from `lowest` to `highest`. Throws std::invalid_argument.
inline int to_integer(const std::string& text, const std::string& name, int lowest, int highest) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < lowest || number > highest) {
    throw std::invalid_argument("invalid value \"" + text + "\" for " + name + ": expected " +
                                std::to_string(lowest) + " to " + std::to_string(highest));
  }
  return number;
}

// Returns the arguments that are not options. Settings of Plimsoll begin with --vt and come last. Calls
// read_option(name, value), which returns whether it knows the option, for each --name=value that RunOptions
// does not have. Throws std::invalid_argument.
template <class ReadOption>
std::vector<std::string> read_arguments(int argc, char** argv, RunOptions& options,
                                        const std::string& available, const ReadOption& read_option) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    const std::string name = equals == std::string::npos ? "" : word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (word.starts_with("--vt")) break;
    if (name == "--phase") {
      options.phase_steps = to_integer(value, name, 1, max_steps);
    } else if (word == "--shuffle") {
      options.shuffle = true;
    } else if (name == "--checkpoint") {
      options.checkpoint = value;
    } else if (name == "--restart") {
      options.restart = value;
    } else if (!word.starts_with("--")) {
      words.push_back(word);
    } else if (!read_option(name, value)) {
      throw std::invalid_argument("unknown option \"" + word + "\"; available: " + available +
                                  "--shuffle, --checkpoint=DIR, --restart=DIR");
    }
  }
  return words;
}
