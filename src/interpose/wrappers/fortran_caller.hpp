#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Return address of the Fortran procedure that this thread is in, if MPI implements it by calling another
/// name that has a wrapper; else null. The call belongs to this address, and the wrapper of the other name
/// records it.
inline constinit thread_local const void* fortran_caller = nullptr;

/// Sets `fortran_caller` during its lifetime.
class FortranCaller {
 public:
  explicit FortranCaller(const void* return_address) : before_(fortran_caller) {
    fortran_caller = return_address;
  }
  FortranCaller(const FortranCaller&) = delete;
  FortranCaller& operator=(const FortranCaller&) = delete;
  ~FortranCaller() { fortran_caller = before_; }

 private:
  const void* before_;
};

/// Returns the address from which the program makes the call of a wrapper that returns to `return_address`.
inline const void* calling_address(const void* return_address) {
  return fortran_caller ? fortran_caller : return_address;
}

}  // namespace plimsoll::interpose
