#include <fmt/format.h>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/output_file.hpp>

#include "support/io/raw_input.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

std::string read_text_file(const std::string& path, std::uint64_t max_bytes) {
  constexpr std::size_t step_bytes = std::size_t{64} << 10;
  RawInput input(path);
  std::string text;
  for (std::size_t got = step_bytes; got == step_bytes;) {
    const std::size_t size = text.size();
    text.resize(size + step_bytes);
    got = input.read(text.data() + size, step_bytes);
    text.resize(size + got);
    if (text.size() > max_bytes) {
      throw bad_input(fmt::format("is larger than {}", format_bytes(max_bytes)), path,
                      "check the file name: hand-written files are smaller");
    }
  }
  return text;
}

void write_text_file(const std::string& path, std::string_view text, bool overwrite) {
  OutputFile file(path, {.overwrite = overwrite});
  file.write(text);
  file.close();
}

}  // namespace plimsoll::support
