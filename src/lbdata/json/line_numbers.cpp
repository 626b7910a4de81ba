#include "lbdata/json/line_numbers.hpp"

#include <algorithm>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

void add_line_numbers(const OpenSource& open, std::vector<Diagnostic*> findings) {
  std::erase_if(findings, [](const Diagnostic* finding) { return !finding->byte || finding->line; });
  if (findings.empty()) return;
  std::ranges::sort(findings, {}, [](const Diagnostic* finding) { return *finding->byte; });
  support::TextSource source = open();
  std::vector<char> block(std::size_t{64} << 10);
  std::uint64_t offset = 0;
  std::uint64_t line = 1;
  auto next = findings.begin();
  while (next != findings.end()) {
    std::size_t received = 0;
    try {
      received = source.read(block.data(), block.size());
    } catch (const Error&) {
      break;  // the finding for this error is at the end of the readable text
    }
    if (received == 0) break;
    const char* counted = block.data();
    for (; next != findings.end() && *(*next)->byte < offset + received; ++next) {
      const char* const at = block.data() + (*(*next)->byte - offset);
      line += static_cast<std::uint64_t>(std::count(counted, at, '\n'));
      counted = at;
      (*next)->line = line;
    }
    line += static_cast<std::uint64_t>(
        std::count(counted, static_cast<const char*>(block.data()) + received, '\n'));
    offset += received;
  }
  for (; next != findings.end(); ++next) (*next)->line = line;
}

}  // namespace plimsoll::lbdata
