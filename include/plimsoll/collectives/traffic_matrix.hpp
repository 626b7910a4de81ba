#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/collectives/operation.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A dense matrix with a number for each sender and receiver. It uses doubles because totals in files may
/// exceed 64 bits. Sums are exact up to 2^53 bytes.
class TrafficMatrix {
 public:
  TrafficMatrix() = default;
  explicit TrafficMatrix(std::uint32_t size) : size_(size), values_(std::size_t{size} * size) {}

  std::uint32_t size() const { return size_; }
  double operator()(std::uint32_t from, std::uint32_t to) const { return values_[index(from, to)]; }
  double& operator()(std::uint32_t from, std::uint32_t to) { return values_[index(from, to)]; }
  /// Returns the row of one sender: the number for each receiver.
  std::span<const double> row(std::uint32_t from) const {
    return std::span(values_).subspan(index(from, 0), size_);
  }

 private:
  std::size_t index(std::uint32_t from, std::uint32_t to) const { return std::size_t{from} * size_ + to; }

  std::uint32_t size_ = 0;
  std::vector<double> values_;
};

/// Selects calls of a profile: a call must match all members that are set.
struct TrafficSelection {
  std::optional<std::uint32_t> lead;
  std::optional<Operation> operation;
  // Members whose values each lead assigns separately; they require `lead`.
  std::optional<std::uint64_t> call;     ///< id of the call; set `operation` too if several calls have it
  std::optional<std::size_t> signature;  ///< index in Lead::signatures
  std::optional<std::uint32_t> communicator;

  friend bool operator==(const TrafficSelection&, const TrafficSelection&) = default;
};

/// Traffic between ranks of MPI_COMM_WORLD, summed over all calls of a selection.
struct Traffic {
  static constexpr std::uint32_t max_ranks = 16384;

  TrafficMatrix bytes;
  TrafficMatrix messages;  ///< one message per non-zero count and call, and each point-to-point message;
                           ///< empty unless requested
  std::uint64_t point_to_point_messages = 0;  ///< messages outside collectives, if included; saturates
  std::uint64_t calls = 0;  ///< a call on an inter-communicator, which has two leads, counts once
  /// Number of calls whose ranks in MPI_COMM_WORLD are unknown, and the bytes sent in them. `bytes` does not
  /// include them.
  std::uint64_t unplaced_calls = 0;
  double unplaced_bytes = 0;
  std::vector<Diagnostic> findings;  ///< calls whose ranks are unknown, with the reason
};

/// Sums counts x type sizes x calls, from the counts of senders or of receivers. Ranks of a communicator are
/// translated to MPI_COMM_WORLD by its members. If the members are unknown, a communicator that is as large
/// as MPI_COMM_WORLD and whose lead is rank 0 is assumed to have the same ranks. The calls of a count set
/// that several communicators share are counted for each communicator separately.
///
/// Time: O(numbers of the count sets), where equal rows count once per rank. Memory: at most max_ranks^2
/// numbers. Throws Error: usage if the selection matches no calls or is ambiguous, or if the profile has
/// several jobs or more than max_ranks ranks; bad_input if the profile contains no counts, if the ranks of
/// all selected calls are unknown, or if ranks are not in their communicator.
Traffic traffic(const Profile& profile, const TrafficSelection& selection = {},
                Direction counts_of = Direction::send, bool with_messages = false);

/// Returns the number of ranks in MPI_COMM_WORLD. If the profile does not contain it, returns the minimum
/// possible size.
std::uint32_t known_world_size(const Profile& profile);

}  // namespace plimsoll::collectives
