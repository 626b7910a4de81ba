#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The latest steps of a stream, in which repeated sequences of steps are found. It is the dictionary of Ziv
/// and Lempel ("A universal algorithm for sequential data compression", 1977), with one hash table for
/// sequences of fixed length, as in LZRW1 (Williams, 1991). Each step takes O(1), amortised.
class StepHistory {
 public:
  static constexpr std::uint64_t largest = std::uint64_t{1} << 16;  ///< maximum number of kept steps

  bool empty() const { return steps_ == 0; }
  /// Returns the step that was `distance` steps ago. Requires a distance that find_repetition() returned, or
  /// 1 if the history is not empty.
  std::uint32_t before(std::uint64_t distance) const { return ring_[(steps_ - distance) & mask()]; }

  /// Adds a step that continues a repetition.
  void push(std::uint32_t step) {
    ring_[steps_++ & mask()] = step;
    // A context consists of 32 steps: older ones are shifted out.
    context_ = (context_ << 2) + (std::uint64_t{step} + 1) * support::splitmix64_step;
    positions_[context_ >> shift_] = static_cast<std::uint32_t>(steps_);
  }

  /// Adds another step. Returns the distance to the previous occurrence of the latest steps, or 0 if none is
  /// known. Keeps more steps if `memory_bytes` is enough, and subtracts the memory that it allocates.
  std::uint64_t push_and_find(std::uint32_t step, std::uint64_t& memory_bytes) {
    if (steps_ == ring_.size() || steps_ > 2 * ring_.size()) grow(memory_bytes);
    equal_steps_ = steps_ > 0 && before(1) == step ? equal_steps_ + 1 : 1;
    const std::uint64_t context = (context_ << 2) + (std::uint64_t{step} + 1) * support::splitmix64_step;
    const std::uint32_t position = positions_[context >> shift_];
    push(step);
    if (equal_steps_ >= enough_equal_steps) return 1;
    const std::uint64_t distance = static_cast<std::uint32_t>(steps_) - position;
    return is_repetition(distance) ? distance : 0;
  }

  /// Removes all steps. Returns the freed memory in bytes.
  std::uint64_t clear() {
    const std::uint64_t bytes = memory_bytes();
    *this = StepHistory();
    return bytes;
  }

 private:
  static constexpr std::uint64_t smallest = 64;
  /// Random steps seldom repeat this number of steps.
  static constexpr std::uint64_t enough_steps = 32;
  static constexpr std::uint64_t enough_equal_steps = 16;

  std::uint64_t mask() const { return ring_.size() - 1; }
  std::uint64_t memory_bytes() const { return ring_.size() * 2 * sizeof(std::uint32_t); }

  bool is_repetition(std::uint64_t distance) const {
    if (distance == 0 || distance + enough_steps > std::min<std::uint64_t>(steps_, ring_.size()))
      return false;
    for (std::uint64_t k = 1; k <= enough_steps; ++k)
      if (before(k) != before(distance + k)) return false;
    return true;
  }

  void grow(std::uint64_t& memory_bytes) {
    const std::uint64_t size = std::max(smallest, 2 * ring_.size());
    const std::uint64_t more_bytes = (size - ring_.size()) * 2 * sizeof(std::uint32_t);
    if (size > largest || (more_bytes > memory_bytes && !ring_.empty())) return;
    memory_bytes -= std::min(more_bytes, memory_bytes);
    StepHistory larger;
    larger.ring_.resize(size);
    larger.positions_.resize(size);
    larger.shift_ = 64 - std::countr_zero(size);
    for (std::uint64_t k = std::min<std::uint64_t>(steps_, ring_.size()); k > 0; --k) larger.push(before(k));
    larger.equal_steps_ = equal_steps_;
    *this = std::move(larger);
  }

  std::vector<std::uint32_t> ring_;       // a power of two
  std::vector<std::uint32_t> positions_;  // number of steps up to the latest occurrence of a context
  std::uint64_t steps_ = 0;
  std::uint64_t context_ = 0;
  std::uint64_t equal_steps_ = 0;
  int shift_ = 0;
};

}  // namespace plimsoll::collectives
