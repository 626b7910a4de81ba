#pragma once

#include <cstdint>
#include <string_view>

namespace plimsoll::inline v0_1::support {

/// What a long operation reports to. Libraries take a `Progress&`; whoever wants to show something derives
/// from it. This base class ignores everything. All members may be called from several threads.
class Progress {
 public:
  virtual ~Progress() = default;

  /// A stage such as "reading" begins; `total` (0: not known) is in `unit`, e.g. "bytes" or "files".
  virtual void begin(std::string_view /*stage*/, std::uint64_t /*total*/, std::string_view /*unit*/) {}
  /// So many more units of the current stage are done.
  virtual void advance(std::uint64_t /*units*/) {}
  /// The current stage is over.
  virtual void end() {}

  /// A sink that ignores everything, for default arguments.
  static Progress& none();
};

}  // namespace plimsoll::support
