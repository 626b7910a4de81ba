#pragma once

#include <algorithm>
#include <random>
#include <string>

namespace plimsoll::testing {

/// Changes a text at random: removes, repeats or skips lines, changes a character, or cuts it.
inline std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return random() % limit; };
  const std::size_t place = below(text.size());
  const std::size_t before = text.rfind('\n', place);
  const std::size_t line = before == std::string::npos ? 0 : before + 1;
  const std::size_t next = std::min(text.find('\n', place), text.size() - 1) + 1;
  switch (below(6)) {
    case 0: return text.substr(0, place);
    case 1: return text.erase(line, next - line);
    case 2: return text.insert(line, text.substr(line, next - line));
    case 3: text[place] = static_cast<char>(random() % 256); return text;
    case 4: text[place] = "0123456789. -"[below(13)]; return text;
    default: return text.substr(0, line) + text.substr(below(text.size()));
  }
}

}  // namespace plimsoll::testing
