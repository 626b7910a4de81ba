#pragma once

#include <optional>
#include <string>

namespace plimsoll::inline v0_1::collectives {

/// A fact that costs a program time or bytes, and the command that follows.
struct Finding {
  std::string text;             ///< sentence without a full stop, with a number
  std::string command;          ///< command line that shows more; empty if nothing is to be done
  std::optional<double> share;  ///< share of the run that it concerns, if known
};

}  // namespace plimsoll::collectives
