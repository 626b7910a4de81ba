#pragma once

#include <functional>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

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

}  // namespace plimsoll::mpi
