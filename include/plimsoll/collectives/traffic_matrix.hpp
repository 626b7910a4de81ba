#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/collectives/operation.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::collectives {

/// A number for each sender and receiver, dense. Doubles: what files say may be more than 64 bits hold, and
/// up to 2^53 bytes sums are exact.
class TrafficMatrix {
 public:
  TrafficMatrix() = default;
  explicit TrafficMatrix(std::uint32_t size) : size_(size), values_(std::size_t{size} * size) {}

  std::uint32_t size() const { return size_; }
  double operator()(std::uint32_t from, std::uint32_t to) const { return values_[index(from, to)]; }
  double& operator()(std::uint32_t from, std::uint32_t to) { return values_[index(from, to)]; }
  /// What one sends to each.
  std::span<const double> row(std::uint32_t from) const {
    return std::span(values_).subspan(index(from, 0), size_);
  }

 private:
  std::size_t index(std::uint32_t from, std::uint32_t to) const { return std::size_t{from} * size_ + to; }

  std::uint32_t size_ = 0;
  std::vector<double> values_;
};

/// Which calls of a profile count: those for which all that is given holds.
struct TrafficSelection {
  std::optional<std::uint32_t> lead;
  std::optional<Operation> operation;
  // These are numbered by each lead, and need one.
  std::optional<std::uint64_t> call;     ///< its id; of which operation, if the lead has several such calls
  std::optional<std::size_t> signature;  ///< its position in Lead::signatures
  std::optional<std::uint32_t> communicator;
};

/// Who sent how much to whom, by ranks of MPI_COMM_WORLD, in all calls of a selection together.
struct Traffic {
  static constexpr std::uint32_t max_ranks = 16384;

  TrafficMatrix bytes;
  TrafficMatrix messages;   ///< counts above 0, times calls; empty unless asked for
  std::uint64_t calls = 0;  ///< a call of several leads (an inter-communicator's) once for each
  /// Calls whose ranks in MPI_COMM_WORLD are not known, and what was sent in them: not in `bytes`.
  std::uint64_t unplaced_calls = 0;
  double unplaced_bytes = 0;
  std::vector<Diagnostic> findings;  ///< what could not be placed, and why
};

/// Adds up counts x type sizes x calls, by what senders say or by what receivers say. Ranks of a communicator
/// become those of MPI_COMM_WORLD by its members. Where they are not known, a communicator that is as large
/// as MPI_COMM_WORLD and led by its rank 0 is taken to be like it. A signature that several communicators
/// have is split by the calls of each.
///
/// O(numbers of the signatures, equal rows as often as there are ranks), and max_ranks^2 numbers of memory at
/// most. Throws Error: usage if there is nothing of that selection, it means several calls, the profile is of
/// several jobs or of more than max_ranks; bad_input if ranks are not in their communicator.
Traffic traffic(const Profile& profile, const TrafficSelection& selection = {},
                Direction counts_of = Direction::send, bool with_messages = false);

/// Ranks of MPI_COMM_WORLD, as far as the profile tells: its least possible size if it does not say it.
std::uint32_t known_world_size(const Profile& profile);

}  // namespace plimsoll::collectives
