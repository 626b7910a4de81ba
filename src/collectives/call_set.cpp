#include "collectives/call_set.hpp"

#include <algorithm>

namespace plimsoll::collectives {

CallSet::CallSet(const NumberList& calls) {
  std::vector<NumberList::Run> sorted = calls.runs();
  std::ranges::sort(sorted, {}, &NumberList::Run::first);
  std::uint64_t size = 0;
  for (const NumberList::Run& run : sorted) {
    if (!runs_.empty() && run.first <= runs_.back().last) {
      if (run.last <= runs_.back().last) continue;
      size += run.last - runs_.back().last;
      runs_.back().last = run.last;
      continue;
    }
    runs_.push_back(run);
    before_.push_back(size);
    size += run.size();
  }
}

std::uint64_t CallSet::count_up_to(std::uint64_t number) const {
  const auto after = std::ranges::upper_bound(runs_, number, {}, &NumberList::Run::first);
  if (after == runs_.begin()) return 0;
  const auto last = after - 1;
  return before_[static_cast<std::size_t>(last - runs_.begin())] +
         std::min(number - last->first + 1, last->size());
}

std::uint64_t CallSet::count_common(const NumberList& calls) const {
  std::uint64_t common = 0;
  for (const NumberList::Run& run : calls.runs())
    common += count_up_to(run.last) - (run.first > 0 ? count_up_to(run.first - 1) : 0);
  return common;
}

}  // namespace plimsoll::collectives
