#include <algorithm>
#include <iterator>
#include <mutex>

#include <plimsoll/lbdata/converter.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "lbdata/converting/object_numbering.hpp"
#include "lbdata/converting/phase_plan.hpp"
#include "lbdata/converting/rank_source.hpp"
#include "lbdata/reading/complete_set.hpp"
#include "lbdata/writing/data_set_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Summary of the ranks converted so far.
class Summary {
 public:
  explicit Summary(std::size_t ranks) : findings_(ranks), unfinished_(ranks) {}

  /// Adds a rank. Returns whether it is the last one.
  bool add(std::size_t rank, std::vector<Diagnostic>&& findings, const RankMetadata& metadata,
           const PhaseNumbers& with_data) {
    const std::scoped_lock lock(mutex_);
    count_.add(metadata);
    findings_[rank] = std::move(findings);
    std::ranges::move(with_data.ranges(), std::back_inserter(phases_));
    phases_ = joined(std::move(phases_));
    return --unfinished_ == 0;
  }

  /// Throws Error (bad_input) if the files are not a complete data set.
  void expect_complete(const std::vector<RankFile>& files, std::size_t expected_ranks) const {
    if (files.empty()) return;
    if (auto missing = count_.finding(files, expected_ranks))
      throw Error(ErrorKind::bad_input, std::move(*missing));
  }

  std::uint64_t phases() const {
    std::uint64_t sum = 0;
    for (const PhaseRange& range : phases_) sum += static_cast<std::uint64_t>(range.size());
    return sum;
  }

  std::vector<Diagnostic> take_findings() {
    std::vector<Diagnostic> all;
    for (std::vector<Diagnostic>& findings : findings_) std::ranges::move(findings, std::back_inserter(all));
    return all;
  }

 private:
  std::mutex mutex_;
  RankCount count_;
  std::vector<std::vector<Diagnostic>> findings_;
  std::vector<PhaseRange> phases_;
  std::size_t unfinished_;
};

void add_objects(ObjectNumbering& numbering, const RankSource& source, unsigned threads,
                 support::Progress& progress) {
  progress.begin("reading", source.ranks, "ranks");
  support::parallel_for(source.ranks, threads, [&](std::size_t rank) {
    numbering.add(source.load(rank).dataset.entities);
    progress.advance(1);
  });
  progress.end();
}

}  // namespace

ConvertResult convert(const std::vector<std::string>& inputs, const ConvertOptions& options,
                      const std::string& folder, const std::string& base, const WriteOptions& write_options,
                      unsigned threads, support::Progress& progress) {
  const RankSource source = open_ranks(inputs, options, threads);
  const bool changes_numbers = options.renumber || options.encode_ids;
  ObjectNumbering numbering(options);
  if (changes_numbers) {
    add_objects(numbering, source, threads, progress);
    numbering.assign();
  }
  Summary summary(source.ranks);
  write_data_set(folder, base, source.ranks, write_options, threads, progress,
                 [&](std::size_t number, support::OutputFile file) {
                   LoadedRank rank = source.load(number);
                   if (changes_numbers) numbering.apply(rank.dataset);
                   const RecordTables tables(rank.dataset);
                   PhasePlan plan = plan_phases(rank.data(), tables, options, rank.name);
                   const bool is_last =
                       summary.add(number, std::move(rank.findings), rank.data().metadata, plan.with_data);
                   // Thrown before the files get their names.
                   if (is_last) summary.expect_complete(source.files, options.expected_ranks);
                   if (is_last && summary.phases() == 0 && !options.phases.is_all())
                     throw support::usage_error("the data set contains none of the selected phases",
                                                "use plimsoll info to list its phases");
                   write_phases(rank.data(), tables, std::move(plan), std::move(file),
                                write_options.metadata_last);
                 });
  return {.ranks = source.ranks,
          .phases = summary.phases(),
          .runs = source.runs,
          .findings = summary.take_findings()};
}

}  // namespace plimsoll::lbdata
