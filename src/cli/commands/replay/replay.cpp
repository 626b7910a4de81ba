#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/replay.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/documents/replays.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands.hpp"
#include "cli/commands/replay/replay_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using balance::MigrationPrice;

struct ReplayOptions {
  InputOptions input;
  std::string load_field;
  std::string strategies;
  std::vector<std::string> intervals;
  std::string schedule_file;
  std::string when;
  std::string load_model = balance::measured_loads;
  std::optional<balance::WorkCoefficients> work;
  bool reads_memory = false;
  bool synchronised = false;
  std::vector<double> decision_cost;
  std::vector<double> migration_cost;
  OutputOptions output;
  std::string csv;
  bool json = false;
  bool ascii = false;
};

constexpr const char* replay_examples =
    R"(  plimsoll replay data --strategy RefineLB                 balance whenever it pays, as programs do by default
  plimsoll replay data --strategy RefineLB,GreedyLB        compare strategies
  plimsoll replay data --strategy RefineLB --interval auto  find the number of phases between two decisions
  plimsoll replay data --strategy RefineLB --interval 10 --when always
  plimsoll replay data --config lb.conf                    a schedule, as --vt_lb_file_name reads it
  plimsoll replay data --strategy RefineLB --migration-cost 1e-3,2e-5,1e-9
  plimsoll replay data --strategy RefineLB -o replayed     write the data that the program would have recorded
  plimsoll replay data --strategy NoLB --work 1,1e-8,0 --csv phases.csv)";

constexpr const char* automatic = "auto";

/// Returns 1, and 2, 5, 10, 20, 50, ... below the number of phases.
std::vector<std::int64_t> usual_intervals(std::size_t n_phases) {
  std::vector<std::int64_t> intervals = {1};
  for (std::int64_t decade = 1; decade <= 1'000'000; decade *= 10)
    for (const std::int64_t factor : {2, 5, 10})
      if (static_cast<std::size_t>(factor * decade) < n_phases) intervals.push_back(factor * decade);
  return intervals;
}

std::int64_t parse_interval(const std::string& text) {
  const auto interval = support::parse_number<std::int64_t>(text);
  if (!interval || *interval < 1)
    throw support::usage_error(fmt::format("invalid interval {}", support::in_quotes(text)),
                               "use a number of phases >= 1, or auto");
  return *interval;
}

std::vector<std::int64_t> intervals_of(const ReplayOptions& options, std::size_t n_phases) {
  if (options.intervals.empty()) return {1};
  std::vector<std::int64_t> intervals;
  for (const std::string& text : options.intervals) {
    if (text == automatic)
      std::ranges::copy(usual_intervals(n_phases), std::back_inserter(intervals));
    else
      intervals.push_back(parse_interval(text));
  }
  std::ranges::sort(intervals);
  intervals.erase(std::unique(intervals.begin(), intervals.end()), intervals.end());
  return intervals;
}

/// Throws Error (usage) if a schedule has a strategy that only a running program can use.
void check_schedule(const balance::LbSchedule& schedule) {
  for (const std::string_view name : {balance::offline_lb, balance::test_serialization_lb})
    if (schedule.uses(name))
      throw support::usage_error(fmt::format("{} cannot be replayed: it needs a running program", name),
                                 "remove it from the schedule; the recorded placements are always shown");
}

/// Returns the replays to run, without their results, and the requests in the same order.
std::vector<std::pair<documents::NamedReplay, balance::ReplayRequest>> requests_of(
    const ReplayOptions& options, const balance::ReplayCosts& costs, std::size_t n_phases) {
  const bool with_interval = !options.intervals.empty();
  const std::string when = options.when.empty() ? with_interval ? "always" : "pays" : options.when;
  const auto condition = balance::LbCondition::parse(when);
  if (!condition)
    throw support::usage_error(fmt::format("invalid value {} for --when", support::in_quotes(when)),
                               "use pays, always, or a minimum imbalance >= 0");
  const balance::ReplayRequest request{.schedule = {},
                                       .condition = *condition,
                                       .load_model = options.load_model,
                                       .work = options.work,
                                       .synchronised_subphases = options.synchronised,
                                       .costs = costs,
                                       .background = options.load_field.empty()};
  std::vector<std::pair<documents::NamedReplay, balance::ReplayRequest>> requests;
  const auto add = [&](documents::NamedReplay named, balance::LbSchedule schedule) {
    check_schedule(schedule);
    named.when = when;
    requests.emplace_back(std::move(named), request).second.schedule = std::move(schedule);
  };
  if (!options.schedule_file.empty())
    add({.name = options.schedule_file, .replay = {}},
        balance::LbSchedule::parse(support::read_text_file(options.schedule_file), options.schedule_file));
  if (!options.strategies.empty()) {
    balance::StrategyRegistry registry = balance::StrategyRegistry::builtin();
    for (const balance::StrategySpec& spec : balance::StrategySpec::parse_list(options.strategies)) {
      balance::check_lb_strategy(spec, registry);
      for (const std::int64_t interval : intervals_of(options, n_phases)) {
        std::string name = to_string(spec);
        if (with_interval)
          name += interval == 1 ? ", every phase" : fmt::format(", every {} phases", interval);
        add({.name = std::move(name), .strategy = to_string(spec), .interval = interval, .replay = {}},
            balance::LbSchedule::single(spec, interval));
      }
    }
  }
  return requests;
}

balance::ReplayCosts costs_of(const ReplayOptions& options, const lbdata::Dataset& dataset) {
  balance::ReplayCosts costs = balance::recorded_costs(dataset);
  if (!options.decision_cost.empty()) {
    costs.n_decisions = 0;
    costs.per_decision_s = options.decision_cost[0];
    costs.per_decided_object_s = options.decision_cost.size() > 1 ? options.decision_cost[1] : 0;
  }
  if (!options.migration_cost.empty()) {
    costs.n_migrations = 0;
    MigrationPrice::Terms times_s = {};
    std::ranges::copy(options.migration_cost, times_s.begin());
    costs.migration = MigrationPrice(times_s);
  }
  return costs;
}

/// Adds an option with the costs of a decision or a migration in seconds.
void add_cost_option(OptionParser& parser, const std::string& names, std::size_t most,
                     std::vector<double>& costs, const std::string& help) {
  parser
      .add_option_function<std::vector<double>>(
          names,
          [&costs, names, most](const std::vector<double>& numbers) {
            const auto is_valid = [](double number) { return std::isfinite(number) && number >= 0; };
            if (numbers.size() > most || !std::ranges::all_of(numbers, is_valid))
              throw support::usage_error(
                  fmt::format("invalid value for {}", names.substr(0, names.find(' '))),
                  fmt::format("use 1 to {} numbers of seconds >= 0, separated by commas", most));
            costs = numbers;
          },
          help)
      .separated_by(',');
}

/// Returns what the run has decided, except after its last phase: replays do not decide there either.
balance::RecordedBalancing recorded_before_last(const lbdata::Dataset& dataset,
                                                std::span<const std::int64_t> phases) {
  return balance::recorded_balancing(dataset, phases.first(phases.size() - 1));
}

/// Throws Error unless strategies can decide after one phase, and their placement applies to another one.
void check_phases(std::span<const std::int64_t> phases) {
  if (phases.size() < 2)
    throw support::usage_error(fmt::format("{} phase{} with data on all ranks: a replay needs two or more",
                                           phases.size(), phases.size() == 1 ? "" : "s"),
                               "use plimsoll balance to balance one phase");
}

void check_options(const ReplayOptions& options) {
  if (options.strategies.empty() == options.schedule_file.empty())
    throw support::usage_error("expected either --strategy or --config",
                               "name strategies, such as --strategy RefineLB, or a schedule");
  check_output(options.output);
  check_output_file(options.csv, options.output.force);
  if (options.csv == "-" && options.json)
    throw support::usage_error("--json and --csv - both write to stdout", "use a file for one of them");
}

}  // namespace

Command define_replay(OptionParser& parser) {
  auto options = begin_command<ReplayOptions>(parser, replay_examples);
  add_input_options(parser, options->input);
  Option strategy = parser
                        .add_option("--strategy LIST", options->strategies,
                                    "Strategy names separated by commas, with optional parameters in "
                                    "parentheses, or paths of plug-ins")
                        .suggests(strategy_names());
  Option interval =
      parser
          .add_option("--interval LIST", options->intervals,
                      "Number of phases between two decisions; several numbers, separated by commas, are "
                      "compared, and auto stands for 1, 2, 5, 10, ... [default: 1]")
          .separated_by(',');
  add_text_option(parser, "--config FILE", options->schedule_file,
                  "File with the strategy of each phase, in the format of --vt_lb_file_name")
      .excludes(strategy)
      .excludes(interval);
  parser.add_option("--when CONDITION", options->when,
                    "Condition for balancing: pays (the expected gain exceeds the cost), always, or a "
                    "minimum imbalance [default: pays; always with --interval]");
  add_load_option(parser, options->load_field);
  parser
      .add_option("--load-model MODEL", options->load_model,
                  "Load model that predicts the loads of the next phase (see plimsoll models)")
      .suggests(load_model_names());
  add_subphases_option(parser, options->synchronised);
  add_work_option(parser, options->work, options->reads_memory);
  add_cost_option(parser, "--decision-cost S[,S_PER_OBJECT]", 2, options->decision_cost,
                  "Time of a decision, and per object of the phase [default: as recorded; otherwise "
                  "1e-4,1e-6]");
  add_cost_option(parser, "--migration-cost S[,S_PER_OBJECT[,S_PER_BYTE]]", 3, options->migration_cost,
                  "Time of a migration, per object and per byte of the busiest rank [default: as recorded; "
                  "otherwise 5e-5,2e-5,1e-9]");
  add_output_options(parser, options->output);
  parser.add_option("--csv FILE", options->csv, "Write one line per phase to a CSV file (-: stdout)")
      .check(check_name);
  add_json_option(parser, options->json);
  add_ascii_option(parser, options->ascii);

  return [options](Terminal& terminal) {
    check_options(*options);
    if (options->ascii) terminal.show_ascii_charts();
    balance::make_load_model(options->load_model);  // checks the pipeline before the data are read

    lbdata::Dataset dataset = read_input(options->input, lbdata::PhaseSelection::all(), terminal);
    balance::RecordedLoads recorded = balance::use_load_field(dataset, options->load_field);
    const std::vector<std::int64_t> phases = lbdata::phase_coverage(dataset).complete;
    check_phases(phases);
    documents::ReplayInfo info{.n_ranks = std::ssize(dataset.ranks),
                               .loads = {options->load_field, options->load_model},
                               .synchronised = options->synchronised,
                               .is_work = options->work.has_value(),
                               .costs = costs_of(*options, dataset),
                               .recorded = recorded_before_last(dataset, phases),
                               .output = options->output.folder};
    auto requests = requests_of(*options, info.costs, phases.size());
    const bool writes_one = !options->output.folder.empty() || !options->csv.empty();
    if (writes_one && requests.size() > 1)
      throw support::usage_error(fmt::format("--output and --csv write one replay, not {}", requests.size()),
                                 "use one strategy and one interval");
    for (auto& [named, request] : requests) {
      TerminalProgress progress(terminal);
      named.replay = balance::replay(dataset, request, progress);
      if (!std::isfinite(named.replay.total_s()))
        throw support::usage_error(fmt::format("the time of {} is not finite", named.name),
                                   "use smaller loads or costs");
      info.replays.push_back(std::move(named));
    }
    balance::restore_loads(dataset, std::move(recorded));
    const balance::Replay& first = info.replays.front().replay;
    if (!options->output.folder.empty())
      write_output(balance::replayed_data_set(std::move(dataset), first), options->output,
                   options->input.threads, terminal);
    if (options->csv == "-") {
      terminal.print(replay_csv(first));
      return 0;
    }
    if (!options->csv.empty()) {
      support::OutputFile file(options->csv, {.overwrite = options->output.force, .keep_unfinished = false});
      file.write(replay_csv(first));
      file.close();
    }
    terminal.print(options->json ? documents::to_json(info) : fitted(replay_text(info, terminal)));
    return 0;
  };
}

}  // namespace plimsoll::cli
