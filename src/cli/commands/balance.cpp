#include <plimsoll/balance/apply_placement.hpp>
#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/offline_lb.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/documents/placements.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace balance;

struct BalanceOptions {
  InputOptions input;
  std::string load_field;
  std::string strategy;
  ParameterMap parameters;
  PhaseRequest request;
  OutputOptions output;
  bool offline_lb = false;
  std::optional<std::int64_t> migrate_after;
  bool json = false;
};

struct BalanceResult {
  Decision decision;
  std::int64_t migrate_after = 0;  ///< phase at whose end the placement takes effect
  std::vector<LaterPhase> later;
  std::int64_t n_planned_migrations = 0;
};

constexpr const char* balance_examples =
    R"(  plimsoll balance data --strategy GreedyLB               evaluate the strategy on the last phase
  plimsoll balance data --strategy GreedyLB -o balanced   ... and write the resulting data set
  plimsoll balance data --strategy RefineLB --param tolerance=1.02 --phase 7
  plimsoll balance data --strategy RefineLB --load-model 'PersistenceMedianLastN(n=5)'
  plimsoll balance data --strategy RefineLB --offline-lb -o plan   write a plan for vt's OfflineLB
  plimsoll balance data --strategy RefineLB --phase 7 --offline-lb --migrate-after 0 -o plan
  plimsoll balance data --strategy ./libFooLB.so          your own strategy
  plimsoll balance data --strategy TemperedLB --simulate-ranks 65536   copies of the ranks of the data
  plimsoll strategies                                     list strategies and their parameters
  plimsoll models                                         list load models)";

/// Returns one line about the phases after the one that was balanced; empty if none follows.
std::string later_text(const std::vector<LaterPhase>& later, bool synchronised) {
  if (later.empty()) return {};
  const LaterPhase& next = later.front();
  std::string line =
      fmt::format("With this placement, phase {} has {} {} and imbalance {} (recorded: {} and {})",
                  next.phase, synchronised ? "time" : "max load", support::format_seconds(next.max_time_s),
                  imbalance_text(next.imbalance), support::format_seconds(next.recorded_max_time_s),
                  imbalance_text(next.recorded_imbalance));
  if (later.size() > 1) {
    double sum_s = 0;
    double recorded_sum_s = 0;
    for (const LaterPhase& phase : later) {
      sum_s += phase.max_time_s;
      recorded_sum_s += phase.recorded_max_time_s;
    }
    line += fmt::format("; the {} up to {} take {} in total (recorded: {})", count(later.size(), "phase"),
                        later.back().phase, support::format_seconds(sum_s),
                        support::format_seconds(recorded_sum_s));
  }
  return line + ".\n";
}

std::string vt_command(const LDStats& stats, const std::string& folder) {
  std::string command = fmt::format("mpirun -n {} ./PROGRAM", stats.count());
  for (const std::string& argument : offline_lb_arguments(folder))
    command += ' ' + support::shell_quoted(argument);
  return command;
}

std::string text(const BalanceResult& balanced, const BalanceOptions& options, const Terminal& terminal) {
  const Decision& decision = balanced.decision;
  const LDStats& stats = decision.phase.stats;
  const StrategyResult& result = decision.result;
  const Quality& after = result.quality;
  std::string output = fmt::format("{} on phase {}: {}, {}\n", result.strategy, decision.phase.phase,
                                   count(stats.count(), "rank"), count(stats.n_objs(), "object"));
  output += load_field_line(options.load_field) + load_model_line(options.request.load_model) +
            subphases_line(decision.phase) + "\n";
  const bool is_synchronised = !stats.subphases.empty();
  support::TextTable table({{""}, {"before", Align::right}, {"after", Align::right}});
  const auto add_row = [&](const std::string& name, const auto& cell) {
    table.add_row({name, cell(decision.before), cell(after)});
  };
  const auto add_balance = [&](const std::string& measure, const auto& max_s, const auto& mean_s,
                               const auto& imbalance, double bound_s) {
    const std::string max_name = measure == "load" && is_synchronised ? "time of phase" : "max " + measure;
    add_row(max_name, [&](const Quality& q) { return support::format_seconds(max_s(q)); });
    add_row("mean " + measure, [&](const Quality& q) { return support::format_seconds(mean_s(q)); });
    table.add_row({measure == "load" ? "imbalance" : measure + " imbalance",
                   imbalance_text(imbalance(decision.before)),
                   terminal.paint(Colour::bold, imbalance_text(imbalance(after)))});
    add_row(max_name + " above lower bound",
            [&](const Quality& q) { return above_bound_text(max_s(q), bound_s); });
  };
  if (decision.work_bound)
    add_balance(
        "work", [](const Quality& q) { return q.work.max; },
        [&](const Quality& q) { return q.work.sum / stats.count(); },
        [](const Quality& q) { return q.work.imbalance; }, *decision.work_bound);
  else
    add_balance(
        "load", [](const Quality& q) { return q.max_time_s; }, [](const Quality& q) { return q.mean_time_s; },
        [](const Quality& q) { return q.imbalance; }, decision.bound.time_s);
  if (decision.before.max_memory_bytes)
    add_row("max memory per rank", [](const Quality& q) { return memory_text(q.max_memory_bytes); });
  if (decision.before.max_node_memory_bytes)
    add_row("max memory per node", [](const Quality& q) { return memory_text(q.max_node_memory_bytes); });
  add_row("off-rank data", [](const Quality& q) { return bytes_text(q.off_rank_bytes); });
  add_row("off-rank messages", [](const Quality& q) { return count(q.off_rank_messages); });
  output += table.to_string(Terminal::width());
  output += fmt::format("\n{}\n", bound_text(decision.bound, decision.work_bound));
  const double total_load_s = after.mean_time_s * stats.count();
  output += fmt::format("{} moved {} with {} of load ({} of the total) in {}.\n", result.strategy,
                        count(after.n_moved, "object"), support::format_seconds(after.moved_load_s),
                        support::format_percentage(total_load_s > 0 ? after.moved_load_s / total_load_s : 0),
                        support::format_seconds(result.decision_s));
  for (const Remark& remark : result.remarks) output += remark.text + '\n';
  output += later_text(balanced.later, decision.phase.synchronised);
  const std::string& folder = options.output.folder;
  if (!folder.empty()) output += fmt::format("Wrote the result to {}.\n", support::printable(folder));
  if (options.offline_lb)
    output += fmt::format("With the plan, vt migrates {} at the end of phase {}.\nnext: {}\n",
                          count(balanced.n_planned_migrations, "object"), balanced.migrate_after,
                          vt_command(stats, folder));
  return output;
}

documents::BalanceInfo info(const BalanceResult& balanced, const BalanceOptions& options) {
  return {.decision = balanced.decision,
          .loads = {options.load_field, options.request.load_model},
          .later = balanced.later,
          .output = options.output.folder,
          .migrate_after = options.offline_lb ? std::optional(balanced.migrate_after) : std::nullopt};
}

/// Returns what the placement is worth in the phases after `after`. If one of them is invalid, warns and
/// returns nothing, because only the balanced phase must be valid.
std::vector<LaterPhase> valid_later_phases(const lbdata::Dataset& dataset, const Decision& decision,
                                           std::int64_t after, const Terminal& terminal) {
  try {
    return later_phases(dataset, decision.phase, decision.placement(), after);
  } catch (const support::Error& error) {
    support::Diagnostic reason = error.diagnostic();
    reason.severity = support::Severity::warning;
    terminal.show_warning(reason);
    return {};
  }
}

void write_result(lbdata::Dataset dataset, const BalanceOptions& options, BalanceResult& balanced,
                  Terminal& terminal) {
  const Decision& decision = balanced.decision;
  if (!options.offline_lb)
    return write_output(apply_placement(std::move(dataset), decision.phase, decision.placement()),
                        options.output, options.input.threads, terminal);
  const OfflineLbPlan plan =
      offline_lb_plan(std::move(dataset), decision.phase, decision.placement(), balanced.migrate_after);
  balanced.n_planned_migrations = plan.n_migrations;
  OutputOptions output = options.output;
  output.plain = true;  // vt does not look for compressed files
  write_output(plan.dataset, output, options.input.threads, terminal);
  terminal.show_warnings(plan.warnings);
}

}  // namespace

Command define_balance(OptionParser& parser) {
  auto options = begin_command<BalanceOptions>(parser, balance_examples);
  add_input_options(parser, options->input);
  parser
      .add_option("--strategy NAME", options->strategy,
                  "Strategy name (see plimsoll strategies) or path of a plug-in")
      .suggests(strategy_names())
      .required();
  add_parameter_option(parser, options->parameters, "Parameter of the strategy; may be repeated");
  add_load_option(parser, options->load_field);
  add_phase_options(parser, options->request);
  Option simulate_ranks = add_simulate_ranks_option(parser, options->request);
  Option output = add_output_options(parser, options->output).excludes(simulate_ranks);
  Option offline_lb =
      parser
          .add_flag("--offline-lb", options->offline_lb,
                    "Write a plan for vt's OfflineLB, in uncompressed files: the recorded placements up to a "
                    "phase, then the new one")
          .needs(output);
  parser
      .add_option("--migrate-after N", options->migrate_after,
                  "Phase at whose end vt migrates to the new placement [default: the phase to balance; the "
                  "first phase if no phase follows it]")
      .needs(offline_lb);
  add_json_option(parser, options->json);

  return [options](Terminal& terminal) {
    // Check the options first, because reading the data may take a long time.
    const StrategySpec spec{options->strategy, {options->parameters.begin(), options->parameters.end()}};
    const auto strategy = make_strategy(spec, options->request.work);
    check_output(options->output);

    lbdata::Dataset dataset = read_input(options->input, lbdata::PhaseSelection::all(), terminal);
    RecordedLoads recorded = use_load_field(dataset, options->load_field);
    options->request.background = options->load_field.empty();
    BalanceResult result{.decision = decide(dataset, *strategy, options->request)};
    const std::int64_t phase = result.decision.phase.phase;
    result.migrate_after = options->offline_lb
                               ? options->migrate_after.value_or(default_migration_phase(dataset, phase))
                               : phase;
    if (!options->request.simulate_ranks)
      result.later = valid_later_phases(dataset, result.decision, result.migrate_after, terminal);
    restore_loads(dataset, std::move(recorded));
    if (!options->output.folder.empty()) write_result(std::move(dataset), *options, result, terminal);
    terminal.print(options->json ? documents::to_json(info(result, *options))
                                 : fitted(text(result, *options, terminal)));
    return 0;
  };
}

}  // namespace plimsoll::cli
