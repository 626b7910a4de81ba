#include "balance/database/subphases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::int32_t n_ids = 65535;  // vt's IDs have 16 bits, and its last value is special

bool is_valid(const lbdata::Tasks& tasks, std::size_t row) {
  const double time_s = tasks.subphase_time_s[row];
  return tasks.subphase_id[row] >= 0 && tasks.subphase_id[row] < n_ids && std::isfinite(time_s) &&
         time_s >= 0;
}

/// Numbers of the subphases, by ID.
class Numbers {
 public:
  /// Requires valid subphases.
  explicit Numbers(const Records& records) : number_(n_ids, 0) {
    for (const lbdata::PhaseRecord* record : records)
      for (const std::int32_t id : record->tasks.subphase_id) number_[static_cast<std::size_t>(id)] = 1;
    for (std::uint32_t& number : number_)
      if (number != 0) number = ++count_;
  }

  /// Returns the number of different IDs.
  std::uint32_t count() const { return count_; }
  /// Returns the number of an ID that occurs, from 1.
  std::uint32_t operator[](std::int32_t id) const { return number_[static_cast<std::size_t>(id)]; }

 private:
  std::vector<std::uint32_t> number_;
  std::uint32_t count_ = 0;
};

/// Calls `add(subphase, load_s)` for all loads of a task.
template <class Add>
void for_each_load(const lbdata::Tasks& tasks, std::size_t task, const Numbers& numbers,
                   std::vector<double>& loads_s, Add&& add) {
  const std::uint32_t begin = tasks.subphase_begin(task);
  const std::uint32_t end = tasks.subphase_end[task];
  loads_s.assign(tasks.subphase_time_s.begin() + begin, tasks.subphase_time_s.begin() + end);
  add(SubphaseLoads::outside, fit_subphases(loads_s, tasks.time_s[task]));
  for (std::uint32_t row = begin; row < end; ++row)
    add(numbers[tasks.subphase_id[row]], loads_s[row - begin]);
}

void check(const lbdata::Tasks& tasks, std::size_t rank, std::int64_t phase) {
  for (std::size_t row = 0; row < tasks.subphase_id.size(); ++row)
    if (!is_valid(tasks, row))
      throw support::bad_input(
          fmt::format("invalid subphase {} of rank {} in phase {}, with {} s: the ID must be between 0 and "
                      "{}, and the time >= 0",
                      tasks.subphase_id[row], rank, phase, tasks.subphase_time_s[row], n_ids - 1));
}

}  // namespace

SubphaseLoads read_subphases(const Records& records, std::int64_t phase) {
  for (std::size_t rank = 0; rank < records.size(); ++rank) check(records[rank]->tasks, rank, phase);
  const Numbers numbers(records);
  if (numbers.count() == 0) return {};
  SubphaseLoads result = SubphaseLoads::zeros(count_tasks(records), numbers.count());
  std::vector<double> loads_s;
  std::size_t object = 0;
  for (const lbdata::PhaseRecord* record : records)
    for (std::size_t task = 0; task < record->tasks.size(); ++task, ++object)
      for_each_load(record->tasks, task, numbers, loads_s, [&](std::uint32_t subphase, double load_s) {
        result.of_object(object)[subphase] += static_cast<LBRealType>(load_s);
      });
  return result;
}

std::optional<SynchronisedPhase> synchronised_phase(const Records& records) {
  for (const lbdata::PhaseRecord* record : records)
    for (std::size_t row = 0; row < record->tasks.subphase_id.size(); ++row)
      if (!is_valid(record->tasks, row)) return {};
  const Numbers numbers(records);
  if (numbers.count() == 0) return {};
  SynchronisedPhase result{.n_subphases = numbers.count()};
  std::vector<double> max_s(numbers.count() + 1, 0.0);
  std::vector<double> of_rank_s;
  std::vector<double> loads_s;
  for (const lbdata::PhaseRecord* record : records) {
    of_rank_s.assign(max_s.size(), 0.0);
    for (std::size_t task = 0; task < record->tasks.size(); ++task)
      for_each_load(record->tasks, task, numbers, loads_s,
                    [&](std::uint32_t subphase, double load_s) { of_rank_s[subphase] += load_s; });
    for (std::size_t k = 0; k < max_s.size(); ++k) max_s[k] = std::max(max_s[k], of_rank_s[k]);
    result.outside_s += of_rank_s[SubphaseLoads::outside];
  }
  result.time_s = std::accumulate(max_s.begin(), max_s.end(), 0.0);
  return result;
}

}  // namespace plimsoll::balance
