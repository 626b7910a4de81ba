#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Keeps MPI initialised during its lifetime. If the program has not initialised MPI, the constructor
/// initialises it with MPI_THREAD_FUNNELED, and the destructor finalises it unless the program has done so.
/// If the program has initialised MPI, neither does anything.
class Environment {
 public:
  /// Initialises MPI if the program has not done so. Throws Error: usage if MPI is already finalised; system
  /// if it cannot be initialised.
  explicit Environment(int* argc = nullptr, char*** argv = nullptr);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  /// Finalises MPI if this object has initialised it. In that case, the destructor is collective over all
  /// ranks of the program.
  ~Environment();

  /// Leaves MPI initialised when this object is destroyed. Use it in a process that ends while others do not,
  /// because finalising MPI would wait for the others.
  void leave() { initialised_here_ = false; }

  /// Returns whether the process may have threads that do not call MPI (MPI_THREAD_FUNNELED and above).
  /// Throws Error (usage) before MPI_Init and after MPI_Finalize.
  static bool allows_threads();

 private:
  bool initialised_here_ = false;
};

}  // namespace plimsoll::mpi
