#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <plimsoll/support/parse.hpp>

#include "pelayout/timing/run_length.hpp"
#include "pelayout/timing/timing_formats.hpp"
#include "pelayout/timing/timing_line.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// A timer in GPTL's statistics over all ranks.
struct GptlTimer {
  std::int64_t ranks = 0;      ///< number of ranks that used the timer
  std::int64_t threads = 0;    ///< number of threads that used it, on all ranks
  double calls = 0;            ///< number of calls on all ranks
  double longest_s = 0;        ///< time on the slowest rank
  double shortest_s = 0;       ///< time on the fastest rank
  std::int64_t slow_rank = 0;  ///< slowest rank
  std::int64_t fast_rank = 0;  ///< fastest rank
};

/// Reads a time and the rank on which it was measured: "325.933 (  321      0)".
std::pair<double, std::int64_t> take_time(std::string_view& text, const TimingLine& line,
                                          std::string_view what) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    throw line.error("truncated line: missing rank and thread in parentheses");
  std::string_view inside = text.substr(open + 1, close - open - 1);
  const double seconds = line.number_of(support::trimmed(text.substr(0, open)), what);
  text.remove_prefix(close + 1);
  return {seconds, line.count_of(support::take_word(inside), "the rank", 0)};
}

/// Returns the name in a line that begins with a timer's name in double quotes; empty for other lines.
std::string_view gptl_timer_name(std::string_view line) {
  line = support::trimmed(line);
  if (!line.starts_with('"')) return {};
  return line.substr(1, line.rfind('"') - 1);
}

/// Reads the numbers in the line of a timer:
///
///     "CPL:ATM_RUN"  -  5400  5400 2.332800e+07  1.689507e+06  325.933 (  321  0)  305.860 ( 1699  0)
///
/// The column "-" exists since GPTL 5. Throws Error (bad_input) for a truncated line and invalid numbers.
GptlTimer read_gptl_timer(const TimingLine& line) {
  std::string_view rest = line.text().substr(line.text().rfind('"') + 1);
  std::string_view first = support::take_word(rest);
  if (first == "-" || first == "y") first = support::take_word(rest);
  GptlTimer timer;
  timer.ranks = line.count_of(first, "the number of processes", 0);
  timer.threads = line.count_of(support::take_word(rest), "the number of threads", 0);
  timer.calls = line.number_of(support::take_word(rest), "the count");
  line.number_of(support::take_word(rest), "the total time");
  std::tie(timer.longest_s, timer.slow_rank) = take_time(rest, line, "the maximum time");
  std::tie(timer.shortest_s, timer.fast_rank) = take_time(rest, line, "the minimum time");
  return timer;
}

// Limits far above real files, which have some thousand timers.
constexpr std::size_t max_timer_bytes = 65536;
constexpr std::size_t max_timers = 100'000;

/// Coupling steps per model day of most cases of CESM and E3SM, which couple every 30 minutes.
constexpr std::int64_t usual_steps_per_day = 48;

constexpr std::string_view statistics_title = "GLOBAL STATISTICS";
constexpr const char* statistics_advice =
    "use model_timing_stats or <model>_timing_stats.<log id> of a CIME case";

/// Components of CIME's driver, in the order of timing profiles. In the names of timers, a component has a
/// letter: "a:radiation", "a_i:comp_init".
constexpr support::Named<char> classes[] = {{"ATM", 'a'}, {"LND", 'l'}, {"ICE", 'i'},
                                            {"OCN", 'o'}, {"ROF", 'r'}, {"GLC", 'g'},
                                            {"WAV", 'w'}, {"IAC", 'z'}, {"ESP", 'e'}};

/// Returns whether a timer measures the runs of a component. A tightly coupled ocean has the timer OCNT_RUN.
bool is_run_timer(std::string_view timer, std::string_view component) {
  if (timer == "CPL:OCNT_RUN") return component == "OCN";
  return support::take(timer, "CPL:") && support::take(timer, component) && timer == "_RUN";
}

bool is_title(std::string_view line) {
  line = support::trimmed(line);
  return line.starts_with("***") && line.ends_with("***") &&
         line.find(statistics_title) != std::string_view::npos;
}

/// Returns whether a timer measures the coupler before or after a component's run: "CPL:LNDPREP",
/// "CPL:ATMPOST". Only ranks of the coupler use these; "CPL:RUN" is used by all ranks.
bool is_of_coupler_alone(std::string_view timer) {
  return timer.starts_with("CPL:") && (timer.ends_with("PREP") || timer.ends_with("POST")) &&
         std::ranges::any_of(
             classes, [&](const auto& known) { return timer.substr(4, timer.size() - 8) == known.name; });
}

/// Returns whether a timer belongs to the component with this letter: "a:radiation", "a_i:comp_init".
bool has_letter(std::string_view timer, char letter) {
  if (timer.size() < 4 || timer[0] != letter) return false;
  return timer[1] == ':' || (timer[1] == '_' && timer[3] == ':');
}

/// Returns the component whose ranks use a timer; empty for timers of several components.
std::string_view owner(std::string_view timer) {
  if (is_of_coupler_alone(timer)) return "CPL";
  for (const auto& known : classes)
    if (has_letter(timer, known.value) || is_run_timer(timer, known.name)) return known.name;
  return {};
}

/// Ranks and threads that were seen in the timers of a component.
struct ObservedProcessors {
  std::int64_t tasks = 0;
  std::int64_t threads = 1;  ///< threads per rank
  std::int64_t first_rank = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_rank = 0;

  void add(const GptlTimer& timer) {
    if (timer.ranks == 0) return;
    tasks = std::max(tasks, timer.ranks);
    threads = std::max(threads, (timer.threads + timer.ranks - 1) / timer.ranks);
    first_rank = std::min({first_rank, timer.slow_rank, timer.fast_rank});
    last_rank = std::max({last_rank, timer.slow_rank, timer.fast_rank});
  }
};

class StatisticsReader {
 public:
  StatisticsReader(const std::string& path, const RunFacts& facts) : facts_(facts) {
    run_.path = path;
    run_.log_id = run_time_in(path);
    run_.driver_instance = driver_in(path);
    run_.is_from_statistics = true;
  }

  TimingFile read(std::string_view text) {
    support::LineReader lines(text);
    for (; !lines.at_end(); lines.advance()) {
      if (lines.line().size() > max_timer_bytes)
        throw TimingLine({}, lines.number(), run_.path).error("line too long for timing statistics");
      if (lines.is_cut())
        throw TimingLine({}, lines.number(), run_.path).error("the file ends in this line", "copy it again");
      const std::string_view name = run_ranks_ == 0 ? "" : gptl_timer_name(lines.line());
      ends_with_timer_ = !name.empty();
      if (run_ranks_ == 0)
        read_title(TimingLine(lines.line(), lines.number(), run_.path));
      else if (ends_with_timer_)
        read_timer(name, TimingLine(lines.line(), lines.number(), run_.path));
    }
    const TimingLine end({}, lines.number(), run_.path);
    if (run_ranks_ == 0)
      throw end.error("not timing statistics: missing line \"GLOBAL STATISTICS\"", statistics_advice);
    require(total_, "CPL:RUN_LOOP", end);
    read_run_length(end);
    if (ends_with_timer_)
      warn("statistics-end",
           "missing empty line after the last timer: the file may be truncated, and lack components",
           "copy it again", lines.number());
    add_components(end);
    add_total();
    return std::move(run_);
  }

 private:
  // Reads "***** GLOBAL STATISTICS (  6720 MPI TASKS) *****".
  void read_title(const TimingLine& line) {
    if (line.blank()) return;
    if (!is_title(line.text()))
      throw line.error("not timing statistics: the first line must contain \"GLOBAL STATISTICS\"",
                       statistics_advice);
    std::string_view rest = line.text().substr(line.text().find(statistics_title) + statistics_title.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" ("), rest.size()));
    run_ranks_ = line.count_of(support::take_word(rest), "the number of MPI tasks", 1);
  }

  void read_timer(std::string_view name, const TimingLine& line) {
    if (++timers_ > max_timers) throw line.error(fmt::format("more than {} timers", max_timers));
    const std::string_view component = owner(name);
    std::optional<GptlTimer>* const kept = timer_to_keep(name, component);
    if (component.empty() && kept == nullptr) return;
    const GptlTimer timer = read_gptl_timer(line);
    if (timer.ranks == 0) return;
    if (timer.ranks > run_ranks_ || timer.slow_rank >= run_ranks_ || timer.fast_rank >= run_ranks_)
      throw line.error(fmt::format("the timer has more ranks than the run, which has {}", run_ranks_));
    if (!component.empty()) observed_[component].add(timer);
    if (kept != nullptr && (!*kept || timer.longest_s > (*kept)->longest_s)) *kept = timer;
  }

  /// Returns the place of a timer whose times are needed; null for other timers.
  std::optional<GptlTimer>* timer_to_keep(std::string_view name, std::string_view component) {
    if (!component.empty() && is_run_timer(name, component)) return &runs_[component];
    if (name == "CPL:RUN") return &runs_["CPL"];
    if (name == "CPL:RUN_LOOP") return &total_;
    if (name == "CPL:CLOCK_ADVANCE") return &clock_;
    if (name == "CPL:COMM") return &coupling_;
    if (name == "CPL:TPROF_WRITE") return &writing_;
    return name == "CPL:C2O_INITWAIT" ? &ocean_wait_ : nullptr;
  }

  static const GptlTimer& require(const std::optional<GptlTimer>& timer, const char* name,
                                  const TimingLine& end) {
    if (!timer)
      throw end.error(fmt::format("not a run of CIME's driver: missing timer \"{}\"", name),
                      statistics_advice);
    return *timer;
  }

  /// Returns the number of calls per rank. GPTL prints the calls of all ranks with 7 digits.
  static std::int64_t calls_of_rank(const GptlTimer& timer) {
    return std::llround(timer.calls / static_cast<double>(timer.ranks));
  }

  void read_run_length(const TimingLine& end) {
    steps_ = calls_of_rank(require(clock_, "CPL:CLOCK_ADVANCE", end));
    if (steps_ < 1) throw end.error("the run length is zero: the run was aborted", "use another file");
    set_run_length(steps_, facts_, run_);
  }

  void warn(const char* check, std::string what, std::string suggestion,
            std::optional<std::uint64_t> line = {}) {
    run_.warnings.push_back({.severity = Severity::warning,
                             .check = check,
                             .what = std::move(what),
                             .file = run_.path,
                             .line = line,
                             .suggestion = std::move(suggestion)});
  }

  void add_components(const TimingLine& end) {
    if (const auto& coupler = runs_["CPL"]) {
      if (!observed_.contains("CPL")) observed_["CPL"].add(*coupler);
      add_component("CPL", *coupler);
    }
    const std::size_t coupler_alone = run_.components.size();
    for (const auto& known : classes)
      if (const auto& timer = runs_[known.name]) add_component(known.name, *timer);
    if (run_.components.size() == coupler_alone)
      throw end.error("no component ran: missing timers such as \"CPL:ATM_RUN\"", statistics_advice);
  }

  void add_component(std::string_view name, const GptlTimer& timer) {
    const ObservedProcessors& observed = observed_[name];
    const std::int64_t gaps = observed.tasks - 1;
    ComponentTiming timing{
        .component = std::string(name), .tasks = observed.tasks, .threads = observed.threads};
    if (gaps > 0)
      timing.stride = std::clamp<std::int64_t>((observed.last_rank - observed.first_rank + gaps - 1) / gaps,
                                               1, (run_ranks_ - 1) / gaps);
    timing.root = std::min(observed.first_rank, run_ranks_ - 1 - gaps * timing.stride);
    timing.seconds = timer.longest_s;
    if (name == "OCN") timing.seconds += skipped_ocean_step_s(timer);
    timing.seconds_per_day = timing.seconds / run_length(run_);
    run_.components.push_back(std::move(timing));
  }

  /// Returns the time of the first ocean step, which the ocean skips if a run starts from initial data. 0 if
  /// it ran all steps.
  double skipped_ocean_step_s(const GptlTimer& ocean) const {
    const std::int64_t calls = calls_of_rank(ocean);
    // The ocean runs every `steps_ / calls` steps, at least once a day.
    const auto cover_the_run = [&](std::int64_t count) {
      return count > 0 && steps_ % count == 0 &&
             facts_.steps_per_day.value_or(usual_steps_per_day) % (steps_ / count) == 0;
    };
    if (calls < 1 || cover_the_run(calls) || !cover_the_run(calls + 1)) return 0;
    return ocean.longest_s / static_cast<double>(calls);
  }

  /// Computes the total like get_timing.py, which adds the skipped step of the ocean, less the time that the
  /// ocean's ranks waited instead.
  void add_total() {
    double seconds = total_->longest_s + (writing_ ? writing_->shortest_s : 0);
    if (const auto& ocean = runs_["OCN"])
      seconds += std::max(0.0, skipped_ocean_step_s(*ocean) - (ocean_wait_ ? ocean_wait_->shortest_s : 0));
    set_total(seconds, run_);
    if (coupling_) run_.coupling_seconds_per_day = coupling_->longest_s / run_length(run_);
    run_.processors = run_ranks_;
  }

  TimingFile run_;
  const RunFacts& facts_;
  std::size_t timers_ = 0;        ///< number of timers read
  bool ends_with_timer_ = false;  ///< whether the last line contains a timer
  std::int64_t run_ranks_ = 0;    ///< 0 before the title
  std::int64_t steps_ = 0;        ///< coupling steps of the run
  std::optional<GptlTimer> total_, clock_, coupling_, writing_, ocean_wait_;
  std::map<std::string_view, std::optional<GptlTimer>> runs_;  ///< run timers by component
  std::map<std::string_view, ObservedProcessors> observed_;
};

}  // namespace

bool is_timing_statistics(std::string_view text) {
  return is_title(first_line(text));
}

TimingFile parse_timing_statistics(std::string_view text, const std::string& path, const RunFacts& facts) {
  check_run_facts(facts);
  return StatisticsReader(path, facts).read(text);
}

TimingFile parse_timing_statistics(std::string_view text, const std::string& path,
                                   std::optional<std::int64_t> steps_per_day) {
  return parse_timing_statistics(text, path, RunFacts{.steps_per_day = steps_per_day});
}

}  // namespace plimsoll::pelayout
