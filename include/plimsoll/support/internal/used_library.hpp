#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Library of another project that a module uses.
struct UsedLibrary {
  std::string name;
  bool is_built_in = true;             ///< whether this Plimsoll was built with it
  std::string version = {};            ///< empty if the library does not provide it
  std::optional<int> index_bits = {};  ///< size of the indices of a partitioner
  std::string problem = {};            ///< why it cannot be used now; empty if it can
};

/// Describes a library that is loaded when it is needed. `describe` loads it, and adds what the library
/// provides; it throws Error if the library cannot be used.
template <class Describe>
UsedLibrary try_library(const std::string& name, Describe&& describe) {
  UsedLibrary library{.name = name};
  try {
    describe(library);
  } catch (const Error& error) {
    library.problem = error.diagnostic().what;
  }
  return library;
}

/// Returns the number of bits in a number of bytes.
constexpr int bits_in(std::size_t bytes) {
  return static_cast<int>(8 * bytes);
}

/// Returns the libraries that this module is linked to.
std::vector<UsedLibrary> used_libraries();

/// MPI library that this Plimsoll was built for.
struct BuiltMpi {
  std::string name;     ///< such as "openmpi"
  std::string version;  ///< empty if unknown
};

/// How this Plimsoll was built.
struct Build {
  std::string compiler;  ///< with its version
  std::string type;      ///< CMake's build type, such as "Release"; may be empty
  std::vector<BuiltMpi> mpis;
};

Build this_build();

}  // namespace plimsoll::support
