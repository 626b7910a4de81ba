#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Counts or displacements in the memory of a program: ints, or 64-bit integers in large-count forms
/// (MPI_Count, MPI_Aint).
class IntegerSpan {
 public:
  IntegerSpan() = default;
  /// Refers to integers in memory. Omit the size if it depends on the rules of the operation; part() sets it
  /// later.
  template <std::signed_integral Integer>
  requires(sizeof(Integer) == 4 || sizeof(Integer) == 8) explicit IntegerSpan(const Integer* first,
                                                                              std::size_t size = 0)
      : first_(first), size_(size), wide_(sizeof(Integer) == 8) {}

  bool given() const { return first_ != nullptr; }
  bool wide() const { return wide_; }
  const void* data() const { return first_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * (wide_ ? 8 : 4); }
  std::int64_t operator[](std::size_t k) const { return wide_ ? wide_integers()[k] : narrow_integers()[k]; }
  /// Returns `size` integers, starting with the k-th.
  IntegerSpan part(std::size_t k, std::size_t size) const {
    if (wide_) return IntegerSpan(wide_integers() + k, size);
    return IntegerSpan(narrow_integers() + k, size);
  }

 private:
  const std::int32_t* narrow_integers() const { return static_cast<const std::int32_t*>(first_); }
  const std::int64_t* wide_integers() const { return static_cast<const std::int64_t*>(first_); }

  const void* first_ = nullptr;
  std::size_t size_ = 0;
  bool wide_ = false;
};

}  // namespace plimsoll::collectives
