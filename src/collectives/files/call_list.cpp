#include "collectives/files/call_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

void check_distinct(const NumberList& list, std::uint64_t line) {
  std::vector<NumberList::Run> runs = list.runs();
  std::ranges::sort(runs, {}, &NumberList::Run::first);
  for (std::size_t k = 1; k < runs.size(); ++k)
    if (runs[k].first <= runs[k - 1].last)
      throw Malformed{line, fmt::format("duplicate call {}", runs[k].first)};
}

}  // namespace

NumberList read_call_list(std::string_view text, Budget& budget, std::uint64_t line) {
  std::optional<NumberList> list = NumberList::parse(text);
  if (!list) throw Malformed{line, "invalid call list " + shown(text)};
  budget.take(list->size(), line);
  if (list->max() > largest_id) throw Malformed{line, fmt::format("call ID {} is too large", list->max())};
  check_distinct(*list, line);
  return *std::move(list);
}

}  // namespace plimsoll::collectives
