#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <plimsoll/collectives/comparison.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

MpiComparison compare(const MpiCalls& before, const MpiCalls& after) {
  MpiComparison comparison{.summary = {summarize(before), summarize(after)}, .functions = {}};
  std::map<std::string, MpiFunctionChange> changes;
  for (const MpiSummary::Function& function : comparison.summary.before.functions) {
    changes[function.name].calls.before = function.calls;
    changes[function.name].time_s.before = function.time.sum_s;
  }
  for (const MpiSummary::Function& function : comparison.summary.after.functions) {
    changes[function.name].calls.after = function.calls;
    changes[function.name].time_s.after = function.time.sum_s;
  }
  for (auto& [name, change] : changes) {
    change.name = name;
    comparison.functions.push_back(change);
  }
  std::ranges::stable_sort(comparison.functions, std::greater(), [](const MpiFunctionChange& change) {
    return std::abs(change.time_s.after - change.time_s.before);
  });
  return comparison;
}

}  // namespace plimsoll::collectives
