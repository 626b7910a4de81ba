#pragma once

#include <bit>

#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

inline std::string count_text(std::int64_t count) {
  return support::format_count(static_cast<std::uint64_t>(count));
}

/// Explains, for error messages of solvers, why a problem has no assignment. Lists the nearest feasible
/// totals.
std::string explain_infeasible(const LayoutProblem& problem);

/// Returns the index of the kind of nodes of each component. `placed_on`: see PlanOptions. Throws Error
/// (usage) as Planner does.
std::map<std::string, std::size_t> partitions_of(const std::vector<std::string>& components,
                                                 std::span<const Partition> partitions,
                                                 const std::map<std::string, std::string>& placed_on);

/// Settles ties. Components above their measured range get its maximum if the layout takes no longer.
/// Components that cost the same on several numbers of processors get, if free, as many as were measured:
/// first, all of them get processors up to the minimum of their measured ranges, then up to the maximum.
/// `choice` contains an entry per table and fits on `total` processors; the time of the layout does not
/// change. With exact_sum, which leaves no processors free, returns it unchanged. O(components squared +
/// entries with ties).
std::vector<std::size_t> settle_ties(const LayoutProblem& problem, std::vector<std::size_t> choice,
                                     std::int64_t total);

/// Minimum numbers of processors of components, by the index of their table.
using Minima = std::map<std::size_t, std::int64_t>;

/// Removes the entries with fewer processors than the minima from the tables of a problem.
LayoutProblem with_minima(LayoutProblem problem, const Minima& minima);

/// Returns a solution in which components that hardly scale get at least as many processors as were measured,
/// if that changes the time by no more than the typical errors of the costs. Otherwise, they get half as
/// many, a quarter, and so on. Within these errors, the times are equal, and the farther below the measured
/// range, the less certain is the cost. A component hardly scales if its cost falls by less than a quarter
/// per doubling of its processors. The same holds for CostTable::prefers_measured_count, with worthwhile_gain
/// instead of the typical errors. Takes the components in the order of the tables. `solve` solves the problem
/// that with_minima() returns; empty if infeasible. Calls it up to 1 + log2(measured minimum) times per
/// table.
Solution prefer_measured_range(const LayoutProblem& problem, Solution best,
                               const std::function<std::optional<Solution>(const Minima&)>& solve);

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

/// Combines two concurrent parts: min over p + q = n of max(first(p), second(q)). O(units^2 / 64).
ExactTimes add_concurrent(const ExactTimes& first, const ExactTimes& second);

}  // namespace plimsoll::pelayout
