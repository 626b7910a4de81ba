#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::size_t max_excluded = 20;

std::string with_arguments(const StrategySpec& strategy) {
  if (strategy.parameters.empty()) return "";
  std::vector<std::string> arguments;
  for (const auto& [key, value] : strategy.parameters) arguments.push_back(fmt::format("{}={}", key, value));
  std::ranges::sort(arguments);
  return fmt::format(" with arguments `{}`", fmt::join(arguments, " "));
}

/// Returns the multiples of both divisors from 1 to `last`, but at most max_excluded.
std::vector<std::int64_t> common_multiples(std::int64_t left, std::int64_t right, std::int64_t last) {
  const std::int64_t factor = right / std::gcd(left, right);
  std::vector<std::int64_t> multiples;
  if (left > last / factor) return multiples;
  const std::int64_t step = left * factor;
  for (std::int64_t multiple = step; multiples.size() < max_excluded; multiple += step) {
    multiples.push_back(multiple);
    if (multiple > last - step) break;
  }
  return multiples;
}

}  // namespace

bool LbScheduleEntry::applies_to(std::int64_t phase) const {
  return modulus ? phase >= offset && (phase - offset) % number == 0 : phase == number;
}

LbSchedule LbSchedule::single(StrategySpec strategy, std::int64_t interval, bool first_phase) {
  PLIMSOLL_EXPECT(interval >= 1);
  LbSchedule schedule;
  schedule.add(
      {.modulus = true, .number = interval, .offset = first_phase ? 0 : 1, .strategy = std::move(strategy)});
  return schedule;
}

std::optional<StrategySpec> LbSchedule::strategy(std::int64_t phase) const {
  const LbScheduleEntry* entry = entry_of(phase);
  if (entry == nullptr || entry->strategy.name == "NoLB") return std::nullopt;
  return entry->strategy;
}

bool LbSchedule::uses(std::string_view strategy) const {
  return std::ranges::any_of(entries_, [&](const auto& entry) { return entry.strategy.name == strategy; });
}

std::string LbSchedule::table() const {
  std::vector<const LbScheduleEntry*> modulus;  // ascending, as vt lists them
  std::int64_t last = 0;
  for (const LbScheduleEntry& entry : entries_) {
    if (entry.modulus) modulus.push_back(&entry);
    last = std::max(last, entry.number);
  }
  std::ranges::sort(modulus, {}, &LbScheduleEntry::number);
  std::string text;
  if (!exact_.empty()) text += "Exact config lines:\n";
  for (const auto& [phase, index] : exact_)
    text += fmt::format("Run `{}` on phase {}{}\n", entries_[index].strategy.name, phase,
                        with_arguments(entries_[index].strategy));
  if (!modulus.empty()) text += "Mod (%) config lines:\n";
  for (const LbScheduleEntry* entry : modulus) {
    std::set<std::int64_t> excluded;
    for (const auto& [phase, index] : exact_)
      if (phase > 0 && entry->applies_to(phase)) excluded.insert(phase);
    for (const LbScheduleEntry& earlier : entries_) {
      if (&earlier == entry) break;
      if (!earlier.modulus) continue;
      const auto multiples = common_multiples(entry->number, earlier.number, last);
      excluded.insert(multiples.begin(), multiples.end());
    }
    const bool all_shown = excluded.size() <= max_excluded;
    if (!all_shown) excluded.erase(std::next(excluded.begin(), max_excluded), excluded.end());
    text +=
        fmt::format("Run `{}` every {} phases{}{}{}{}\n", entry->strategy.name, entry->number,
                    entry->offset == 0 ? "" : fmt::format(" from phase {}", entry->offset),
                    with_arguments(entry->strategy),
                    excluded.empty() ? "" : fmt::format(" excluding phases {}", fmt::join(excluded, ", ")),
                    all_shown ? "" : ", ...");
  }
  return text;
}

void LbSchedule::add(LbScheduleEntry entry) {
  if (!entry.modulus) exact_.emplace(entry.number, entries_.size());
  entries_.push_back(std::move(entry));
}

const LbScheduleEntry* LbSchedule::entry_of(std::int64_t phase) const {
  if (const auto exact = exact_.find(phase); exact != exact_.end()) return &entries_[exact->second];
  const auto found = std::ranges::find_if(
      entries_, [&](const LbScheduleEntry& entry) { return entry.modulus && entry.applies_to(phase); });
  return found == entries_.end() ? nullptr : &*found;
}

}  // namespace plimsoll::balance
