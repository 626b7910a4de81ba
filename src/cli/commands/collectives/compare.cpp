#include <map>

#include <plimsoll/collectives/comparison.hpp>
#include <plimsoll/documents/collectives.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;
using support::format_bytes;
using support::format_percentage;
using support::format_seconds;

// Limit of the tables; --json contains everything.
constexpr std::size_t max_lines_shown = 20;

/// Formats a change: "=", "new", "+5.0 %" or "12.3 times".
std::string change(double before, double after) {
  if (before == after) return "=";
  if (before == 0) return "new";
  const double ratio = after / before;
  return std::abs(ratio - 1) < 10 ? support::format_difference(ratio - 1)
                                  : fmt::format("{:.3g} times", ratio);
}

/// A table with the values before, the values after, and their changes.
class ChangeTable {
 public:
  template <class Number, class Format>
  void add(const std::string& label, Number before, Number after, Format format) {
    table_.add_row({label, format(before), format(after),
                    change(static_cast<double>(before), static_cast<double>(after))});
  }
  void add_count(const std::string& label, std::uint64_t before, std::uint64_t after) {
    add(label, before, after, [](std::uint64_t number) { return count(number); });
  }
  void add_rule() { table_.add_rule(); }
  std::string to_string() const { return table_.to_string(Terminal::width()); }

 private:
  support::TextTable table_{
      {{""}, {"before", Align::right}, {"after", Align::right}, {"change", Align::right}}};
};

std::string place(const CallsOnCommunicator& calls) {
  return fmt::format("{} on communicator {} of lead rank {}", calls.operation.name(), calls.communicator,
                     calls.lead);
}

std::string ranks(const NumberList& list) {
  return list.empty() ? "-" : list.to_string();
}

std::string first_difference(const ContentDifference& first) {
  std::string text = fmt::format("The data differ first in call {} of {}:\n", first.call, place(first));
  const auto add = [&](const NumberList& differing, const char* verb) {
    if (!differing.empty())
      text += fmt::format("  rank{} {} {} other data\n", differing.size() == 1 ? "" : "s",
                          differing.to_string(), verb);
  };
  add(first.sent, "sent");
  add(first.received, "received");
  if (!first.frames.empty())
    text += fmt::format("  called from {}\n", support::printable(first.frames.front()));
  return text;
}

std::string all_differences(const ContentComparison& comparison) {
  if (comparison.differences.size() < 2) return "";
  return "First differences of the data\n" +
         table_of<ContentDifference>(
             first(comparison.differences, max_lines_shown),
             {{"lead", Align::right, [](const auto& one) { return std::to_string(one.lead); }},
              {"communicator", Align::right,
               [](const auto& one) { return std::to_string(one.communicator); }},
              {"operation", Align::left, [](const auto& one) { return one.operation.name(); }},
              {"first call", Align::right, [](const auto& one) { return std::to_string(one.call); }},
              {"ranks that sent other data", Align::left, [](const auto& one) { return ranks(one.sent); }},
              {"ranks that received other data", Align::left,
               [](const auto& one) { return ranks(one.received); }}}) +
         more(max_lines_shown, comparison.differences.size());
}

std::string part_text(const UnmatchedCalls::Part& part, const char* when) {
  return fmt::format(
      "{} among {} {}",
      part.calls.size() == 1 ? "call " + part.calls.to_string() : "calls " + part.calls.to_string(),
      part.members.empty() ? count(part.comm_size, "rank") : "ranks " + part.members.to_string(), when);
}

std::string unmatched_calls(const ContentComparison& comparison) {
  if (comparison.unmatched.empty()) return "";
  std::string text = "Calls whose data are in one run only\n";
  for (const UnmatchedCalls& calls : first(comparison.unmatched, max_lines_shown)) {
    const auto& [before, after] = calls.runs;
    text +=
        fmt::format("  {}: {}{}{}\n", place(calls), before.calls.empty() ? "" : part_text(before, "before"),
                    before.calls.empty() || after.calls.empty() ? "" : "; ",
                    after.calls.empty() ? "" : part_text(after, "after"));
  }
  if (comparison.unmatched.size() > max_lines_shown)
    text += "  " + more(max_lines_shown, comparison.unmatched.size());
  return text;
}

std::string data_verdict(const ContentComparison& comparison) {
  if (comparison.calls == 0) return "Data: not compared, because no calls match.\n";
  const std::string calls = comparison.differing_calls == 0
                                ? fmt::format("equal in all of {}", count(comparison.calls, "compared call"))
                                : fmt::format("different in {} of {}", count(comparison.differing_calls),
                                              count(comparison.calls, "compared call"));
  return fmt::format("Data: {} ({} and {}).\n", calls, count(comparison.sent, "send"),
                     count(comparison.received, "receive"));
}

std::string content_text(const ContentComparison& comparison) {
  std::string text = unmatched_calls(comparison);
  const std::string differences = all_differences(comparison);
  if (!differences.empty()) text += (text.empty() ? "" : "\n") + differences;
  text += (text.empty() ? "" : "\n") + data_verdict(comparison);
  if (!comparison.differences.empty()) text += first_difference(comparison.differences.front());
  return text;
}

/// Returns the mean over the threads that call MPI.
double per_thread(double sum_s, const MpiSummary& summary) {
  return sum_s / summary.threads;
}

/// Adds the efficiencies that are known of both runs.
void add_factors(const std::optional<Efficiencies>& before, const std::optional<Efficiencies>& after,
                 ChangeTable& table) {
  if (!before || !after) return;
  const std::vector<Factor> all_before = factors(*before);
  const std::vector<Factor> all_after = factors(*after);
  for (std::size_t k = 0; k < all_before.size(); ++k)
    if (all_before[k].value && all_after[k].value)
      table.add(std::string(2 * static_cast<std::size_t>(all_before[k].depth), ' ') + all_before[k].name,
                *all_before[k].value, *all_after[k].value, factor_text);
}

std::string mpi_changes_text(const MpiComparison& comparison) {
  const auto& [before, after] = comparison.summary;
  ChangeTable table;
  table.add_count("ranks", before.ranks.size(), after.ranks.size());
  table.add("run", before.longest_wall_s, after.longest_wall_s, format_seconds);
  add_factors(before.efficiencies, after.efficiencies, table);
  table.add("in MPI, per thread", per_thread(before.mpi_s, before), per_thread(after.mpi_s, after),
            format_seconds);
  table.add("in MPI, of run", before.mpi_share(), after.mpi_share(), format_percentage);
  if (before.waited_s && after.waited_s)
    table.add("waited, per thread", per_thread(*before.waited_s, before), per_thread(*after.waited_s, after),
              format_seconds);
  table.add("outside MPI, mean", before.outside.mean_s, after.outside.mean_s, format_seconds);
  table.add("outside MPI, imbalance", before.outside.imbalance(), after.outside.imbalance(), imbalance_text);
  table.add_rule();
  for (const MpiFunctionChange& function : first(comparison.functions, max_lines_shown)) {
    table.add_count(function.name + ", calls", function.calls.before, function.calls.after);
    table.add(function.name + ", time", function.time_s.before, function.time_s.after, format_seconds);
  }
  return "MPI calls of the programs\n" + table.to_string() +
         more(max_lines_shown, comparison.functions.size());
}

struct CompareCommandOptions {
  std::vector<std::string> paths;
  SummaryOptions summary;
  bool json = false;
};

constexpr const char* compare_examples =
    R"(  plimsoll collectives compare before after        show the changes
  plimsoll collectives compare run1 run2 --json | jq -r .verdict
  plimsoll profile --record content-hash -o run1 -- mpirun -n 4 ./app
      again with -o run2: then compare run1 run2 names the first call with other data

The exit status is 0 even if the profiles differ.)";

double imbalance(const Summary& summary, std::uint64_t RankSummary::*bytes) {
  return balance_of(summary, bytes).imbalance();
}

std::string amounts(const Summary& before, const Summary& after) {
  ChangeTable table;
  table.add_count("ranks", before.world_size, after.world_size);
  table.add_count("calls", before.calls, after.calls);
  table.add_count("messages", before.sent.messages(), after.sent.messages());
  table.add_count("zero-byte messages", before.sent.message_bytes.zeros(), after.sent.message_bytes.zeros());
  table.add("bytes sent", before.sent.bytes(), after.sent.bytes(), format_bytes);
  table.add("imbalance of bytes sent", imbalance(before, &RankSummary::bytes_sent),
            imbalance(after, &RankSummary::bytes_sent), imbalance_text);
  table.add("imbalance of bytes received", imbalance(before, &RankSummary::bytes_received),
            imbalance(after, &RankSummary::bytes_received), imbalance_text);
  for (const auto& [side, verb] : {std::pair(&Summary::sent, "sent"), {&Summary::received, "received"}})
    for (const auto& [value, name] :
         {std::pair(&CallImbalance::mean, "mean"), {&CallImbalance::max, "maximum"}})
      table.add(fmt::format("imbalance of bytes {} per call, {}", verb, name),
                (before.*side).call_imbalance.*value, (after.*side).call_imbalance.*value, imbalance_text);
  table.add_count("inconsistent count sets", before.inconsistencies.size(), after.inconsistencies.size());
  if (before.timed_calls > 0 && after.timed_calls > 0)
    table.add("time in calls, all ranks", before.time_s, after.time_s, format_seconds);
  if (before.arrival_calls > 0 && after.arrival_calls > 0)
    table.add("time waiting for the last rank", before.waited_s, after.waited_s, format_seconds);
  return "\n" + table.to_string();
}

std::string operation_changes(const Summary& before, const Summary& after) {
  std::map<std::size_t, BeforeAfter<OperationSummary>> operations;
  for (const auto& operation : before.operations) operations[operation.operation.index()].before = operation;
  for (const auto& operation : after.operations) operations[operation.operation.index()].after = operation;
  ChangeTable table;
  for (const auto& [index, operation] : operations) {
    const std::string name = Operation::at(index).name();
    table.add_count(name + " calls", operation.before.calls, operation.after.calls);
    table.add(name + " bytes", operation.before.bytes_sent, operation.after.bytes_sent, format_bytes);
  }
  return operations.empty() ? "" : "\nOperations\n" + table.to_string();
}

std::string histogram_changes(const Summary& before, const Summary& after) {
  ChangeTable table;
  for (const MessageBin& bin :
       bins_to_show(before.options.bins, {&before.sent.histogram, &after.sent.histogram}))
    table.add_count(bin.label, before.sent.histogram[bin.number], after.sent.histogram[bin.number]);
  return "\nMessages sent, by bytes\n" + table.to_string();
}

std::string shape_text(const Shape& shape) {
  const std::vector<std::string> lines = sentences(shape);
  if (lines.empty()) return "empty";
  std::string text = lines.front();
  if (lines.size() > 1) text += fmt::format(" (and {} more)", lines.size() - 1);
  return text;
}

/// Formats the table of one kind of change. Both kinds have the same columns.
template <class Item, class Describe>
std::string call_changes(const char* title, const std::vector<Item>& items, Describe&& describe) {
  std::vector<Item> changed;
  std::ranges::copy_if(items, std::back_inserter(changed),
                       [](const Item& item) { return item.calls.before != item.calls.after; });
  if (changed.empty()) return "";
  const auto change_of_calls = [](const Item& item) {
    const auto& [before, after] = item.calls;
    return after == 0 ? "gone" : change(static_cast<double>(before), static_cast<double>(after));
  };
  return title +
         table_of<Item>(
             first(changed, max_lines_shown),
             {{"lead", Align::right, [](const auto& item) { return std::to_string(item.lead); }},
              {"operation", Align::left, [](const auto& item) { return item.operation.name(); }},
              {"", Align::left, describe},
              {"calls before", Align::right, [](const auto& item) { return count(item.calls.before); }},
              {"after", Align::right, [](const auto& item) { return count(item.calls.after); }},
              {"change", Align::right, change_of_calls}}) +
         more(max_lines_shown, changed.size());
}

std::string signature_text(const SignatureChange& signature) {
  const bool is_new = signature.calls.before == 0;
  return fmt::format("{} among {}, first {} call {}", format_bytes(signature.bytes),
                     count(signature.comm_size, "rank"), is_new ? "after" : "before",
                     is_new ? signature.first_call.after : signature.first_call.before);
}

std::string verdict(const Comparison& comparison, const Terminal& terminal) {
  std::size_t only_before = 0;
  std::size_t only_after = 0;
  for (const SignatureChange& signature : comparison.signatures) {
    only_before += signature.calls.after == 0 ? 1 : 0;
    only_after += signature.calls.before == 0 ? 1 : 0;
  }
  std::string text = "Verdict: " + terminal.paint(Colour::bold, to_string(comparison.verdict));
  if (only_before + only_after > 0)
    text += fmt::format(" ({} only before, {} only after, {} in both)", count(only_before), count(only_after),
                        count(comparison.signatures.size() - only_before - only_after));
  return text + ".\n";
}

std::string counts_text(const Comparison& comparison, const Terminal& terminal) {
  const auto& [before, after] = comparison.summary;
  return verdict(comparison, terminal) + amounts(before, after) + operation_changes(before, after) +
         histogram_changes(before, after) +
         call_changes("\nPatterns whose frequency changed\n", comparison.patterns,
                      [](const auto& pattern) { return shape_text(pattern.shape); }) +
         call_changes("\nCount sets whose frequency changed\n", comparison.signatures, signature_text);
}

struct Runs {
  BeforeAfter<Profile> profiles;
  std::optional<MpiComparison> mpi;  ///< if the MPI calls of both runs were recorded
};

/// Returns whether both profiles have counts or nothing else can be compared: then compare() reports profiles
/// without counts.
bool compares_counts(const Runs& runs) {
  const auto& [before, after] = runs.profiles;
  const bool have_counts = recorded_calls(before) > 0 && recorded_calls(after) > 0;
  return have_counts || (!runs.mpi && !(has_hashes(before) && has_hashes(after)));
}

Runs read_runs(const std::vector<std::string>& paths, Terminal& terminal) {
  Runs runs{.profiles = {read_profile({paths.front()}, terminal), read_profile({paths.back()}, terminal)},
            .mpi = {}};
  const auto before = find_mpi_calls({paths.front()});
  const auto after = find_mpi_calls({paths.back()});
  if (before && after) runs.mpi = compare(*before, *after);
  return runs;
}

std::string text(const Runs& runs, const SummaryOptions& options, const Terminal& terminal) {
  const auto& profiles = runs.profiles;
  std::string text;
  if (runs.mpi) text = mpi_changes_text(*runs.mpi);
  if (compares_counts(runs))
    text +=
        (text.empty() ? "" : "\n") + counts_text(compare(profiles.before, profiles.after, options), terminal);
  const bool first = has_hashes(profiles.before);
  const bool second = has_hashes(profiles.after);
  if (first && second)
    return text + (text.empty() ? "" : "\n") +
           content_text(compare_contents(profiles.before, profiles.after));
  if (first || second)
    text += fmt::format("\nData: not compared, because the {} profile contains no hashes of the data.\n",
                        first ? "second" : "first");
  return text;
}

documents::RunComparison all_changes(const Runs& runs, const SummaryOptions& options) {
  const auto& [before, after] = runs.profiles;
  documents::RunComparison changes{.counts = {}, .data = {}, .mpi = runs.mpi};
  if (compares_counts(runs)) changes.counts = compare(before, after, options);
  if (has_hashes(before) && has_hashes(after)) changes.data = compare_contents(before, after);
  return changes;
}

}  // namespace

Command define_collectives_compare(OptionParser& parser) {
  auto options = begin_command<CompareCommandOptions>(parser, compare_examples);
  parser.add_option("PATH", options->paths, "Directories of two profiles, before and after")
      .required()
      .words(2, 2);
  add_bins_option(parser, options->summary);
  add_json_option(parser, options->json);
  return [options](Terminal& terminal) {
    const Runs runs = read_runs(options->paths, terminal);
    terminal.print(options->json ? documents::to_json(all_changes(runs, options->summary))
                                 : fitted(text(runs, options->summary, terminal)));
    return 0;
  };
}

}  // namespace plimsoll::cli
