#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/timing/run_length.hpp"
#include "pelayout/timing/timing_formats.hpp"
#include "pelayout/timing/timing_line.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr std::string_view clocks_title = "Tabulating mpp_clock statistics across";
constexpr const char* fms_advice = "use the whole output of a run that ended";

// FMS writes names of clocks in 32 columns. Names contain spaces, and may touch the next column.
constexpr std::size_t clock_name_columns = 32;
constexpr std::size_t max_clock_line_bytes = 4096;
constexpr std::size_t max_clocks = 10'000;

constexpr std::int64_t component_grain = 1;  ///< CLOCK_COMPONENT of FMS

/// Names of the clocks of components, in upper case.
constexpr support::Named<const char*> component_clocks[] = {
    {"ATMOSPHERE", "ATM"}, {"ATM", "ATM"}, {"LAND", "LND"}, {"ICE", "ICE"}, {"OCEAN", "OCN"}, {"OCN", "OCN"}};

/// One row of the table. Times are in seconds.
struct Clock {
  std::string name;
  std::optional<std::int64_t> hits;  ///< calls; missing in older versions
  double minimum_s = 0;
  double maximum_s = 0;
  double mean_s = 0;
  std::int64_t grain = 0;
  std::int64_t first_pe = 0;
  std::int64_t last_pe = 0;
};

class ClocksReader {
 public:
  ClocksReader(const std::string& path, const RunFacts& facts) : facts_(facts) {
    run_.path = path;
    run_.log_id = run_time_in(path);
    run_.coupler = Coupler::fms;
    run_.is_from_statistics = true;
  }

  TimingFile read(std::string_view text) {
    support::LineReader lines(text);
    for (; !lines.at_end(); lines.advance()) {
      const std::string_view content = lines.line();
      const bool is_title = content.find(clocks_title) != std::string_view::npos;
      if (part_ == Part::before && !is_title) continue;
      if (part_ == Part::after && is_title) {
        warn_of_second_table(lines.number());
        break;
      }
      if (part_ == Part::after && !has_all_columns(content)) continue;
      const TimingLine line(content.substr(0, max_clock_line_bytes), lines.number(), run_.path);
      if (content.size() > max_clock_line_bytes) throw line.error("line too long for a table of clocks");
      if (lines.is_cut()) throw line.error("the file ends in this line", "copy it again");
      read_line(content, line);
    }
    const TimingLine end({}, lines.number(), run_.path);
    if (part_ == Part::before)
      throw end.error(fmt::format("not FMS clocks: missing line \"{} N PEs\"", clocks_title), fms_advice);
    if (!total_) throw end.error("missing clock \"Total runtime\" in the table of clocks", fms_advice);
    finish(end);
    return std::move(run_);
  }

 private:
  enum class Part { before, heading, rows, after };

  void read_line(std::string_view content, const TimingLine& line) {
    switch (part_) {
      case Part::before: return read_title(line);
      case Part::heading: return read_heading(line);
      case Part::rows:
        // Other output follows the table.
        if (line.blank() || !is_row(content, line))
          part_ = Part::after;
        else
          take(read_clock(content, line));
        return;
      case Part::after:
        throw line.error("a row of clocks after the end of the table of clocks", "copy the file again");
    }
  }

  /// Returns whether a line has a name, and then exactly the numbers of a row, the last of them an integer.
  bool has_all_columns(std::string_view content) const {
    constexpr std::size_t columns_without_hits = 8;
    if (content.size() <= clock_name_columns || content.size() > max_clock_line_bytes) return false;
    std::string_view rest = content.substr(clock_name_columns);
    std::size_t columns = 0;
    std::string_view word;
    while (!support::trimmed(rest).empty()) {
      word = support::take_word(rest);
      if (!support::parse_number<double>(word)) return false;
      ++columns;
    }
    return columns == columns_without_hits + (has_hits_ ? 1 : 0) &&
           support::parse_number<std::int64_t>(word).has_value();
  }

  // Reads "Tabulating mpp_clock statistics across     49 PEs...".
  void read_title(const TimingLine& line) {
    std::string_view rest = line.text().substr(line.text().find(clocks_title) + clocks_title.size());
    run_.processors = line.count_of(support::take_word(rest), "the number of PEs", 1);
    part_ = Part::heading;
  }

  void read_heading(const TimingLine& line) {
    if (line.blank() || line.text().starts_with("...")) return;
    has_hits_ = line.word(0) == "hits";
    std::size_t place = has_hits_ ? 1 : 0;
    for (const char* column : {"tmin", "tmax", "tavg", "tstd", "tfrac", "grain", "pemin", "pemax"})
      if (line.word(place++) != column)
        throw line.error(fmt::format("unknown columns of the table of clocks: expected \"{}\"", column),
                         fms_advice);
    part_ = Part::rows;
  }

  /// Returns whether a line has a name and at least one number in the columns of numbers.
  static bool is_row(std::string_view content, const TimingLine& line) {
    return content.size() > clock_name_columns &&
           line.text().find("high water mark") == std::string_view::npos &&
           content.substr(clock_name_columns).find_first_of("0123456789") != std::string_view::npos;
  }

  Clock read_clock(std::string_view content, const TimingLine& line) {
    if (++clocks_ > max_clocks) throw line.error(fmt::format("more than {} clocks", max_clocks));
    Clock clock;
    clock.name = support::trimmed(content.substr(0, clock_name_columns));
    std::string_view rest = content.substr(clock_name_columns);
    const auto next = [&] { return support::take_word(rest); };
    if (has_hits_) clock.hits = line.count_of(next(), "the number of hits", 0);
    clock.minimum_s = line.number_of(next(), "the minimum time");
    clock.maximum_s = line.number_of(next(), "the maximum time");
    clock.mean_s = line.number_of(next(), "the mean time");
    line.number_of(next(), "the standard deviation");
    line.number_of(next(), "the share of the total");
    clock.grain = line.count_of(next(), "the grain", 0);
    clock.first_pe = line.count_of(next(), "the first PE", 0);
    clock.last_pe = line.count_of(next(), "the last PE", clock.first_pe);
    if (!support::trimmed(rest).empty()) throw line.error("more columns than the table has");
    if (clock.last_pe >= run_.processors)
      throw line.error(fmt::format("the last PE is {}, but the run has {}", clock.last_pe, *run_.processors));
    constexpr double rounding_s = 1e-5;
    const double tolerance = rounding_s + 1e-9 * clock.maximum_s;
    if (clock.mean_s < clock.minimum_s - tolerance || clock.mean_s > clock.maximum_s + tolerance)
      throw line.error(fmt::format("invalid mean time {}: must be between the minimum {} and the maximum {}",
                                   clock.mean_s, clock.minimum_s, clock.maximum_s));
    return clock;
  }

  void take(Clock clock) {
    if (clock.name == "Total runtime" || clock.name == "Main loop") total_ = clock;
    if (clock.name == "Initialization") has_initialization_ = true;
    if (clock.name == "oasis_recv") coupling_wait_s_ += clock.mean_s;
    if (clock.grain != component_grain) return;
    const std::string name = component_name(clock.name);
    for (const auto& known : component_clocks)
      if (name == known.name) return add_component(known.value, clock);
    other_components_.push_back(std::move(clock));
  }

  void add_component(const char* name, const Clock& clock) {
    ComponentTiming timing;
    timing.component = name;
    timing.tasks = clock.last_pe - clock.first_pe + 1;
    timing.root = clock.first_pe;
    timing.seconds = clock.maximum_s;
    timing.work =
        WorkTiming{.work_seconds = clock.mean_s,
                   .imbalance = clock.mean_s > 0 ? std::max(1.0, clock.maximum_s / clock.mean_s) : 1};
    // A component may have a clock on each of its lists of PEs; the longest is its time.
    const auto same = std::ranges::find(run_.components, timing.component, &ComponentTiming::component);
    if (same == run_.components.end())
      run_.components.push_back(std::move(timing));
    else if (same->seconds < timing.seconds)
      *same = std::move(timing);
    if (clock.hits) steps_ = std::max(steps_, *clock.hits);
  }

  void finish(const TimingLine& end) {
    if (run_.components.empty())
      throw end.error(
          fmt::format("no clock of a component (Atmosphere, Land, Ice, Ocean) of grain 1; found: {}",
                      names_of_other_components()),
          fms_advice);
    set_run_length(steps_ > 0 ? std::optional(steps_) : std::nullopt, facts_, run_);
    for (ComponentTiming& timing : run_.components) {
      if (timing.component == "OCN" && coupling_wait_s_ > 0) subtract_wait(timing);
      timing.seconds_per_day = timing.seconds / run_length(run_);
    }
    set_total(total_->maximum_s, run_);
    note_what_differs();
  }

  std::string names_of_other_components() const {
    std::string names;
    for (const Clock& clock : other_components_) names += (names.empty() ? "" : ", ") + clock.name;
    return names;
  }

  void warn_of_second_table(std::uint64_t line) {
    run_.warnings.push_back({.severity = Severity::warning,
                             .check = "second-table",
                             .what = "second table of clocks in this file: only the first one is read",
                             .file = run_.path,
                             .line = line,
                             .suggestion = "use a separate file for each run"});
  }

  void note_what_differs() {
    constexpr double important_share = 0.01;  // of the total
    const auto note = [this](const char* check, std::string what) {
      run_.warnings.push_back(
          {.severity = Severity::note, .check = check, .what = std::move(what), .file = run_.path});
    };
    if (has_initialization_ && total_->name != "Main loop")
      note("total-runtime", "no clock \"Main loop\": the total includes the initialisation");
    for (const Clock& clock : other_components_)
      if (clock.maximum_s >= important_share * total_->maximum_s)
        note("other-clock",
             fmt::format("the clock {} of grain 1 took {:.4g} s, but is not Atmosphere, Land, Ice or Ocean; "
                         "skipped",
                         support::in_quotes(clock.name), clock.maximum_s));
  }

  void subtract_wait(ComponentTiming& ocean) const {
    WorkTiming& work = *ocean.work;
    const double mean_s = work.work_seconds;
    const double slowest_s = ocean.seconds - coupling_wait_s_;
    if (coupling_wait_s_ >= mean_s || slowest_s <= 0) return;
    work.work_seconds = mean_s - coupling_wait_s_;
    work.waiting_seconds = mean_s - work.work_seconds;
    work.imbalance = std::max(1.0, slowest_s / work.work_seconds);
  }

  TimingFile run_;
  const RunFacts& facts_;
  Part part_ = Part::before;
  bool has_hits_ = false;
  std::size_t clocks_ = 0;
  std::int64_t steps_ = 0;
  double coupling_wait_s_ = 0;
  std::optional<Clock> total_;
  bool has_initialization_ = false;
  std::vector<Clock> other_components_;  ///< clocks of grain 1 with other names
};

}  // namespace

bool is_fms_clocks(std::string_view text) {
  return text.find(clocks_title) != std::string_view::npos;
}

TimingFile parse_fms_clocks(std::string_view text, const std::string& path, const RunFacts& facts) {
  check_run_facts(facts);
  return ClocksReader(path, facts).read(text);
}

}  // namespace plimsoll::pelayout
