#include <fmt/format.h>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/format.hpp>
#include <plimsoll/support/text_file.hpp>

#include "support/raw_input.hpp"

namespace plimsoll::support {

std::string read_text_file(const std::string& path, std::uint64_t max_bytes) {
  RawInput input(path);
  std::string text;
  constexpr std::size_t step = std::size_t{64} << 10;
  std::size_t got = step;
  while (got == step && text.size() <= max_bytes) {
    const std::size_t size = text.size();
    text.resize(size + step);
    got = input.read(text.data() + size, step);
    text.resize(size + got);
  }
  if (text.size() > max_bytes) {
    throw bad_input(fmt::format("has more than {}, too much for a file of this kind", format_bytes(max_bytes)), path,
                    "check that it is the right one");
  }
  return text;
}

}  // namespace plimsoll::support
