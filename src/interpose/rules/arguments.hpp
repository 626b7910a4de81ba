#pragma once

#include <mpi.h>

#include <cstddef>

#include <plimsoll/collectives/internal/recorder.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "interpose/wrappers/fortran_arguments.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Datatypes in the program's memory: one, or one per peer (Alltoallw), as C or Fortran handles.
class Types {
 public:
  Types() = default;
  Types(const MPI_Datatype* first) : c_(first) {}
  Types(const FortranHandles<MPI_Datatype>& handles) : fortran_(handles) {}
  bool given() const { return c_ != nullptr || fortran_.given(); }
  MPI_Datatype operator[](std::size_t k) const { return c_ ? c_[k] : fortran_[k]; }

 private:
  const MPI_Datatype* c_ = nullptr;
  FortranHandles<MPI_Datatype> fortran_;
};

/// Arguments of one side of a collective call. Displacements are unset for operations without displacements.
struct Side {
  const void* buffer = nullptr;
  collectives::IntegerSpan counts;
  collectives::IntegerSpan displacements;
  Types types;
};

/// Arguments of a collective call whose counts are recorded. Arguments that are not significant according to
/// MPI are not read, i.e. the send side of in-place calls.
struct Arguments {
  collectives::Operation operation;
  MPI_Comm comm = MPI_COMM_NULL;
  bool in_place = false;
  Side send;
  Side recv;
};

}  // namespace plimsoll::interpose
