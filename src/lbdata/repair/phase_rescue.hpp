#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/text_source.hpp>

#include "lbdata/checking/record_checker.hpp"
#include "lbdata/model/dataset_builder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Reader of damaged texts that immediately writes their complete phases to a new file. The new file starts
/// with the metadata if they are known and final by then. Entries of the metadata about phases must match the
/// kept phases, which are only known at the end.
class PhaseRescue : private DatasetBuilder, private FindingSink {
 public:
  /// Starts a rescue. `rank` replaces a lost rank in the new file's metadata; `result` receives the
  /// description of kept and lost data.
  PhaseRescue(support::OutputFile file, std::optional<std::int64_t> rank, RepairResult& result);

  /// Reads the file itself. Throws Error, also for an LBStatsfile.
  void read(support::TextSource& source);
  /// Reads the pending text, and adds phases that the file does not contain, and metadata if the file has
  /// none.
  void read_pending(support::TextSource& source);
  /// Restores the lists of these phases, unless the metadata contain lists.
  void set_elided(ElidedPhases elided) { elided_ = std::move(elided); }

  /// Returns whether any evidence shows that this is, or was, an LB data file.
  bool recognised() const;

  /// Completes the new file and renames it to its final name. Throws Error.
  void close();
  /// Completes the new file, which a support::OutputSet publishes. Throws Error.
  void finish();

 private:
  void metadata_so_far(const RankMetadata& metadata) override;
  void begin_phase(RecordPlace place) override;
  void begin_iteration(RecordPlace place) override;
  void id(std::int64_t id) override;
  void end_iteration(PhaseHeader&& header) override;
  void end_phase(PhaseHeader&& header, bool complete) override;
  void add(Diagnostic&& finding, bool readable) override;

  std::optional<Diagnostic> parse(support::TextSource& source);
  bool kept(std::optional<std::int64_t> phase) const;
  void keep(const PhaseRecord& phase);
  void begin_file();
  void end_file();
  RankMetadata sound_metadata() const;
  void restore_elided(RankMetadata& metadata);
  void restrict_identical(PhaseNumbers& identical);

  support::OutputFile new_file_;  // valid until moved to the writer
  std::optional<std::int64_t> rank_;
  bool metadata_last_ = false;
  RepairResult& result_;
  std::optional<RankWriter> writer_;
  RankMetadata metadata_;
  std::set<std::string> broken_metadata_;  // JSON pointers of members that were only read in part
  NumberSet kept_;
  bool ascending_ = true;
  bool cut_ = false;  // whether the last text ends too early
  bool pending_ = false;
  bool reads_metadata_ = true;  // whether the text being read may contain the metadata
  std::optional<ElidedPhases> elided_;
  bool in_phase_ = false;
  bool in_iteration_ = false;
  std::uint64_t phase_byte_ = 0;    // offset of the start of the phase being read
  std::optional<std::int64_t> id_;  // ID of the phase being read
};

}  // namespace plimsoll::lbdata
