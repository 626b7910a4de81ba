#pragma once

#include <cstdint>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Receiver of progress reports of a long operation. Libraries take a `Progress&`; programs that show
/// progress derive from it. This base class ignores all reports. All members may be called from several
/// threads.
class Progress {
 public:
  virtual ~Progress() = default;

  /// Begins a stage such as "reading"; `total` (0: unknown) is in `unit`, e.g. "bytes" or "files".
  virtual void begin(std::string_view /*stage*/, std::uint64_t /*total*/, std::string_view /*unit*/) {}
  /// Reports that this many more units of the current stage are done.
  virtual void advance(std::uint64_t /*units*/) {}
  /// Ends the current stage.
  virtual void end() {}

  /// Returns a receiver that ignores all reports, for default arguments.
  static Progress& none() {
    static Progress ignored;
    return ignored;
  }
};

}  // namespace plimsoll::support
