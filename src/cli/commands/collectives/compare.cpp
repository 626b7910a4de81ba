#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/collectives/comparison.hpp>
#include <plimsoll/documents/collectives.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile_input.hpp"
#include "cli/commands/collectives/run_differences.hpp"
#include "cli/commands/collectives/text_pieces.hpp"
#include "cli/options/input_options.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using collectives::BeforeAfter;
using collectives::CallImbalance;
using collectives::Comparison;
using collectives::RankSummary;
using collectives::Summary;
using support::format_bytes;
using support::format_seconds;
using Align = support::TextTable::Align;

struct CompareCommandOptions {
  std::vector<std::string> paths;
  collectives::SummaryOptions summary;
  bool json = false;
};

constexpr const char* compare_examples =
    R"(  plimsoll collectives compare before after        show the changes
  plimsoll collectives compare run1 run2 --json | jq -r .verdict
  plimsoll profile --record content-hash -o run1 -- mpirun -n 4 ./app
      again with -o run2: then compare run1 run2 names the first call with other data

The exit status is 0 even if the profiles differ.)";

// Limits of the tables; --json contains everything.
constexpr std::size_t max_differences = 20;

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
  std::map<std::size_t, BeforeAfter<collectives::OperationSummary>> operations;
  for (const auto& operation : before.operations) operations[operation.operation.index()].before = operation;
  for (const auto& operation : after.operations) operations[operation.operation.index()].after = operation;
  ChangeTable table;
  for (const auto& [index, operation] : operations) {
    const std::string name = collectives::Operation::at(index).name();
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

std::string shape_text(const collectives::Shape& shape) {
  const std::vector<std::string> lines = sentences(shape);
  if (lines.empty()) return "empty";
  std::string text = lines.front();
  if (lines.size() > 1) text += fmt::format(" (and {} more)", lines.size() - 1);
  return text;
}

/// Formats the table of one kind of change. Both kinds have the same columns.
template <class Item, class Describe>
std::string call_changes(const char* title, const std::vector<Item>& items, Describe&& describe) {
  support::TextTable table({{"lead", Align::right},
                            {"operation"},
                            {"", Align::left},
                            {"calls before", Align::right},
                            {"after", Align::right},
                            {"change", Align::right}});
  std::size_t shown = 0;
  std::size_t changed = 0;
  for (const Item& item : items) {
    if (item.calls.before == item.calls.after) continue;
    ++changed;
    if (shown == max_differences) continue;
    ++shown;
    table.add_row({std::to_string(item.lead), item.operation.name(), describe(item), count(item.calls.before),
                   count(item.calls.after),
                   item.calls.after == 0 ? "gone"
                                         : change(static_cast<double>(item.calls.before),
                                                  static_cast<double>(item.calls.after))});
  }
  if (changed == 0) return "";
  std::string text = title + table.to_string();
  if (changed > shown) text += fmt::format("... and {} more (--json lists all)\n", count(changed - shown));
  return text;
}

std::string signature_text(const collectives::SignatureChange& signature) {
  const bool is_new = signature.calls.before == 0;
  return fmt::format("{} among {}, first {} call {}", format_bytes(signature.bytes),
                     count(signature.comm_size, "rank"), is_new ? "after" : "before",
                     is_new ? signature.first_call.after : signature.first_call.before);
}

std::string verdict(const Comparison& comparison, const Terminal& terminal) {
  std::size_t only_before = 0;
  std::size_t only_after = 0;
  for (const collectives::SignatureChange& signature : comparison.signatures) {
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

/// The recorded data of two runs.
struct Runs {
  BeforeAfter<collectives::Profile> profiles;
  std::optional<collectives::MpiComparison> mpi;  ///< if the MPI calls of both runs were recorded
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
  const auto before = collectives::find_mpi_calls({paths.front()});
  const auto after = collectives::find_mpi_calls({paths.back()});
  if (before && after) runs.mpi = compare(*before, *after);
  return runs;
}

std::string text(const Runs& runs, const collectives::SummaryOptions& options, const Terminal& terminal) {
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

documents::RunComparison all_changes(const Runs& runs, const collectives::SummaryOptions& options) {
  const auto& [before, after] = runs.profiles;
  documents::RunComparison changes{.counts = {}, .data = {}, .mpi = runs.mpi};
  if (compares_counts(runs)) changes.counts = compare(before, after, options);
  if (has_hashes(before) && has_hashes(after)) changes.data = compare_contents(before, after);
  return changes;
}

}  // namespace

Command define_collectives_compare(OptionParser& parser) {
  auto options = std::make_shared<CompareCommandOptions>();
  parser.set_examples(compare_examples);
  parser.add_option("PATH", options->paths, "Directories of two profiles, before and after")
      .required()
      .words(2, 2);
  add_bins_option(parser, options->summary);
  add_json_option(parser, options->json);
  return [options](Terminal& terminal) {
    const Runs runs = read_runs(options->paths, terminal);
    terminal.print(options->json ? documents::to_json(all_changes(runs, options->summary))
                                 : text(runs, options->summary, terminal));
    return 0;
  };
}

}  // namespace plimsoll::cli
