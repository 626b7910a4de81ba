#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <string>
#include <utility>

#include <plimsoll/lbdata/data_comparison.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Exception that ends a comparison when enough differences are found.
struct EnoughDifferences {};

/// Formats a value of a file.
template <class Value>
std::string value_text(const Value& value) {
  if constexpr (std::same_as<Value, bool>)
    return value ? "true" : "false";
  else
    return fmt::format("{}", value);
}

/// Formats a value, or nothing if it is absent.
template <class Value>
std::optional<std::string> value_text(const std::optional<Value>& value) {
  return value ? std::optional(value_text(*value)) : std::nullopt;
}

/// The first differences, and the place of the values that are compared.
class DifferenceList {
 public:
  DifferenceList(DataComparison& result, const DataComparisonOptions& options)
      : result_(result),
        tolerance_(options.tolerance),
        most_(std::max<std::size_t>(options.max_differences, 1)) {}

  /// Place of the values that are compared next. Its field is a prefix of their fields.
  DataDifference place;

  /// Adds a difference at the place. Throws EnoughDifferences if the list is full.
  void add(const std::string& field, std::optional<std::string> first, std::optional<std::string> second) {
    if (result_.differences.size() == most_) {
      result_.cut_off = true;
      throw EnoughDifferences{};
    }
    DataDifference difference = place;
    difference.field += field;
    difference.first = std::move(first);
    difference.second = std::move(second);
    result_.differences.push_back(std::move(difference));
  }

  /// Adds a difference if exact values, which may be absent, differ.
  template <class Value>
  void compare(const std::string& field, const Value& first, const Value& second) {
    if (!(first == second)) add(field, value_text(first), value_text(second));
  }
  /// Adds a difference if measured values differ by more than the tolerance.
  void compare_measured(const std::string& field, double first, double second) {
    if (!are_close(first, second)) add(field, value_text(first), value_text(second));
  }
  /// Adds a difference if records with the same identity, such as tasks of an object, differ in number.
  void compare_counts(const std::string& field, std::size_t first, std::size_t second) {
    if (first != second) add(field, records(first), records(second));
  }
  /// Adds a difference if only one data set has a value.
  void compare_presence(const std::string& field, bool first, bool second) {
    compare_counts(field, std::size_t{first}, std::size_t{second});
  }

  bool are_close(double first, double second) const {
    return first == second ||
           std::abs(first - second) <= tolerance_ * std::max(std::abs(first), std::abs(second));
  }

 private:
  static std::optional<std::string> records(std::size_t count) {
    if (count == 0) return std::nullopt;
    return count == 1 ? "present" : fmt::format("present {} times", count);
  }

  DataComparison& result_;
  double tolerance_;
  std::size_t most_;
};

/// Matches two sorted lists by the key of their elements. Calls `compare(a, b)` for each pair with the same
/// key, in order. If the numbers of elements with a key differ, calls `differ(element, count in first, count
/// in second)` instead.
template <class List, class KeyOf, class Compare, class Differ>
void match(const List& first, const List& second, KeyOf key_of, Compare compare, Differ differ) {
  auto a = first.begin();
  auto b = second.begin();
  while (a != first.end() || b != second.end()) {
    const bool begins_with_a = b == second.end() || (a != first.end() && key_of(*a) <= key_of(*b));
    const auto& least = begins_with_a ? *a : *b;
    const auto key = key_of(least);
    const auto is_other = [&](const auto& element) { return key_of(element) != key; };
    const auto end_a = std::find_if(a, first.end(), is_other);
    const auto end_b = std::find_if(b, second.end(), is_other);
    if (end_a - a == end_b - b) {
      while (a != end_a) compare(*a++, *b++);
    } else {
      differ(least, static_cast<std::size_t>(end_a - a), static_cast<std::size_t>(end_b - b));
    }
    a = end_a;
    b = end_b;
  }
}

}  // namespace plimsoll::lbdata
