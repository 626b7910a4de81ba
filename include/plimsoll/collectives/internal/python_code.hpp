#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The module in locations of Python code (Backtrace::frames).
inline constexpr const char* python_module = "python";

/// Returns whether a location is in Python code.
inline bool is_python_code(std::string_view location) {
  return location.starts_with("python(");
}

/// A line of a Python program. Its text takes the place of a module in code addresses, whose offsets are then
/// those in the bytecode of the function.
struct PythonLine {
  std::string function;
  std::string file;
  int line = 0;
};

/// Returns the text of a line. Control characters in names become "?".
std::string to_module(const PythonLine& line);

/// Returns the line of a module that is the text of a line; nothing for a file.
std::optional<PythonLine> python_line_of(const std::string& module);

}  // namespace plimsoll::collectives
