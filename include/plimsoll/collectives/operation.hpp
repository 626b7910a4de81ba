#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Type of data exchange of a collective operation.
enum class Exchange : std::uint8_t { alltoall, alltoallv, alltoallw, allgatherv };

/// Direction of data: sent or received.
enum class Direction : std::uint8_t { send, recv };

/// Form of the call: MPI_X, MPI_Ix, or MPI_X_init. Each start of a persistent operation counts as one call.
enum class Mode : std::uint8_t { blocking, nonblocking, persistent };

/// A profiled collective operation. Large-count forms (MPI_X_c) are the same operation.
struct Operation {
  Exchange exchange = Exchange::alltoallv;
  Mode mode = Mode::blocking;
  bool neighborhood = false;

  static constexpr std::size_t count = 24;

  /// Returns an index from 0 to count - 1, for arrays over operations.
  constexpr std::size_t index() const {
    return (static_cast<std::size_t>(exchange) * 3 + static_cast<std::size_t>(mode)) * 2 +
           (neighborhood ? 1 : 0);
  }
  static constexpr Operation at(std::size_t index) {
    return {static_cast<Exchange>(index / 6), static_cast<Mode>(index / 2 % 3), index % 2 == 1};
  }
  /// Returns whether each rank passes MPI a single count for all its peers. This is true for Alltoall in both
  /// directions, and for Allgatherv in the send direction.
  constexpr bool has_one_count(Direction direction) const {
    return exchange == Exchange::alltoall ||
           (exchange == Exchange::allgatherv && direction == Direction::send);
  }
  /// Returns MPI's name without "MPI_", such as "Alltoallv", "Ineighbor_alltoallw", "Allgatherv_init".
  std::string name() const;
  /// Returns the name in lower case, as in file names.
  std::string lower_case_name() const;
  /// Returns the operation with that name, in upper or lower case; nothing if the name is unknown.
  static std::optional<Operation> named(std::string_view name);

  friend constexpr bool operator==(const Operation&, const Operation&) = default;
};

/// Returns the operation that a user entered, in upper or lower case, with or without "MPI_". Throws Error
/// (usage) if the operation is unknown.
Operation operation_named(const std::string& name);

}  // namespace plimsoll::collectives
