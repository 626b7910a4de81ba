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
  /// Returns the latest step of a history that is not empty.
  std::uint32_t latest() const { return before(1); }
  /// Returns the distance to the previous occurrence of the latest steps, or 0 if none is known.
  std::uint64_t distance() const { return distance_; }
  /// Returns the step that followed the previous occurrence. Requires distance() > 0.
  std::uint32_t predicted() const { return ring_[(steps_ - distance_ + phase_) & mask()]; }

  /// Adds the predicted step.
  void confirm() {
    if (confirmed_ < ring_.size()) {
      append(predicted());
      ++confirmed_;
    } else if (++phase_ == distance_) {  // all kept steps are repetitions: they need not be stored again
      phase_ = 0;
    }
  }

  /// Adds another step, and searches for a previous occurrence. Keeps more steps if `memory_bytes` is enough,
  /// and subtracts the memory that it allocates.
  void push(std::uint32_t step, std::uint64_t& memory_bytes) {
    for (; phase_ > 0; --phase_) append(ring_[(steps_ - distance_) & mask()]);
    confirmed_ = 0;
    if (new_steps_++ >= ring_.size()) grow(memory_bytes);
    equal_steps_ = steps_ > 0 && latest() == step ? equal_steps_ + 1 : 1;
    const std::uint32_t position = positions_[next_context(step) >> shift_];
    append(step);
    const std::uint64_t distance = static_cast<std::uint32_t>(steps_) - position;
    distance_ = equal_steps_ >= enough_equal_steps ? 1 : is_repetition(distance) ? distance : 0;
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
  std::uint32_t before(std::uint64_t distance) const { return ring_[(steps_ - distance) & mask()]; }

  // A context consists of 32 steps: older ones are shifted out.
  std::uint64_t next_context(std::uint32_t step) const {
    return (context_ << 2) + (std::uint64_t{step} + 1) * support::splitmix64_step;
  }

  void append(std::uint32_t step) {
    ring_[steps_++ & mask()] = step;
    context_ = next_context(step);
    positions_[context_ >> shift_] = static_cast<std::uint32_t>(steps_);
  }

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
    for (std::uint64_t k = std::min<std::uint64_t>(steps_, ring_.size()); k > 0; --k)
      larger.append(before(k));
    larger.equal_steps_ = equal_steps_;
    larger.new_steps_ = new_steps_;
    *this = std::move(larger);
  }

  std::vector<std::uint32_t> ring_;       // a power of two
  std::vector<std::uint32_t> positions_;  // number of steps up to the latest occurrence of a context
  std::uint64_t steps_ = 0;
  std::uint64_t new_steps_ = 0;  // those that continue no repetition
  std::uint64_t context_ = 0;
  std::uint64_t equal_steps_ = 0;
  std::uint64_t distance_ = 0;
  std::uint64_t confirmed_ = 0;  // predicted steps since the last other one, up to the number of kept ones
  std::uint64_t phase_ = 0;      // number of later predicted steps, modulo `distance_`
  int shift_ = 0;
};

}  // namespace plimsoll::collectives
