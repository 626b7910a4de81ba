#pragma once

#include <optional>
#include <set>
#include <string>

#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/text_source.hpp>

#include "lbdata/checking/record_checker.hpp"
#include "lbdata/model/dataset_builder.hpp"

namespace plimsoll::inline v0_1::lbdata {

/// Reads texts as far as they can be read and writes their complete phases to a new file as they come.
///
/// The new file begins with `metadata` if they are known by then, and if they cannot change any more: what
/// they say of phases must be true of those that were kept, which is known at the end.
class PhaseRescue : private DatasetBuilder, private FindingSink {
 public:
  /// `rank` is what the new file's metadata say if they are lost; `result` receives what is kept and lost.
  PhaseRescue(support::OutputFile file, std::optional<std::int64_t> rank, RepairResult& result);

  /// Reads the file itself. Throws Error, also for an LBStatsfile.
  void read(support::TextSource& source);
  /// Reads what is to be added to it: phases that it has not.
  void read_pending(support::TextSource& source);

  /// Whether anything shows that this is, or was, an LB data file.
  bool recognised() const;

  /// Ends the new file and gives it its name. Throws Error.
  void close();
  /// Ends the new file, which a support::OutputSet publishes. Throws Error.
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
  void restrict_identical(PhaseNumbers& identical);

  support::OutputFile new_file_;  // until the writer has it
  std::optional<std::int64_t> rank_;
  bool metadata_last_ = false;
  RepairResult& result_;
  std::optional<RankWriter> writer_;
  RankMetadata metadata_;
  std::set<std::string> broken_metadata_;  // JSON pointers of the members of which parts could not be read
  NumberSet kept_;
  bool ascending_ = true;
  bool cut_ = false;  // the text that was read last ends too early
  bool pending_ = false;
  bool in_phase_ = false;
  bool in_iteration_ = false;
  std::uint64_t phase_byte_ = 0;    // where that phase begins
  std::optional<std::int64_t> id_;  // of the phase being read
};

}  // namespace plimsoll::lbdata
