#include <algorithm>
#include <charconv>
#include <string_view>

#include <plimsoll/collectives/internal/python_code.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

// No path of a file that is loaded begins with it.
constexpr std::string_view mark = "python\n";

std::string without_controls(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char letter) { return letter < 0x20; }, '?');
  return text;
}

}  // namespace

std::string to_module(const PythonLine& line) {
  return std::string(mark) + without_controls(line.function) + '\n' + without_controls(line.file) + '\n' +
         std::to_string(line.line);
}

std::optional<PythonLine> python_line_of(const std::string& module) {
  if (!module.starts_with(mark)) return std::nullopt;
  const std::size_t file = module.find('\n', mark.size());
  const std::size_t number = module.rfind('\n');
  if (file == std::string::npos || number <= file) return std::nullopt;
  PythonLine line = {.function = module.substr(mark.size(), file - mark.size()),
                     .file = module.substr(file + 1, number - file - 1)};
  const char* const end = module.data() + module.size();
  const auto [rest, error] = std::from_chars(module.data() + number + 1, end, line.line);
  if (error != std::errc() || rest != end) return std::nullopt;
  return line;
}

}  // namespace plimsoll::collectives
