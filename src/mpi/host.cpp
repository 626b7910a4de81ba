#include <array>
#include <cstddef>
#include <string_view>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

std::uint64_t host_number() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return support::hash_bytes(std::string_view(name.data(), static_cast<std::size_t>(length)));
}

}  // namespace plimsoll::mpi
