#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// List of numbers (ranks, calls, process ids) in the order given. It behaves as a sequence of runs of
/// consecutive numbers: "0-3, 7, 5, 4". Corresponds to the collective profiler's "compact list", where two
/// neighbours already form a run.
///
/// Runs are stored as distances from each other, in about one byte per run. Runs that repeat at a constant
/// distance are stored once. Therefore lists of 10^9 calls fit into memory, if they are regular.
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
  class RunIterator;
  class Runs;

  NumberList() = default;
  /// Returns the numbers 0 .. count - 1.
  static NumberList up_to(std::uint64_t count);

  void push_back(std::uint64_t number) { append({number, number}); }
  /// Appends a run and joins it to the last run if it continues that run.
  void append(Run run);
  void append(const NumberList& other);
  /// Appends the numbers of `period`, then these plus `step`, and so on: `rounds` times. `period` ascends,
  /// and its numbers differ by less than `step`. Time and memory: O(runs of period).
  void append(const NumberList& period, std::uint64_t rounds, std::uint64_t step);
  /// Returns the same numbers in ascending order. The runs must not overlap. O(runs log(ascending parts)).
  NumberList ascending() const;

  /// Returns the smallest number that occurs twice in the lists; nothing if none does. O(runs log(ascending
  /// parts)).
  static std::optional<std::uint64_t> first_duplicate(std::span<const NumberList* const> lists);

  /// Returns the length of the list. Cost: O(1).
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Returns the runs, which are decoded one by one.
  Runs runs() const;
  /// Returns the number of runs. Cost: O(1).
  std::uint64_t run_count() const { return runs_; }
  bool contains(std::uint64_t number) const;  ///< O(runs)
  std::uint64_t front() const;                ///< O(1)
  /// Returns the smallest or largest number of a non-empty list. Cost: O(1) if it ascends, else O(runs).
  std::uint64_t min() const;
  std::uint64_t max() const;
  /// Returns the k-th number. Cost: O(runs).
  std::uint64_t operator[](std::uint64_t k) const;

  /// Returns all numbers. Cost: O(size).
  template <class Number = std::uint64_t>
  std::vector<Number> numbers() const;

  template <class Function>
  void for_each(Function&& function) const;

  /// Formats the list as text such as "0-3, 7".
  std::string to_string(std::string_view separator = ", ") const;
  /// Formats the list, but writes runs that repeat at a constant distance once: "0, [4, 6-7]*1000+5" contains
  /// 4, 6, 7, 9, 11, 12 and so on.
  std::string to_short_string() const;
  /// Passes the text of to_string(), or of to_short_string() if `is_short`, to `add` in parts.
  void format(bool is_short, const std::function<void(std::string_view)>& add,
              std::string_view separator = ", ") const;
  /// Reads "0-3, 7", or the result of to_short_string(). Accepts spaces around every part, and commas without
  /// spaces. Returns nothing if the text is not a list of this form, a run descends, or the list has more
  /// than `max_size` numbers.
  static std::optional<NumberList> parse(std::string_view text, std::uint64_t max_size = UINT64_MAX);

  /// Returns the compact form of all runs but the last one, which files may contain.
  std::span<const std::uint8_t> code() const { return code_; }
  /// Returns the last run of a non-empty list.
  Run last_run() const { return last_; }
  /// Returns the list with this code() and last_run(). Returns nothing if the code is invalid, or the list
  /// has more than `max_size` numbers. O(bytes of the code): runs that repeat are not followed one by one.
  static std::optional<NumberList> from_code(std::vector<std::uint8_t> code, Run last,
                                             std::uint64_t max_size = UINT64_MAX);

  /// Compares the numbers and their order. O(runs).
  friend bool operator==(const NumberList& one, const NumberList& other);

 private:
  void append_code(Run run);
  void append_last_code();
  static void append_period(RunIterator& next, std::string& text);
  void append_rounds(std::span<const Run> period, std::uint64_t rounds, std::uint64_t step);

  std::vector<std::uint8_t> code_;  // all runs but the last one
  Run last_;                        // last run, if `has_last_`
  bool has_last_ = false;
  bool ascends_ = true;
  std::uint64_t coded_ = 0;  // last number in code_
  std::uint64_t size_ = 0;
  std::uint64_t runs_ = 0;
};

/// Input iterator over the runs of a list.
class NumberList::RunIterator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): names that the standard library requires
  using iterator_concept = std::input_iterator_tag;   ///< for ranges
  using iterator_category = std::input_iterator_tag;  ///< for algorithms
  using value_type = Run;                             ///< type of an element
  using difference_type = std::ptrdiff_t;             ///< type of distances
  using pointer = const Run*;                         ///< type of operator->
  using reference = const Run&;                       ///< type of operator*
  // NOLINTEND(readability-identifier-naming)

  RunIterator() = default;
  explicit RunIterator(const NumberList& list) : list_(&list) { ++*this; }

  const Run& operator*() const { return run_; }
  const Run* operator->() const { return &run_; }
  RunIterator& operator++();
  RunIterator operator++(int) {
    RunIterator old = *this;
    ++*this;
    return old;
  }
  /// Iterators are equal if both are at the end, or have passed the same number of runs.
  friend bool operator==(const RunIterator& one, const RunIterator& other) {
    return one.list_ == other.list_ && one.position_ == other.position_ && one.round_ == other.round_ &&
           one.is_at_last_ == other.is_at_last_;
  }

 private:
  friend class NumberList;

  std::uint64_t take();
  void take_run();

  const NumberList* list_ = nullptr;  // null at the end
  std::size_t position_ = 0;          // in the code
  bool is_at_last_ = false;
  std::uint64_t number_ = 0;  // last number so far
  Run run_;

  // Runs that repeat: begin and end in the code.
  std::size_t period_begin_ = 0;
  std::uint64_t period_runs_ = 0;
  std::uint64_t period_run_ = 0;
  std::uint64_t period_number_ = 0;  // last number before the round
  std::uint64_t rounds_ = 0;
  std::uint64_t round_ = 0;
  std::uint64_t step_ = 0;
};

/// The runs of a list, as a range.
class NumberList::Runs {
 public:
  explicit Runs(const NumberList& list) : list_(&list) {}
  RunIterator begin() const { return list_->empty() ? RunIterator() : RunIterator(*list_); }
  RunIterator end() const { return {}; }
  std::uint64_t size() const { return list_->run_count(); }

 private:
  const NumberList* list_;
};

inline NumberList::Runs NumberList::runs() const {
  return Runs(*this);
}

template <class Number>
std::vector<Number> NumberList::numbers() const {
  std::vector<Number> numbers;
  numbers.reserve(size_);
  for_each([&](std::uint64_t number) { numbers.push_back(static_cast<Number>(number)); });
  return numbers;
}

template <class Function>
void NumberList::for_each(Function&& function) const {
  for (const Run& run : runs())
    for (std::uint64_t number = run.first;; ++number) {
      function(number);
      if (number == run.last) break;
    }
}

}  // namespace plimsoll::collectives
