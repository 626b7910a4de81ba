#include "cli/commands/collectives/pattern_structures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include <plimsoll/support/internal/format.hpp>

#include "cli/commands/collectives/text_pieces.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using collectives::CallAmount;
using collectives::Degree;
using collectives::StructureTotal;
using Align = support::TextTable::Align;

// Limits of the table; --json contains everything.
constexpr std::size_t max_structures = 20;
constexpr std::size_t max_leads_text = 24;

std::string percentage_of(std::uint64_t part, std::uint64_t whole) {
  return support::format_percentage(share(static_cast<double>(part), static_cast<double>(whole)));
}

CallAmount sum_of(const std::vector<StructureTotal>& totals) {
  CallAmount sum;
  for (const StructureTotal& total : totals) sum.add(total.amount);
  return sum;
}

/// Returns the calls and bytes of each class, the class with the most calls first.
std::vector<std::pair<const char*, CallAmount>> amounts_of_classes(
    const std::vector<StructureTotal>& totals) {
  std::map<collectives::StructureClass, CallAmount> amounts;
  for (const StructureTotal& total : totals) amounts[total.structure.kind].add(total.amount);
  std::vector<std::pair<const char*, CallAmount>> sorted;
  sorted.reserve(amounts.size());
  for (const auto& [kind, amount] : amounts) sorted.emplace_back(to_string(kind), amount);
  std::ranges::stable_sort(sorted, std::greater(), [](const auto& entry) { return entry.second.calls; });
  return sorted;
}

std::string degree_text(const Degree& degree) {
  return degree.min == degree.max ? count(degree.min)
                                  : fmt::format("{} to {}", count(degree.min), count(degree.max));
}

std::string leads_text(const collectives::NumberList& leads) {
  const std::string text = leads.to_string();
  return text.size() <= max_leads_text ? text : count(leads.size(), "rank");
}

std::vector<std::string> operation_names(const std::vector<collectives::Operation>& operations) {
  std::vector<std::string> names;
  names.reserve(operations.size());
  for (const collectives::Operation& operation : operations) names.push_back(operation.name());
  return names;
}

}  // namespace

std::string structures_text(const std::vector<StructureTotal>& totals) {
  const CallAmount all = sum_of(totals);
  std::vector<std::string> parts;
  for (const auto& [name, amount] : amounts_of_classes(totals))
    parts.push_back(fmt::format("{} {} ({} of bytes)", percentage_of(amount.calls, all.calls), name,
                                percentage_of(amount.bytes, all.bytes)));
  support::TextTable table({{"class"},
                            {"senders", Align::right},
                            {"to ranks", Align::right},
                            {"receivers", Align::right},
                            {"from ranks", Align::right},
                            {"symmetric"},
                            {"calls", Align::right},
                            {"", Align::right},
                            {"bytes", Align::right},
                            {"", Align::right},
                            {"operations"},
                            {"leads"}});
  const std::size_t shown = std::min(totals.size(), max_structures);
  for (const StructureTotal& total : std::span(totals).first(shown)) {
    const collectives::Structure& structure = total.structure;
    table.add_row(
        {to_string(structure.kind), count(structure.senders), degree_text(structure.sends_to),
         count(structure.receivers), degree_text(structure.receives_from), structure.symmetric ? "yes" : "no",
         count(total.amount.calls), percentage_of(total.amount.calls, all.calls),
         support::format_bytes(total.amount.bytes), percentage_of(total.amount.bytes, all.bytes),
         fmt::format("{}", fmt::join(operation_names(total.operations), ", ")), leads_text(total.leads)});
  }
  return fmt::format("{}: {}.\n\n", count(all.calls, "call"), fmt::join(parts, ", ")) + table.to_string() +
         more(shown, totals.size());
}

}  // namespace plimsoll::cli
