#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/support/internal/text.hpp>

#include "pelayout/timing/run_length.hpp"
#include "pelayout/timing/timing_formats.hpp"
#include "pelayout/timing/timing_line.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr std::size_t max_oasis_line_bytes = 4096;

constexpr std::string_view version_5_title = "Coupled model simulation time (s):";
constexpr std::string_view version_5_model = "Model ";
constexpr std::string_view version_5_model_time = " simulation time :";
constexpr std::string_view version_5_heading = "Model    /   Computing time  /  Waiting time";
constexpr std::string_view lucia_heading =
    "Component -         Calculations   -     Waiting time (s) - # cpl step";
constexpr const char* oasis_advice = "use load_balancing_info.txt of OASIS3-MCT 5, or the output of lucia";

/// Returns the tasks of a component: those with the longest path of the file.
std::optional<std::int64_t> known_tasks(const RunFacts& facts, const std::string& path,
                                        const std::string& component) {
  const MeasuredTasks* known = nullptr;
  for (const MeasuredTasks& measured : facts.tasks)
    if (measured.component == component && measured.is_of(path) &&
        (known == nullptr || measured.file.size() > known->file.size()))
      known = &measured;
  return known == nullptr ? std::nullopt : std::optional(known->tasks);
}

/// Reads the table of computing and waiting times, of either version.
class OasisReader {
 public:
  OasisReader(const std::string& path, const RunFacts& facts) : facts_(facts) {
    run_.path = path;
    run_.log_id = run_time_in(path);
    run_.coupler = Coupler::oasis;
    run_.is_from_statistics = true;
  }

  TimingFile read(std::string_view text) {
    support::LineReader lines(text);
    for (; !lines.at_end(); lines.advance()) {
      const TimingLine line(lines.line().substr(0, max_oasis_line_bytes), lines.number(), run_.path);
      if (lines.line().size() > max_oasis_line_bytes)
        throw line.error("line too long for load balancing information");
      if (lines.is_cut() && table_ != Table::ended)
        throw line.error("the file ends in this line", "copy it again");
      read_line(line);
    }
    const TimingLine end({}, lines.number(), run_.path);
    if (table_ == Table::before)
      throw end.error("not load balancing information: missing the table of computing and waiting times",
                      oasis_advice);
    for (const std::string& model : models_)
      if (std::ranges::find(rows_, model) == rows_.end())
        throw end.error(fmt::format("missing {} in the table of computing and waiting times", model),
                        "copy the file again");
    if (run_.components.empty()) throw end.error("no component computed and exchanged fields", oasis_advice);
    finish();
    return std::move(run_);
  }

 private:
  enum class Table { before, version_5, lucia, ended };

  void read_line(const TimingLine& line) {
    if (line.text().starts_with(version_5_heading)) return begin(Table::version_5, line);
    if (line.text().starts_with(lucia_heading)) return begin(Table::lucia, line);
    if (line.text().starts_with(version_5_title)) read_total(line);
    if (table_ == Table::before) read_model(line);
    if (table_ == Table::before || table_ == Table::ended) return;
    if (line.blank())
      has_ended_ = has_rows_;
    else if (has_ended_ || line.ruled())
      table_ = Table::ended;
    else
      read_component(line);
  }

  void begin(Table table, const TimingLine& line) {
    if (table_ != Table::before)
      throw line.error("second table of computing times in this file", "use a separate file for each run");
    table_ = table;
  }

  void read_total(const TimingLine& line) {
    const TimingLine value(line.text().substr(version_5_title.size()), line.number(), run_.path);
    if (!is_overflow(value.word(0)))
      total_s_ = value.number_at(0, "the simulation time");
    else
      warn("oasis-total", "the simulation time has more digits than OASIS prints: the total is unknown",
           line);
  }

  /// Reads the name in " Model    OpenIFS simulation time :  974.860", which the table must contain.
  void read_model(const TimingLine& line) {
    const std::size_t name_end = line.text().find(version_5_model_time);
    if (name_end == std::string_view::npos || !line.text().starts_with(version_5_model)) return;
    models_.emplace_back(
        support::trimmed(line.text().substr(version_5_model.size(), name_end - version_5_model.size())));
  }

  /// Returns whether Fortran printed asterisks, because a number has more digits than the format.
  static bool is_overflow(std::string_view word) { return word.starts_with("***"); }

  // Reads "OpenIFS /  290.573 /  684.287" or "oifs   1263.30   397.72   4377".
  void read_component(const TimingLine& line) {
    has_rows_ = true;
    std::vector<std::string_view> parts;
    if (table_ == Table::version_5) {
      for (std::string_view rest = line.text(); parts.size() < 3;) {
        const std::size_t slash = rest.find('/');
        parts.push_back(support::trimmed(rest.substr(0, slash)));
        if (slash == std::string_view::npos) break;
        rest.remove_prefix(slash + 1);
      }
    } else {
      parts = {line.word(0), line.word(1), line.word(2)};
      count_steps(line);
    }
    if (parts.size() < 3 || parts[0].empty())
      throw line.error("invalid row: expected a component, its computing time and its waiting time");
    rows_.emplace_back(parts[0]);
    add_component(parts[0], parts[1], parts[2], line);
  }

  void count_steps(const TimingLine& line) {
    if (!is_overflow(line.word(3))) {
      steps_ = std::max(steps_, line.count_at(3, "the number of coupling steps", 0));
    } else if (!has_unknown_steps_) {
      has_unknown_steps_ = true;
      warn("oasis-steps", "the number of coupling steps has more digits than OASIS prints: it is unknown",
           line);
    }
  }

  void add_component(std::string_view model, std::string_view computing, std::string_view waiting,
                     const TimingLine& line) {
    for (const auto& [time, name] : {std::pair{computing, "computing"}, std::pair{waiting, "waiting"}})
      if (is_overflow(time))
        throw line.error(fmt::format("the {} time of {} has more digits than OASIS prints", name, model),
                         "use a shorter run");
    if (computing.starts_with('-')) {
      line.number_of(computing.substr(1), "the computing time");
      return skip(model, fmt::format("has the computing time {}, and was not measured", computing), line);
    }
    ComponentTiming timing;
    timing.component = component_name(model);
    timing.model = timing.component;
    timing.seconds = line.number_of(computing, "the computing time");
    const double waiting_s = line.number_of(waiting, "the waiting time");
    if (timing.seconds == 0 && waiting_s == 0) return skip(model, "exchanged no fields", line);
    timing.work = WorkTiming{.work_seconds = timing.seconds, .waiting_seconds = waiting_s};
    compare_with_total(timing, line);
    if (run_.find(timing.component) != nullptr)
      throw line.error(fmt::format("{} appears twice in the table", timing.component));
    if (run_.components.size() == max_components)
      throw line.error(fmt::format("more than {} components", max_components));
    const auto tasks = known_tasks(facts_, run_.path, timing.component);
    if (!tasks)
      throw line.error(
          fmt::format("unknown number of tasks of {}: OASIS does not write it", timing.component),
          fmt::format("set --measured_tasks {}=N", model));
    timing.tasks = *tasks;
    timing.root = ranks_;
    ranks_ += timing.tasks;
    run_.components.push_back(std::move(timing));
  }

  void skip(std::string_view model, std::string_view why, const TimingLine& line) {
    warn("oasis-component", fmt::format("{} {}; skipped", model, why), line);
  }

  void warn(const char* check, std::string what, const TimingLine& line) {
    run_.warnings.push_back({.severity = Severity::warning,
                             .check = check,
                             .what = std::move(what),
                             .file = run_.path,
                             .line = line.number()});
  }

  /// Compares the time of a component, which OASIS prints with three decimals, with that of the whole run.
  void compare_with_total(const ComponentTiming& timing, const TimingLine& line) {
    constexpr double tolerance = 1e-3;
    const double time_s = timing.seconds + timing.work->waiting_seconds;
    if (total_s_ && time_s > *total_s_ * (1 + tolerance) + tolerance)
      warn("oasis-total",
           fmt::format("{} computes and waits for {:.3f} s, but the run took {:.3f} s: one of them is wrong",
                       timing.component, time_s, *total_s_),
           line);
  }

  void finish() {
    set_run_length(steps_ > 0 && !has_unknown_steps_ ? std::optional(steps_) : std::nullopt, facts_, run_);
    for (ComponentTiming& timing : run_.components)
      timing.seconds_per_day = timing.seconds / run_length(run_);
    if (total_s_) set_total(*total_s_, run_);
    run_.processors = ranks_;
  }

  TimingFile run_;
  const RunFacts& facts_;
  Table table_ = Table::before;
  bool has_rows_ = false;
  bool has_ended_ = false;           ///< whether an empty line follows the rows
  std::vector<std::string> models_;  ///< names before the table, of which the file contains all
  std::vector<std::string> rows_;    ///< names in the table
  std::int64_t steps_ = 0;
  bool has_unknown_steps_ = false;  ///< whether Fortran printed asterisks instead of a number of steps
  std::int64_t ranks_ = 0;
  std::optional<double> total_s_;
};

}  // namespace

bool is_oasis_balance(std::string_view text) {
  return text.find(version_5_title) != std::string_view::npos ||
         text.find(lucia_heading) != std::string_view::npos;
}

TimingFile parse_oasis_balance(std::string_view text, const std::string& path, const RunFacts& facts) {
  check_run_facts(facts);
  return OasisReader(path, facts).read(text);
}

}  // namespace plimsoll::pelayout
