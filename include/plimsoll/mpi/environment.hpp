#pragma once

#include <cstdint>
#include <functional>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

class Communicator;

/// Returns whether MPI has been initialised; remains true after MPI is finalised.
bool initialised();
/// Returns whether MPI has been finalised.
bool finalised();
/// Throws Error (usage) before MPI_Init and after MPI_Finalize, when most calls would end the program.
void expect_running();

/// Throws Error (usage) if this process is the only one of its MPI_COMM_WORLD although its launcher has
/// started several: it then belongs to another MPI than the program, whose processes do not know each other.
/// The variables of MPICH and Open MPI (PMI_SIZE, OMPI_COMM_WORLD_SIZE) tell; other launchers are not
/// recognised.
void expect_launched_together();

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

/// Work that MPI_Finalize does first, while ranks can still communicate: as MPI defines, it deletes the
/// attributes of MPI_COMM_SELF before anything else. Several works are done in reverse order of their
/// registration. Destroying this object cancels the work.
///
/// If the work communicates, all ranks that take part must register it, in the same order, and must either
/// keep it registered or do the same communication before they call MPI_Finalize.
class AtFinalize {
 public:
  /// Registers `work`, whose exceptions are ignored. Throws Error (usage) before MPI_Init and after
  /// MPI_Finalize.
  explicit AtFinalize(std::function<void()> work);
  AtFinalize(const AtFinalize&) = delete;
  AtFinalize& operator=(const AtFinalize&) = delete;
  ~AtFinalize();

  void run() const { work_(); }

 private:
  std::function<void()> work_;
};

/// Returns a number of the host that this rank runs on, derived from its name (MPI_Get_processor_name). Ranks
/// on one host have the same number. Unlike node_place(), it needs no communication.
std::uint64_t host_number();

/// Position of this rank among the shared-memory nodes.
struct NodePlace {
  int id = 0;          ///< number of the node; nodes are numbered in order of their lowest ranks
  int size = 0;        ///< number of ranks on the node
  int rank = 0;        ///< number of this rank on the node
  int node_count = 0;  ///< total number of nodes
};

/// Finds the position of this rank. Collective.
NodePlace node_place(const Communicator& communicator);

}  // namespace plimsoll::mpi
