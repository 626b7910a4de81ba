#include <algorithm>

#include <plimsoll/collectives/messages.hpp>

namespace plimsoll::collectives {

std::uint32_t peers(const Signature& signature) {
  const std::uint32_t columns = std::max(signature.send.matrix.columns, signature.recv.matrix.columns);
  return columns > 1 ? columns : signature.comm_size;
}

}  // namespace plimsoll::collectives
