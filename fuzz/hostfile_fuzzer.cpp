// Feeds text to the reader of hostfiles. Accepted hostfiles must be unchanged after writing them with all
// slots and reading them again.

#include <cstdlib>
#include <string>
#include <string_view>

#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/support/error.hpp>

namespace placement = plimsoll::placement;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::uint32_t ranks = data[0] + 1U;
  try {
    const auto nodes = placement::parse_hostfile(text, "hosts", ranks);
    std::string again;
    for (const placement::Node& node : nodes)
      again += node.name + " slots=" + std::to_string(node.slots) + "\n";
    if (placement::parse_hostfile(again, "again", ranks) != nodes) std::abort();
  } catch (const plimsoll::Error&) {
  }
  return 0;
}
