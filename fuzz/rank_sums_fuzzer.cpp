// Feeds bytes to the reader of a rank's sums over MPI calls. The check bits of blocks are renewed, because
// they would hide all other errors. The result must be consistent.

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "collectives/merging/sums_reader.hpp"

namespace collectives = plimsoll::collectives;
namespace rank_sums = plimsoll::collectives::rank_sums;
using plimsoll::collectives::rank_log::checked;
using plimsoll::collectives::rank_log::max_word;

namespace {

void seal(std::string& bytes) {
  std::size_t position = 0;
  while (bytes.size() - position >= sizeof(rank_sums::BlockHeader)) {
    rank_sums::BlockHeader header;
    std::memcpy(&header, bytes.data() + position, sizeof header);
    const std::uint64_t size = header.bytes & max_word;
    const std::uint64_t left = bytes.size() - position;
    if (size < sizeof header || size > left) return;
    header.bytes = checked(size);
    if (header.head != 0) header.head = checked(header.head & max_word);
    if (header.check != 0 && header.content_bytes <= size - sizeof header)
      header.check = rank_sums::check_of(header.head, std::as_bytes(std::span(bytes).subspan(
                                                          position + sizeof header, header.content_bytes)));
    std::memcpy(bytes.data() + position, &header, sizeof header);
    position += size;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  seal(bytes);
  try {
    std::vector<plimsoll::Diagnostic> findings;
    const collectives::RankSums sums = collectives::read_rank_sums(bytes, "file", findings);
    for (const collectives::RankCalls::Site& site : sums.calls.sites) {
      if (site.function >= sums.calls.functions.size()) std::abort();
      if (site.module >= sums.calls.modules.size()) std::abort();
      if (site.sums.failed_calls > site.sums.calls) std::abort();
    }
    for (const collectives::RankCalls::Messages& messages : sums.calls.messages)
      if (messages.peer >= sums.header.world_size) std::abort();
  } catch (const plimsoll::Error&) {
  }
  return 0;
}
