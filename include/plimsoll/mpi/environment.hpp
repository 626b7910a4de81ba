#pragma once

namespace plimsoll::inline v0_1::mpi {

/// MPI for as long as this lives. If the program has not initialised it, it is initialised with
/// MPI_THREAD_FUNNELED and finalised at the end unless the program has done so by then; if it has, it is left
/// alone.
class Environment {
 public:
  /// Throws Error: usage if MPI is finalised already; system if it cannot be initialised.
  explicit Environment(int* argc = nullptr, char*** argv = nullptr);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  /// Collective over all ranks of the program if it finalises MPI.
  ~Environment();

  /// From now on MPI is left as it is, for a process that ends while others do not: finalising would wait for
  /// them.
  void leave() { initialised_here_ = false; }

  /// Whether the process may have threads that do not call MPI (MPI_THREAD_FUNNELED and above). Throws Error
  /// (usage) before MPI_Init and after MPI_Finalize.
  static bool allows_threads();

 private:
  bool initialised_here_ = false;
};

}  // namespace plimsoll::mpi
