#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::inline v0_1::collectives {

/// Which exchange a collective does.
enum class Exchange : std::uint8_t { alltoall, alltoallv, alltoallw, allgatherv };

/// What a rank sends, or what it receives.
enum class Direction : std::uint8_t { send, recv };

/// How it is called: MPI_X, MPI_Ix, or MPI_X_init of which each start counts as a call.
enum class Mode : std::uint8_t { blocking, nonblocking, persistent };

/// A collective operation that is profiled. Large-count forms (MPI_X_c) are the same operation.
struct Operation {
  Exchange exchange = Exchange::alltoallv;
  Mode mode = Mode::blocking;
  bool neighborhood = false;

  static constexpr std::size_t count = 24;

  /// 0 .. count - 1, for arrays over operations.
  constexpr std::size_t index() const {
    return (static_cast<std::size_t>(exchange) * 3 + static_cast<std::size_t>(mode)) * 2 +
           (neighborhood ? 1 : 0);
  }
  static constexpr Operation at(std::size_t index) {
    return {static_cast<Exchange>(index / 6), static_cast<Mode>(index / 2 % 3), index % 2 == 1};
  }
  /// Whether each rank gives MPI one count for all its peers: all of Alltoall, what Allgatherv sends.
  constexpr bool has_one_count(Direction direction) const {
    return exchange == Exchange::alltoall ||
           (exchange == Exchange::allgatherv && direction == Direction::send);
  }
  /// MPI's name without "MPI_": "Alltoallv", "Ineighbor_alltoallw", "Allgatherv_init".
  std::string name() const;
  /// The same in lower case, as file names have it.
  std::string lower_case_name() const;
  /// The operation of that name, in any case; nothing if there is none.
  static std::optional<Operation> named(std::string_view name);

  friend constexpr bool operator==(const Operation&, const Operation&) = default;
};

/// The operation that a user means, in any case, with or without "MPI_". Throws Error (usage) if there is no
/// such operation.
Operation operation_named(const std::string& name);

}  // namespace plimsoll::collectives
