#pragma once

#include <mpi.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#include "interpose/wrappers/wrappers.hpp"

/// Conversion of the arguments of Fortran procedures to those of C. All arguments are addresses.
namespace plimsoll::PLIMSOLL_ABI::interpose {

#if defined(OPEN_MPI)
#define HANDLE(Type, name)                    \
  inline Type handle(MPI_Fint number, Type) { \
    return PMPI_##name##_f2c(number);         \
  }
HANDLE(MPI_Comm, Comm)
HANDLE(MPI_Datatype, Type)
HANDLE(MPI_File, File)
HANDLE(MPI_Group, Group)
HANDLE(MPI_Info, Info)
HANDLE(MPI_Message, Message)
HANDLE(MPI_Op, Op)
HANDLE(MPI_Request, Request)
HANDLE(MPI_Win, Win)
#undef HANDLE
#else  // handles are integers with the same values as in Fortran
template <class Handle>
Handle handle(MPI_Fint number, Handle) {
  return number;
}
#endif

/// Handles of Fortran in an array, or a single one.
template <class Handle>
class FortranHandles {
 public:
  FortranHandles() = default;
  explicit FortranHandles(const MPI_Fint* handles) : handles_(handles) {}
  bool given() const { return handles_ != nullptr; }
  Handle operator[](std::size_t k) const { return handle(handles_[k], Handle{}); }

 private:
  const MPI_Fint* handles_ = nullptr;
};

/// A status of Fortran, or the first one of an array.
class FortranStatus {
 public:
  explicit FortranStatus(const MPI_Fint* status) : status_(status) {}
  const MPI_Fint* address() const { return status_; }
  MPI_Status operator*() const {
    MPI_Status status = {};
    PMPI_Status_f2c(status_, &status);
    return status;
  }

 private:
  const MPI_Fint* status_;
};

/// Returns the argument of C for a parameter of type Type.
template <class Type>
auto c_argument(void* address) {
  using Target = std::remove_cv_t<std::remove_pointer_t<Type>>;
  if constexpr (std::is_void_v<Target>)
    return fortran_buffer(address);
  else if constexpr (std::is_integral_v<Type>)
    return *static_cast<const Type*>(address);
  else if constexpr (std::is_same_v<Type, MPI_Status*>)
    return FortranStatus(static_cast<const MPI_Fint*>(address));
  else if constexpr (std::is_pointer_v<Type> && std::is_integral_v<Target>)
    return static_cast<const Target*>(address);
#if defined(OPEN_MPI)
  else if constexpr (std::is_pointer_v<Target>)
    return FortranHandles<Target>(static_cast<const MPI_Fint*>(address));
  else
    return handle(*static_cast<const MPI_Fint*>(address), Type{});
#else
  else
    return address;
#endif
}

/// Arguments of a C function, converted from those of its Fortran procedure: `use` gets them.
template <class CFunction>
struct FortranArguments {
  static constexpr bool is_fortran = true;
  void* const* addresses;

  template <class Use>
  void operator()(Use&& use) const {
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      use(c_argument<Parameter<k, CFunction>>(addresses[k])...);
    }
    (std::make_index_sequence<std::tuple_size_v<typename Parameters<CFunction>::Tuple>>{});
  }
};

}  // namespace plimsoll::interpose
