#pragma once

#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the name of an MPI function without "MPI_" and without the "_c" of its form with large counts.
inline std::string_view plain_name(std::string_view function) {
  if (function.starts_with("MPI_")) function.remove_prefix(4);
  if (function.ends_with("_c")) function.remove_suffix(2);
  return function;
}

}  // namespace plimsoll::collectives
