#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// List of numbers (ranks, calls, process ids) in the order given. It is stored and formatted as runs of
/// consecutive numbers: "0-3, 7, 5, 4". Long lists with few gaps take little memory. Corresponds to the
/// collective profiler's "compact list", where two neighbours already form a run.
class NumberList {
 public:
  /// Consecutive numbers: first, first + 1, ... last.
  struct Run {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t size() const { return last - first + 1; }
    bool contains(std::uint64_t number) const { return first <= number && number <= last; }
    friend auto operator<=>(const Run&, const Run&) = default;
  };

  NumberList() = default;
  /// Returns the numbers 0 .. count - 1.
  static NumberList up_to(std::uint64_t count);

  void push_back(std::uint64_t number) { append({number, number}); }
  /// Appends a run and joins it to the last run if it continues that run.
  void append(Run run);
  /// Appends `count` numbers: first, first + step, and so on.
  void append(std::uint64_t first, std::uint64_t count, std::uint64_t step);
  void append(const NumberList& other);
  /// Returns the same numbers in ascending order. The runs must not overlap.
  NumberList ascending() const;

  /// Returns the length of the list. Cost: O(1).
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::vector<Run>& runs() const { return runs_; }
  bool contains(std::uint64_t number) const;  ///< O(runs)
  std::uint64_t front() const { return runs_.front().first; }
  /// Returns the smallest or largest number of a non-empty list. Cost: O(runs).
  std::uint64_t min() const;
  std::uint64_t max() const;
  /// Returns the k-th number. Cost: O(runs).
  std::uint64_t operator[](std::uint64_t k) const;

  /// Returns all numbers. Cost: O(size).
  template <class Number = std::uint64_t>
  std::vector<Number> numbers() const {
    std::vector<Number> numbers;
    numbers.reserve(size_);
    for_each([&](std::uint64_t number) { numbers.push_back(static_cast<Number>(number)); });
    return numbers;
  }

  template <class Function>
  void for_each(Function&& function) const {
    for (const Run& run : runs_)
      for (std::uint64_t number = run.first;; ++number) {
        function(number);
        if (number == run.last) break;
      }
  }

  /// Formats the list as text such as "0-3, 7".
  std::string to_string(std::string_view separator = ", ") const;
  /// Reads "0-3, 7". Accepts spaces around every part, and commas without spaces. Returns nothing if the text
  /// is not a list of this form, a run descends, or the list has more than `max_size` numbers.
  static std::optional<NumberList> parse(std::string_view text, std::uint64_t max_size = UINT64_MAX);

  friend bool operator==(const NumberList&, const NumberList&) = default;

 private:
  std::vector<Run> runs_;
  std::uint64_t size_ = 0;
};

}  // namespace plimsoll::collectives
