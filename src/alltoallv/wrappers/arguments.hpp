#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include <plimsoll/collectives/operation.hpp>

namespace plimsoll::alltoallv {

/// Counts or displacements where the program has them: one, or one per peer; ints, or 64 bits wide in
/// large-count forms (MPI_Count, MPI_Aint).
class Integers {
 public:
  Integers() = default;
  template <class Integer>
  Integers(const Integer* first) : first_(first), wide_(sizeof(Integer) == 8) {
    static_assert(sizeof(Integer) == 4 || sizeof(Integer) == 8);
  }
  bool given() const { return first_ != nullptr; }
  bool wide() const { return wide_; }
  const std::int32_t* narrow_numbers() const { return static_cast<const std::int32_t*>(first_); }
  const std::int64_t* wide_numbers() const { return static_cast<const std::int64_t*>(first_); }
  std::int64_t operator[](std::size_t k) const { return wide_ ? wide_numbers()[k] : narrow_numbers()[k]; }

 private:
  const void* first_ = nullptr;
  bool wide_ = false;
};

/// Datatypes where the program has them: one, or one per peer (Alltoallw); handles of C or of Fortran.
class Types {
 public:
  Types() = default;
  static Types of_c(const MPI_Datatype* first) { return {first, nullptr}; }
  static Types of_fortran(const MPI_Fint* first) { return {nullptr, first}; }
  bool given() const { return c_ != nullptr || fortran_ != nullptr; }
  MPI_Datatype operator[](std::size_t k) const { return c_ ? c_[k] : MPI_Type_f2c(fortran_[k]); }

 private:
  Types(const MPI_Datatype* c, const MPI_Fint* fortran) : c_(c), fortran_(fortran) {}
  const MPI_Datatype* c_ = nullptr;
  const MPI_Fint* fortran_ = nullptr;
};

/// What a program gives to a collective call. Nothing is read of what MPI says is not significant: what is
/// sent, if it is in place. Displacements that a call has not are not given.
struct Arguments {
  collectives::Operation operation;
  MPI_Comm comm = MPI_COMM_NULL;
  bool in_place = false;
  Integers send_counts;
  Integers send_displacements;
  Types send_types;
  Integers recv_counts;
  Integers recv_displacements;
  Types recv_types;
};

}  // namespace plimsoll::alltoallv
