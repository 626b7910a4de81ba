#pragma once

#include <bit>

#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A set of numbers from 0 to a maximum, stored as one bit each. A number can therefore be added to 64
/// members of the set at once.
class UnitSet {
 public:
  explicit UnitSet(std::size_t maximum) : words_(maximum / 64 + 1), size_(maximum + 1) {}

  std::size_t size() const { return size_; }
  bool contains(std::size_t number) const { return (words_[number / 64] >> (number % 64) & 1U) != 0; }
  void insert(std::size_t number) {
    PLIMSOLL_EXPECT(number < size_);
    words_[number / 64] |= std::uint64_t{1} << (number % 64);
  }

  void keep_common(const UnitSet& other) {
    PLIMSOLL_EXPECT(other.size_ == size_);
    for (std::size_t word = 0; word < words_.size(); ++word) words_[word] &= other.words_[word];
  }

  /// Inserts number + n for each n of another set of the same size. Calls `on_new` for each number that was
  /// missing.
  template <class OnNew>
  void insert_sums(const UnitSet& other, std::size_t number, OnNew&& on_new) {
    PLIMSOLL_EXPECT(other.size_ == size_);
    const std::size_t skipped = number / 64;
    const std::size_t shift = number % 64;
    for (std::size_t word = skipped; word < words_.size(); ++word) {
      std::uint64_t sums = other.words_[word - skipped] << shift;
      if (shift > 0 && word > skipped) sums |= other.words_[word - skipped - 1] >> (64 - shift);
      std::uint64_t fresh = sums & ~words_[word];
      words_[word] |= fresh;
      for (; fresh != 0; fresh &= fresh - 1) {
        const std::size_t sum = 64 * word + static_cast<std::size_t>(std::countr_zero(fresh));
        if (sum < size_) on_new(sum);
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

/// Minimum time on exactly k units of processors, for each k; infinite if infeasible.
using ExactTimes = std::vector<double>;

/// Returns the unit of exact sums: the GCD of all processor counts of the tables.
std::int64_t common_unit(std::span<const CostTable> tables);

/// Returns the times of a table for 0 to `units` units.
ExactTimes exact_times(const CostTable& table, std::int64_t unit, std::int64_t units);

/// Combines two concurrent parts: min over p + q = n of max(first(p), second(q)). O(units^2 / 64).
ExactTimes add_concurrent(const ExactTimes& first, const ExactTimes& second);

/// Combines two sequential parts on the same processors.
ExactTimes add_sequential(const ExactTimes& first, const ExactTimes& second);

}  // namespace plimsoll::pelayout
