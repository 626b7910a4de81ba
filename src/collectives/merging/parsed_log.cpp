#include "collectives/merging/parsed_log.hpp"

#include <algorithm>
#include <cstring>

namespace plimsoll::PLIMSOLL_ABI::collectives {

std::int64_t RankLog::number(const LogRow& row, std::uint64_t offset, std::uint64_t k) const {
  if (row.wide) {
    std::int64_t number = 0;
    std::memcpy(&number, content.bytes.data() + offset + k * 8, 8);
    return number;
  }
  std::int32_t number = 0;
  std::memcpy(&number, content.bytes.data() + offset + k * 4, 4);
  return number;
}

void CallRuns::sort() {
  if (!std::ranges::is_sorted(runs_, {}, &LogRun::first_index))
    std::ranges::stable_sort(runs_, {}, &LogRun::first_index);
  latest_.clear();
  for (const LogRun& run : runs_)
    latest_.push_back(latest_.empty() ? run.last_index() : std::max(latest_.back(), run.last_index()));
}

const LogRun* CallRuns::find(std::uint64_t index) const {
  auto position = static_cast<std::size_t>(std::ranges::upper_bound(runs_, index, {}, &LogRun::first_index) -
                                           runs_.begin());
  while (position-- > 0 && latest_[position] >= index)
    if (runs_[position].contains(index)) return &runs_[position];
  return nullptr;
}

}  // namespace plimsoll::collectives
