// Feeds bytes to the reader of MPI calls. Writing and rereading accepted calls must give the same calls.

#include <cstdlib>
#include <string_view>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/error.hpp>

namespace collectives = plimsoll::collectives;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  collectives::MpiCalls calls;
  try {
    calls = collectives::parse_mpi_calls({reinterpret_cast<const char*>(data), size}, "input");
  } catch (const plimsoll::Error&) {
    return 0;
  }
  if (collectives::parse_mpi_calls(to_json(calls), "again") != calls) std::abort();
  return 0;
}
