// Feeds bytes to the merge of rank logs, as one log or as several logs separated by a mark. Their checksums
// are renewed, because they would hide all other errors. The merged data must be consistent: each rank of a
// communicator must be in exactly one row.

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/log_builder.hpp"

namespace collectives = plimsoll::collectives;

namespace {

void check(const collectives::CountMatrix& matrix, std::uint32_t comm_size) {
  if (matrix.counts.size() != matrix.rows() * matrix.columns) std::abort();
  std::uint64_t ranks = 0;
  for (const collectives::NumberList& row : matrix.ranks) ranks += row.size();
  if (matrix.rows() > 0 && ranks != comm_size) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  constexpr std::string_view mark = "####";
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> bytes;
  while (bytes.size() < 4) {
    const std::size_t end = bytes.size() == 3 ? rest.size() : std::min(rest.find(mark), rest.size());
    plimsoll::testing::LogBuilder::seal(bytes.emplace_back(rest.substr(0, end)));
    if (end == rest.size()) break;
    rest.remove_prefix(end + mark.size());
  }
  std::vector<collectives::LogContent> logs;
  for (const std::string& log : bytes) logs.push_back({log, "log"});
  try {
    const auto result =
        collectives::merge(logs, plimsoll::support::Progress::none(), {.max_scattered_calls = 1000});
    for (const collectives::Lead& lead : result.profile.leads) {
      for (const collectives::Signature& signature : lead.signatures) {
        if (signature.calls.empty()) std::abort();
        check(signature.send.matrix, signature.comm_size);
        check(signature.recv.matrix, signature.comm_size);
      }
      for (const collectives::RankValues& times : lead.late_arrival_s)
        if (times.values.size() != times.calls.size() * times.comm_size) std::abort();
    }
  } catch (const plimsoll::Error&) {
  }
  return 0;
}
