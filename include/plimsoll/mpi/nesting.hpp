#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Depth of wrapped MPI calls in this thread. If MPI implements one of the wrapped names with another, only
/// the outermost call is a call of the program.
class Nesting {
 public:
  Nesting() { ++depth; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  ~Nesting() { --depth; }
  bool outermost() const { return depth == 1; }

 private:
  static inline constinit thread_local int depth = 0;
};

}  // namespace plimsoll::mpi
