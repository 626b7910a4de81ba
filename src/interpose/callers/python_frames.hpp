#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <plimsoll/collectives/internal/frame_names.hpp>

/// Functions of Python programs that call MPI, such as with mpi4py. Works with CPython from 3.10 on, whose
/// functions are found in the process if it has loaded them when this is first used.
namespace plimsoll::PLIMSOLL_ABI::interpose {

/// The code of the interpreter; empty if this process has none.
struct PythonCode {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool is_empty() const { return begin == end; }
  bool contains(std::uintptr_t address) const { return begin <= address && address < end; }
};
const PythonCode& code_of_python();

/// Writes the places of the innermost Python functions on this thread to `places`, from the inside out, as
/// addresses that no code has. Returns their number; 0 if the interpreter cannot be asked, such as while
/// the program has several threads of Python code, one of which may hold its lock. May throw std::bad_alloc.
std::size_t read_python_frames(std::span<std::uintptr_t> places);

/// Returns the code at such an address; nothing for other addresses.
std::optional<collectives::CodeAddress> python_code(std::uintptr_t place);

}  // namespace plimsoll::interpose
