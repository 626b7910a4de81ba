#include <fmt/ranges.h>

#include <map>

#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/documents/collectives.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;
using support::format_bytes;
using support::format_percentage;

constexpr support::Named<PatternOrder> pattern_orders[] = {{"occurrences", PatternOrder::occurrences},
                                                           {"bytes", PatternOrder::bytes}};

struct PatternsOptions {
  ProfileInput input;
  std::size_t heavy = 10;
  std::string by = "occurrences";
  std::optional<double> factor;
  std::string folder;
  bool force = false;
  bool json = false;

  PatternOrder order() const { return support::value_of(pattern_orders, by, "order"); }

  /// Returns the collective profiler's rule, for its files and for --factor.
  ClassRule rule() const { return factor ? ClassRule{.factor = *factor} : ClassRule{}; }
};

constexpr const char* patterns_examples =
    R"(  plimsoll collectives patterns                     the profile in this directory
  plimsoll collectives patterns run1 --heavy 3 --by bytes
  plimsoll collectives patterns run1 --factor 100   the collective profiler's classes 1-to-n, n-to-1, n-to-n
  plimsoll collectives patterns run1 --write run1   the collective profiler's pattern files)";

// Limits of the table; --json contains everything.
constexpr std::size_t max_structures = 20;
constexpr std::size_t max_leads_text = 24;

CallAmount sum_of(const std::vector<StructureTotal>& totals) {
  CallAmount sum;
  for (const StructureTotal& total : totals) sum.add(total.amount);
  return sum;
}

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

std::string leads_text(const NumberList& leads) {
  const std::string text = leads.to_string();
  return text.size() <= max_leads_text ? text : count(leads.size(), "rank");
}

/// Returns the shares of calls and bytes of each class of structures, and a table of the structures.
std::string structures_text(const std::vector<StructureTotal>& totals) {
  const CallAmount all = sum_of(totals);
  const auto shares = [&](const auto& entry) {
    const auto& [name, amount] = entry;
    return fmt::format("{} {} ({} of bytes)", percentage(amount.calls, all.calls), name,
                       percentage(amount.bytes, all.bytes));
  };
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
  for (const StructureTotal& total : first(totals, max_structures)) {
    const Structure& structure = total.structure;
    table.add_row({to_string(structure.kind), count(structure.senders), degree_text(structure.sends_to),
                   count(structure.receivers), degree_text(structure.receives_from),
                   structure.symmetric ? "yes" : "no", count(total.amount.calls),
                   percentage(total.amount.calls, all.calls), support::format_bytes(total.amount.bytes),
                   percentage(total.amount.bytes, all.bytes),
                   joined(total.operations, ", ", &Operation::name), leads_text(total.leads)});
  }
  return fmt::format("{}: {}.\n\n", count(all.calls, "call"),
                     joined(amounts_of_classes(totals), ", ", shares)) +
         table.to_string(Terminal::width()) + more(max_structures, totals.size());
}

// Limits of the text output; --json contains everything.
constexpr std::size_t max_leads = 10;
constexpr std::size_t max_sentences = 8;
constexpr std::size_t max_cycles = 12;
constexpr std::size_t max_list = 60;

std::string indented(const Shape& shape) {
  std::string text;
  const std::vector<std::string> lines = sentences(shape);
  for (const std::string& line : first(lines, max_sentences)) text += "      " + line + "\n";
  if (lines.size() > max_sentences)
    text += fmt::format("      ... and {} more\n", count(lines.size() - max_sentences));
  return text;
}

std::string short_list(const NumberList& calls) {
  std::string text;
  for (const collectives::NumberList::Run& run : calls.runs()) {
    const std::string item =
        run.size() == 1 ? std::to_string(run.first) : fmt::format("{}-{}", run.first, run.last);
    if (text.size() + item.size() > max_list) return text + ", ...";
    text += (text.empty() ? "" : ", ") + item;
  }
  return text;
}

std::string pattern_text(const LeadPatterns& lead, std::size_t number, const PatternsOptions& options,
                         const Terminal& terminal) {
  const Pattern& pattern = lead.patterns[number];
  const std::string kind = joined(documents::classes_of(pattern, options.factor), " and ");
  return terminal.paint(Colour::bold, fmt::format("  #{}", number)) +
         fmt::format(
             "  {} ({}), {}{}: {}\n", count(pattern.calls.size(), "call"),
             format_percentage(static_cast<double>(pattern.calls.size()) / static_cast<double>(lead.calls)),
             format_bytes(pattern.bytes), kind.empty() ? "" : ", " + kind, short_list(pattern.calls)) +
         indented(pattern.shape);
}

std::string cycle_text(const RepeatedCycle& repeated) {
  const std::string parts = joined(repeated.cycle, ", ", [](const auto& part) {
    return part.second == 1 ? fmt::format("#{}", part.first)
                            : fmt::format("#{} {} times", part.first, count(part.second));
  });
  const std::string ids = repeated.first_call == repeated.last_call
                              ? fmt::format("call {}", repeated.first_call)
                              : fmt::format("calls {}-{}", repeated.first_call, repeated.last_call);
  if (repeated.repeats == 1) return fmt::format("  {}: {}\n", ids, parts);
  return fmt::format("  {}: cycle repeated {} times ({})\n", ids, count(repeated.repeats), parts);
}

/// Draws one character per column for its pattern: 0 to 9, a to z, + for all others.
std::string pattern_strip(const LeadPatterns& lead, std::size_t width) {
  std::string strip;
  for (const std::size_t pattern : dominant_patterns(lead, width))
    strip += pattern < 36 ? "0123456789abcdefghijklmnopqrstuvwxyz"[pattern] : '+';
  return strip;
}

std::string timeline_text(const LeadPatterns& lead, const Terminal& terminal) {
  if (lead.patterns.size() < 2) return "";
  std::string text = fmt::format("\nPatterns in the order of calls\n  {}\n",
                                 pattern_strip(lead, std::min<std::size_t>(terminal.width(), 80) - 4));
  for (const RepeatedCycle& cycle : first(lead.timeline, max_cycles)) text += cycle_text(cycle);
  if (lead.timeline.size() > max_cycles) text += "  " + more(max_cycles, lead.timeline.size());
  return text;
}

std::string lead_text(const LeadPatterns& lead, const PatternsOptions& options, const Terminal& terminal) {
  std::string text = fmt::format("\n{} led by rank {}: {}, {}\n", lead.operation.name(), lead.lead,
                                 count(lead.calls, "call"), count(lead.patterns.size(), "pattern"));
  const std::vector<std::size_t> heavy = heaviest(lead, options.order(), options.heavy);
  for (const std::size_t number : heavy) text += pattern_text(lead, number, options, terminal);
  if (lead.patterns.size() > heavy.size())
    text += fmt::format("  ... and {} more (--heavy {} shows all)\n",
                        count(lead.patterns.size() - heavy.size()), lead.patterns.size());
  text += timeline_text(lead, terminal);
  if (lead.patterns.size() > 1) text += "\nSum of all patterns\n" + indented(lead.sum);
  return text;
}

std::string profiler_classes(const std::vector<LeadPatterns>& patterns, const PatternsOptions& options) {
  std::uint64_t calls = 0;
  std::size_t n_patterns = 0;
  std::map<std::string, std::uint64_t> calls_of;
  for (const LeadPatterns& lead : patterns) {
    calls += lead.calls;
    n_patterns += lead.patterns.size();
    for (const Pattern& pattern : lead.patterns) {
      const std::string kind = joined(documents::classes_of(pattern, options.factor), " and ");
      calls_of[!kind.empty()           ? kind
               : pattern.shape.empty() ? "empty"
                                       : "nothing special"] += pattern.calls.size();
    }
  }
  std::vector<std::pair<std::string, std::uint64_t>> sorted(calls_of.begin(), calls_of.end());
  std::ranges::stable_sort(sorted, std::greater(), [](const auto& entry) { return entry.second; });
  return fmt::format("{} in {}: {}.\n", count(calls, "call"), count(n_patterns, "pattern"),
                     joined(sorted, ", ", [](const auto& entry) {
                       return fmt::format("{} {}", count(entry.second, "call"), entry.first);
                     }));
}

std::string text(const std::vector<LeadPatterns>& patterns, const PatternsOptions& options,
                 const Terminal& terminal) {
  std::string output =
      options.factor ? profiler_classes(patterns, options) : structures_text(total_structures(patterns));
  std::vector<const LeadPatterns*> order;
  order.reserve(patterns.size());
  for (const LeadPatterns& lead : patterns) order.push_back(&lead);
  if (order.size() > max_leads)
    std::ranges::stable_sort(order, std::greater(), [](const LeadPatterns* lead) { return lead->calls; });
  const std::size_t shown = std::min(order.size(), max_leads);
  for (std::size_t k = 0; k < shown; ++k) output += lead_text(*order[k], options, terminal);
  if (order.size() > shown)
    output +=
        fmt::format("\n... and {} more leads with fewer calls (--lead shows one lead, --json shows all)\n",
                    count(order.size() - shown));
  return output;
}

}  // namespace

Command define_collectives_patterns(OptionParser& parser) {
  auto options = begin_command<PatternsOptions>(parser, patterns_examples);
  add_profile_input(parser, options->input);
  add_profile_selection(parser, options->input);
  parser.add_option("--heavy K", options->heavy, "Show the K heaviest patterns per lead rank [default: 10]");
  parser.add_option("--by WHAT", options->by, "Rank patterns by occurrences or bytes [default: occurrences]")
      .one_of(support::names_of(pattern_orders));
  parser
      .add_option(
          "--factor F", options->factor,
          "Use the collective profiler's classes: X ranks that send to Y others are 1-to-n if Y > F*X, "
          "n-to-1 if X > F*Y [default for files: 100]")
      .check([](const std::string& text) {
        const auto factor = support::parse_number<double>(text);
        return factor && *factor >= 1 && *factor <= 1e9 ? "" : "must be between 1 and 1e9";
      });
  Option write =
      parser
          .add_option("--write DIR", options->folder,
                      "Write patterns-job<J>-rank<L>.md and patterns-summary-job<J>-rank<L>.md to DIR")
          .check(check_name);
  parser.add_flag("--force", options->force, "Overwrite existing pattern files").needs(write);
  add_json_option(parser, options->json);
  return [options](Terminal& terminal) {
    const Profile profile = read_counts(options->input, terminal);
    const std::vector<LeadPatterns> patterns = find_patterns(profile);
    std::vector<std::string> written;
    if (!options->folder.empty())
      written = write_patterns(patterns, options->folder, options->rule(), options->force);
    if (options->json) {
      terminal.print(documents::to_json(documents::PatternList{.patterns = &patterns,
                                                               .factor = options->factor,
                                                               .heavy = options->heavy,
                                                               .order = options->order(),
                                                               .files = written}));
      return 0;
    }
    terminal.print(fitted(text(patterns, *options, terminal)));
    if (!written.empty())
      terminal.print(fmt::format("\nWrote {} to {}.\n", count(written.size(), "file"),
                                 support::printable(options->folder)));
    return 0;
  };
}

}  // namespace plimsoll::cli
