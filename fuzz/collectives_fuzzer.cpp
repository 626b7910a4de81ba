// Feeds text to the readers of counts files and of file names; the first byte selects the reader. Accepted
// blocks of counts must be unchanged after writing and reading them again.

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/number_list.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/files/counts_files.hpp"
#include "collectives/files/file_names.hpp"

namespace {

using namespace plimsoll::collectives;

constexpr std::uint64_t most_numbers = 1 << 16;

void require(bool condition) {
  if (!condition) std::abort();
}

std::vector<Signature> read_pair(std::string_view send, std::string_view recv, Content content,
                                 std::vector<plimsoll::Diagnostic>& list) {
  Findings send_findings("send", list);
  Findings recv_findings("recv", list);
  Budget budget(most_numbers);
  SignatureCollector signatures;
  pair_blocks(read_counts(send, content, budget, send_findings),
              read_counts(recv, content, budget, recv_findings), content, send_findings, recv_findings,
              signatures);
  return signatures.take();
}

std::string written(const std::vector<Signature>& signatures, Content content, Direction direction) {
  std::string text;
  plimsoll::support::TextBuffer output([&text](std::string_view piece) { text += piece; });
  write_counts(signatures, content, direction, {}, output);
  output.drain();
  return text;
}

/// Reads the text as both files of a block, and writes it.
void read_and_write(std::string_view text, Content content) {
  std::vector<plimsoll::Diagnostic> findings;
  const std::vector<Signature> first = read_pair(text, text, content, findings);
  if (first.empty()) return;
  findings.clear();
  const std::vector<Signature> second = read_pair(
      written(first, content, Direction::send), written(first, content, Direction::recv), content, findings);
  require(findings.empty() && second.size() == first.size());
  for (std::size_t k = 0; k < first.size(); ++k) {
    require(second[k].calls == first[k].calls && second[k].operation == first[k].operation &&
            second[k].send == first[k].send && second[k].recv == first[k].recv);
  }
}

void read_call(std::string_view text) {
  std::vector<plimsoll::Diagnostic> list;
  Findings findings("counts-rank0_call0.md", list);
  Budget budget(most_numbers);
  const auto signature = read_call_counts(text, std::nullopt, 0, budget, findings);
  require(signature.has_value() == list.empty());
}

void read_name(std::string_view text) {
  if (const auto name = FileName::parse(text)) require(FileName::parse(name->text())->job == name->job);
  if (const auto list = NumberList::parse(text)) require(NumberList::parse(list->to_string()) == list);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch ((data[0] - std::size_t{'0'}) % 5) {
    case 0: read_and_write(text, Content::counts); break;
    case 1: read_and_write(text, Content::displacements); break;
    case 2: read_call(text); break;
    case 3: read_profile_summary(text, {Exchange::alltoallv}); break;
    default: read_name(text);
  }
  return 0;
}
