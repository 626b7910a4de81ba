#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

Problem gather(std::span<const TimingFile>, const GatherOptions&, std::vector<Diagnostic>&) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
