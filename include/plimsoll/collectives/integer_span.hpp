#pragma once

#include <cstddef>
#include <cstdint>

namespace plimsoll::collectives {

/// Counts or displacements where a program has them: ints, or 64-bit numbers in large-count forms (MPI_Count,
/// MPI_Aint).
class IntegerSpan {
 public:
  IntegerSpan() = default;
  /// Without a size where only the rules of an operation say how many there are.
  template <class Integer>
  IntegerSpan(const Integer* first, std::size_t size = 0)
      : first_(first), size_(size), wide_(sizeof(Integer) == 8) {
    static_assert(sizeof(Integer) == 4 || sizeof(Integer) == 8);
  }

  bool given() const { return first_ != nullptr; }
  bool wide() const { return wide_; }
  const void* data() const { return first_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * (wide_ ? 8 : 4); }
  std::int64_t operator[](std::size_t k) const { return wide_ ? wide_numbers()[k] : narrow_numbers()[k]; }
  /// `size` numbers from the k-th on.
  IntegerSpan part(std::size_t k, std::size_t size) const {
    if (wide_) return {wide_numbers() + k, size};
    return {narrow_numbers() + k, size};
  }

 private:
  const std::int32_t* narrow_numbers() const { return static_cast<const std::int32_t*>(first_); }
  const std::int64_t* wide_numbers() const { return static_cast<const std::int64_t*>(first_); }

  const void* first_ = nullptr;
  std::size_t size_ = 0;
  bool wide_ = false;
};

}  // namespace plimsoll::collectives
