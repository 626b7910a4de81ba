#include <plimsoll/support/error.hpp>

#include "cli/commands.hpp"

namespace plimsoll::cli {

Command define_layout_submit(CLI::App&) {
  return [](Terminal&) -> int { throw support::usage_error("unfinished"); };
}

}  // namespace plimsoll::cli
