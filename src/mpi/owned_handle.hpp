#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// An MPI object that is freed at the end of the scope, regardless of how the scope ends.
template <class Handle, auto release>
class OwnedHandle {
 public:
  explicit OwnedHandle(Handle null) : null_(null), handle_(null) {}
  OwnedHandle(const OwnedHandle&) = delete;
  OwnedHandle& operator=(const OwnedHandle&) = delete;
  ~OwnedHandle() {
    if (handle_ != null_) release(&handle_);
  }

  /// Returns the address for the call that creates the object.
  Handle* address() { return &handle_; }
  Handle get() const { return handle_; }

 private:
  const Handle null_;
  Handle handle_;
};

}  // namespace plimsoll::mpi
