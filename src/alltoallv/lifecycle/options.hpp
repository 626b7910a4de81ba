#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/operation.hpp>

namespace plimsoll::alltoallv {

/// What the user wants of the interposer.
struct Options {
  // Contents of the files.
  bool counts = true;
  bool times = false;
  bool late_arrival = false;
  bool locations = false;
  bool backtraces = false;
  bool displacements = false;

  // Which calls.
  std::bitset<collectives::Operation::count> operations = ~std::bitset<collectives::Operation::count>{};
  std::uint64_t first = 0;
  std::uint64_t sample = 1;
  /// Of each operation, by Operation::index().
  std::array<std::uint64_t, collectives::Operation::count> limits;

  /// The same as the collective profiler counts: by the ids of the lead, so that what is to be kept is known
  /// when all is merged. `limits` are large enough for it.
  struct Window {
    std::uint64_t first = 0;
    std::array<std::uint64_t, collectives::Operation::count> limits;
  };
  std::optional<Window> window;

  std::string folder = ".";
  std::uint64_t job = 0;
  std::uint64_t memory_bytes = std::uint64_t{64} << 20;
  collectives::WriteOptions write;
  bool merge_later = false;        ///< leave the logs for `plimsoll collectives merge`
  bool quiet = false;              ///< say nothing but errors
  bool inject_delay = false;       ///< rank 0 of a communicator is a second late in every call
  std::vector<std::string> notes;  ///< lines about variables that are set and have no effect

  Options() { limits.fill(UINT64_MAX); }
  bool record_times() const { return times || late_arrival; }
};

/// Variables of the environment, by name.
using Variables = std::map<std::string, std::string>;

/// Those of this process that parse_options() knows.
Variables known_variables();

/// The options in PLIMSOLL_ALLTOALLV, PLIMSOLL_ALLTOALLV_FOLDER, the collective profiler's own variables and
/// those of batch systems. Throws Error (usage) for what it does not understand.
Options parse_options(const Variables& variables);

}  // namespace plimsoll::alltoallv
