#include "lbdata/converting/rank_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/threads.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

constexpr std::int64_t most_split_ranks = 1'000'000;  // each rank becomes a file

LoadedRank load(const std::vector<RankFile>& files, const support::SizeLimits& limits) {
  ReadResult result = read(files, {.ranks = RankCheck::any, .threads = 1, .limits = limits});
  return {files.back().path, std::move(result.dataset), std::move(result.findings)};
}

RankSource open_data_set(const std::vector<std::string>& inputs, const ConvertOptions& options) {
  const std::vector<RankFile> files = find_rank_files(inputs);
  return {.ranks = files.size(),
          .load = [files, limits = options.limits](std::size_t rank) { return load({files[rank]}, limits); },
          .runs = {},
          .files = files};
}

RankSource open_split_file(const std::vector<std::string>& inputs, const ConvertOptions& options) {
  const std::int64_t ranks = *options.split_ranks;
  if (ranks < 1 || ranks > most_split_ranks)
    throw support::usage_error(
        fmt::format("invalid number of ranks {}: must be between 1 and {}", ranks, most_split_ranks));
  const std::vector<RankFile> files = find_rank_files(inputs, RankCheck::any);
  if (files.size() > 1)
    throw support::usage_error(
        fmt::format("cannot split {} files: their ranks are already separate", files.size()),
        files.front().path, "specify a single file");
  const RankFile& file = files.front();
  LoadedRank whole = load(files, options.limits);
  const std::int64_t own_rank = whole.data().metadata.rank.value_or(file.rank);
  if (own_rank < 0 || own_rank >= ranks)
    throw support::usage_error(fmt::format("cannot split the file of rank {} into {} ranks", own_rank, ranks),
                               file.path, "specify more ranks");
  return split_ranks(std::move(whole), static_cast<std::size_t>(ranks), static_cast<std::size_t>(own_rank));
}

/// A run of a program, and the phases that its files contain on any rank.
struct Run {
  std::string input;
  std::vector<RankFile> files;
  std::optional<PhaseRange> recorded;
};

Run open_run(const std::string& input, const ConvertOptions& options, unsigned threads) {
  Run run{.input = input, .files = find_rank_files({input}), .recorded = {}};
  std::vector<std::optional<PhaseRange>> recorded(run.files.size());
  support::parallel_for(run.files.size(), threads, [&](std::size_t rank) {
    const Dataset dataset = load({run.files[rank]}, options.limits).dataset;
    const std::vector<PhaseRecord>& phases = dataset.ranks.front().phases;
    if (!phases.empty()) recorded[rank] = {phases.front().id, phases.back().id};
  });
  for (const auto& range : recorded) {
    if (!range) continue;
    if (!run.recorded) run.recorded = range;
    run.recorded->first = std::min(run.recorded->first, range->first);
    run.recorded->last = std::max(run.recorded->last, range->last);
  }
  if (!run.recorded)
    throw support::bad_input("the run contains no phases", input, "remove it from the inputs");
  return run;
}

void expect_continuation(const Run& run, const Run& next) {
  if (run.files.size() != next.files.size())
    throw support::bad_input(fmt::format("has {} ranks, but {} has {}", next.files.size(),
                                         support::in_quotes(run.input), run.files.size()),
                             next.input, "merge runs with the same number of ranks");
  if (next.recorded->first > run.recorded->first) return;
  throw support::bad_input(
      fmt::format("begins at phase {}, but {} begins at phase {}", next.recorded->first,
                  support::in_quotes(run.input), run.recorded->first),
      next.input, "specify runs in order; if each begins at phase 0, first add offsets to its phases");
}

MergedRun merged(const Run& run, const Run* next) {
  MergedRun result{.input = run.input, .phases = *run.recorded, .replaced = {}};
  if (next == nullptr || next->recorded->first > run.recorded->last) return result;
  result.phases.last = next->recorded->first - 1;
  result.replaced = {next->recorded->first, run.recorded->last};
  return result;
}

/// Adds the listed phases that are in [first, last].
void add_listed(PhaseNumbers& into, const PhaseNumbers& from, std::int64_t first, std::int64_t last) {
  for (const PhaseRange& range : from.ranges()) {
    const std::int64_t from_phase = std::max(range.first, first);
    const std::int64_t to_phase = std::min(range.last, last);
    if (from_phase == to_phase) into.list.push_back(from_phase);
    if (from_phase < to_phase) into.range.push_back({from_phase, to_phase});
  }
}

/// Joins the data of the same rank in several runs. The first phases of all runs but the first are `starts`.
RankData joined_runs(std::vector<RankData>&& runs, const std::vector<std::int64_t>& starts) {
  RankData whole;
  whole.metadata = runs.back().metadata;
  PhaseMetadata listed;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const std::int64_t first = k == 0 ? std::numeric_limits<std::int64_t>::min() : starts[k - 1];
    const std::int64_t last = k == starts.size() ? PhaseRange::no_end : starts[k] - 1;
    if (const auto& phases = runs[k].metadata.phases) {
      add_listed(listed.skipped, phases->skipped, first, last);
      // Without a record before them, they would seem to be identical to a phase of the previous run.
      if (!runs[k].phases.empty())
        add_listed(listed.identical_to_previous, phases->identical_to_previous, runs[k].phases.front().id,
                   last);
    }
    for (PhaseRecord& phase : runs[k].phases)
      if (phase.id <= last) whole.phases.push_back(std::move(phase));
  }
  if (whole.metadata.phases || !listed.skipped.empty() || !listed.identical_to_previous.empty()) {
    whole.metadata.present = true;
    whole.metadata.phases = std::move(listed);
  }
  return whole;
}

RankSource open_runs(const std::vector<std::string>& inputs, const ConvertOptions& options,
                     unsigned threads) {
  if (inputs.size() < 2)
    throw support::usage_error("only one run to merge", "specify the data sets of all runs, in order");
  std::vector<Run> runs;
  for (const std::string& input : inputs) {
    runs.push_back(open_run(input, options, threads));
    if (runs.size() > 1) expect_continuation(runs[runs.size() - 2], runs.back());
  }
  RankSource source{.ranks = runs.front().files.size(), .load = {}, .runs = {}, .files = runs.front().files};
  std::vector<std::int64_t> starts;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Run* next = k + 1 < runs.size() ? &runs[k + 1] : nullptr;
    source.runs.push_back(merged(runs[k], next));
    if (next != nullptr) starts.push_back(next->recorded->first);
  }
  source.load = [runs = std::move(runs), starts = std::move(starts),
                 limits = options.limits](std::size_t rank) {
    std::vector<RankFile> files;
    for (const Run& run : runs) files.push_back(run.files[rank]);
    LoadedRank loaded = load(files, limits);
    RankData whole = joined_runs(std::move(loaded.dataset.ranks), starts);
    loaded.dataset.ranks.clear();
    loaded.dataset.ranks.push_back(std::move(whole));
    return loaded;
  };
  return source;
}

}  // namespace

RankSource open_ranks(const std::vector<std::string>& inputs, const ConvertOptions& options,
                      unsigned threads) {
  if (options.merge && options.split_ranks)
    throw support::usage_error("merging and splitting contradict each other", "use one of them");
  if (options.split_ranks) return open_split_file(inputs, options);
  return options.merge ? open_runs(inputs, options, threads) : open_data_set(inputs, options);
}

}  // namespace plimsoll::lbdata
