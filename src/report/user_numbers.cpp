#include "report/user_numbers.hpp"

#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <plimsoll/support/json_view.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

UserNumberColumns user_numbers(const lbdata::Dataset& dataset, const balance::DatasetPhase& phase,
                               std::size_t max_names) {
  UserNumberColumns result;
  std::map<std::string, std::vector<double>, std::less<>> numbers;
  support::JsonParser parser("");
  for (std::size_t object = 0; object < phase.locations.size(); ++object) {
    const auto [rank, task] = phase.locations[object];
    const std::string_view text =
        dataset.ranks[rank].resolve(phase.phase).record->tasks.user_defined.at(task);
    if (text.empty()) continue;
    parser.parse(text).for_each_member([&](std::string_view name, const support::JsonView& value) {
      const std::optional<double> number = value.get<double>();
      if (!number) return;
      auto column = numbers.find(name);
      if (column == numbers.end()) {
        if (numbers.size() == max_names) {
          result.complete = false;
          return;
        }
        column = numbers
                     .emplace(name, std::vector<double>(phase.locations.size(),
                                                        std::numeric_limits<double>::quiet_NaN()))
                     .first;
      }
      column->second[object] = *number;
    });
  }
  for (auto& [name, of_object] : numbers) result.columns.push_back({name, std::move(of_object)});
  return result;
}

bool is_summable(std::string_view name) {
  const auto is_or_ends_in = [&](std::string_view word) {
    return name.ends_with(word) && (name.size() == word.size() || name[name.size() - word.size() - 1] == '_');
  };
  return !is_or_ends_in("id") && !is_or_ends_in("rank") && name != "shared_bytes" &&
         name != "rank_working_bytes";
}

}  // namespace plimsoll::report
