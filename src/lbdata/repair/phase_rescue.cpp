#include "lbdata/repair/phase_rescue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "lbdata/checking/checks.hpp"
#include "lbdata/model/dataset_builder.hpp"
#include "lbdata/reading/document_parser.hpp"
#include "lbdata/reading/entity_numbering.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

constexpr const char* data_file = "LBDatafile";

const PhaseSelection& every_phase() {
  static const PhaseSelection all = PhaseSelection::all();
  return all;
}

/// Removes members that were only read in part, because a replacement value would be invented.
void remove_broken(RankMetadata& metadata, const std::set<std::string>& broken) {
  if (broken.contains("/metadata/attributes")) metadata.attributes.reset();
  if (broken.contains("/metadata/phases")) metadata.phases.reset();
  if (broken.contains("/metadata/rank_alpha")) metadata.rank_alpha.reset();
  if (broken.contains("/metadata/shared_node")) metadata.shared_node.reset();
}

/// Reader of damaged texts that immediately writes their complete phases to a new file. The new file starts
/// with the metadata if they are known and final by then. Entries of the metadata about phases must match the
/// kept phases, which are only known at the end.
class PhaseRescue : private DatasetBuilder {
 public:
  /// Starts a rescue. `rank` replaces a lost rank in the new file's metadata; `result` receives the
  /// description of kept and lost data.
  PhaseRescue(support::OutputFile file, std::optional<std::int64_t> rank, RepairResult& result)
      : DatasetBuilder(every_phase()), new_file_(std::move(file)), rank_(rank), result_(result) {}

  void read(support::TextSource& source) {
    result_.damage = parse(source);
    if (!result_.damage) return;
    result_.cut = cut_;
    result_.torn = in_phase_;
    if (in_phase_) result_.torn_phase = id_;
    if (!metadata_.present) result_.metadata_lost = true;
  }

  /// Reads the pending text, and adds phases that the file does not contain, and metadata if the file has
  /// none.
  void read_pending(support::TextSource& source) {
    pending_ = true;
    reads_metadata_ = !metadata_.present;
    const std::optional<Diagnostic> damage = parse(source);
    if (reads_metadata_ && metadata_.present && broken_metadata_.empty()) result_.metadata_lost = false;
    if (damage && !cut_) result_.findings.push_back(*damage);
    // Check whether the phase in which the file ends was kept. If its ID is unknown, it is the first pending
    // phase.
    const bool rescued = result_.torn_phase ? kept(result_.torn_phase) : result_.pending_phases > 0;
    const bool torn_too = damage && in_phase_ && !kept(id_);
    if (!rescued && !torn_too) return;
    result_.torn = torn_too;
    result_.torn_phase = torn_too ? id_ : std::nullopt;
  }

  /// Restores the lists of these phases, unless the metadata contain lists.
  void set_elided(ElidedPhases elided) { elided_ = std::move(elided); }

  /// Returns whether any evidence shows that this is, or was, an LB data file.
  bool recognised() const {
    return metadata_.type == data_file || metadata_.top_level_type == data_file || result_.phases > 0 ||
           result_.whole();
  }

  /// Completes the metadata of the new file, and returns its writer.
  RankWriter end() {
    if (!writer_) begin_file();
    RankMetadata metadata = sound_metadata();
    restore_elided(metadata);
    const bool phases_lost = !elided_ && (result_.damage || result_.unreadable_phases > 0);
    if (phases_lost && metadata.phases) {
      metadata.phases->count.reset();
      restrict_identical(metadata.phases->identical_to_previous);
    }
    writer_->set_metadata(std::move(metadata));
    return std::move(*writer_);
  }

 private:
  void metadata_so_far(const RankMetadata& metadata) override {
    if (reads_metadata_) metadata_ = metadata;
  }

  void begin_phase(RecordPlace place) override {
    DatasetBuilder::begin_phase(place);
    in_phase_ = true;
    phase_byte_ = place.byte;
    id_.reset();
  }

  void begin_iteration(RecordPlace place) override {
    DatasetBuilder::begin_iteration(place);
    in_iteration_ = true;
  }

  void id(std::int64_t id) override {
    if (!in_iteration_) id_ = id;
  }

  void end_iteration(PhaseHeader&& header) override {
    DatasetBuilder::end_iteration(std::move(header));
    in_iteration_ = false;
  }

  void end_phase(PhaseHeader&& header, bool complete) override {
    in_phase_ = false;
    if (!complete) {
      ++result_.unreadable_phases;
      return;
    }
    if (kept(header.id)) {
      if (!pending_) ++result_.repeated_phases;
      return;
    }
    DatasetBuilder::end_phase(std::move(header), complete);
    keep(file().rank.phases.back());
    file().rank.phases.clear();
  }

  void add(Diagnostic&& finding, bool readable) {
    if (readable) return;
    const std::string pointer = finding.pointer.value_or("");
    if (reads_metadata_ && (pointer.starts_with("/metadata") || pointer == "/type")) {
      broken_metadata_.insert(pointer.substr(0, pointer.find('/', sizeof "/metadata")));
      result_.metadata_lost = true;
    }
    if (result_.findings.size() < RepairResult::most_findings) result_.findings.push_back(std::move(finding));
  }

  std::optional<Diagnostic> parse(support::TextSource& source) {
    in_phase_ = in_iteration_ = cut_ = false;
    id_.reset();
    bool statistics = false;
    std::optional<Diagnostic> damage;
    try {
      const auto add_finding = [this](Diagnostic&& finding, bool readable) {
        add(std::move(finding), readable);
      };
      EntityNumbering records(file().entities, *this);
      DocumentParser(source, SchemaVersion::current, add_finding, records).parse_data_file();
    } catch (const IsStatisticsFile&) {
      statistics = true;
    } catch (const support::SizeLimitError&) {
      throw;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_input) throw;
      cut_ = dynamic_cast<const support::TruncatedError*>(&error) != nullptr;
      damage = error.diagnostic();
      if (!damage->byte) damage->byte = source.text_bytes();
      in_phase_ = in_phase_ && phase_byte_ < *damage->byte;
    }
    if (statistics || (metadata_.type ? metadata_.type : metadata_.top_level_type) == "LBStatsfile") {
      throw support::bad_input("an LBStatsfile contains statistics, but no phases to keep", source.name(),
                               "specify LB data files (type LBDatafile)");
    }
    return damage;
  }

  bool kept(std::optional<std::int64_t> phase) const {
    return phase && kept_.contains(static_cast<std::uint64_t>(*phase));
  }

  void keep(const PhaseRecord& phase) {
    if (!writer_) begin_file();
    writer_->write(phase);
    kept_.insert(static_cast<std::uint64_t>(phase.id));
    ascending_ = ascending_ && (!result_.last_phase || *result_.last_phase < phase.id);
    if (!result_.first_phase) result_.first_phase = phase.id;
    result_.last_phase = phase.id;
    ++result_.phases;
    if (pending_) ++result_.pending_phases;
  }

  void begin_file() {
    RankMetadata metadata = sound_metadata();
    const auto& phases = metadata.phases;
    const bool metadata_last =
        !metadata.present || (phases && (phases->count || !phases->identical_to_previous.empty()));
    if (metadata_last) metadata.top_level_type = data_file;
    writer_.emplace(std::move(new_file_), std::move(metadata),
                    RecordTables(file().entities, file().resources, file().categories), metadata_last);
  }

  RankMetadata sound_metadata() const {
    RankMetadata metadata = metadata_;
    if (metadata.type) metadata.type = data_file;
    if (metadata.top_level_type) metadata.top_level_type = data_file;
    remove_broken(metadata, broken_metadata_);
    if (result_.metadata_lost) {
      metadata.present = true;
      metadata.type = data_file;
      if (!metadata.rank) metadata.rank = rank_;
    }
    return metadata;
  }

  /// Replaces lost lists of elided phases. Without all written phases, it is unknown which others were
  /// elided.
  void restore_elided(RankMetadata& metadata) {
    if (metadata.phases) elided_.reset();
    if (!elided_) return;
    metadata.phases = elided_->lists([this](std::int64_t phase) { return kept(phase); });
    result_.identical_lost = !metadata.phases;
  }

  /// Restricts the list of identical phases. Keeps a listed phase only if it is certain to which phase it is
  /// identical. This requires that no phase was lost up to the last kept one, and that the listed phase is
  /// not later.
  void restrict_identical(PhaseNumbers& identical) {
    const PhaseNumbers listed = identical;
    if (result_.phases == 0 || !ascending_ || result_.unreadable_phases > 0) {
      identical = {};
    } else {
      const std::int64_t last = *result_.last_phase;
      std::erase_if(identical.list, [last](std::int64_t phase) { return phase > last; });
      std::erase_if(identical.range,
                    [last](const auto& range) { return range.empty() || range.back() > last; });
    }
    result_.identical_lost = identical != listed;
  }

  support::OutputFile new_file_;  // valid until moved to the writer
  std::optional<std::int64_t> rank_;
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

/// Reader that notices the same damage as PhaseRescue, and the same evidence of an LB data file.
class DamageFinder : public RecordSink {
 public:
  void metadata_so_far(const RankMetadata& metadata) override {
    recognised_ = recognised_ || metadata.type == data_file || metadata.top_level_type == data_file;
  }
  void end_phase(PhaseHeader&& header, bool complete) override {
    has_phase_ = has_phase_ || complete;
    damaged_ = damaged_ || !complete || !ids_.insert(header.id).second;
  }
  void add_finding(bool readable) { damaged_ = damaged_ || !readable; }

  FileState state_of_complete_text() const {
    if (!damaged_) return FileState::whole;
    return has_phase_ ? FileState::repairable : FileState::unusable;
  }
  FileState state_of_damaged_text() const {
    return recognised_ || has_phase_ ? FileState::repairable : FileState::unusable;
  }

 private:
  std::set<std::int64_t> ids_;
  bool damaged_ = false;
  bool recognised_ = false;
  bool has_phase_ = false;
};

Error not_a_data_file(const RepairResult& result) {
  Diagnostic diagnostic = result.damage ? *result.damage : result.findings.front();
  if (!result.findings.empty()) diagnostic = result.findings.front();
  diagnostic.what = "not recognised as an LB data file: " + diagnostic.what;
  diagnostic.file = result.file;
  diagnostic.suggestion = "specify LB data files: complete, truncated or partial (.partial)";
  return {ErrorKind::bad_input, std::move(diagnostic)};
}

std::string phases_text(std::uint64_t count) {
  return fmt::format("{} phase{}", support::format_count(count), count == 1 ? "" : "s");
}

}  // namespace

bool is_stream(const std::string& path) {
  return path.ends_with(".partial");
}

std::string pending_path(const std::string& path) {
  return repaired_name(path, false) + ".pending";
}

Rescue rescue_phases(const std::string& path, support::OutputFile new_file,
                     const support::SizeLimits& limits) {
  const std::string pending = pending_path(path);
  // Read the pending text first: a running program moves phases from it to the partial output file.
  std::string content;
  if ((is_stream(path) && support::identity(pending)) || path == pending)
    content = support::read_text_file(pending, limits.max_bytes);
  // Drop the text after the first NUL byte, which belongs to phases that the partial output file contains.
  std::string_view pending_text = std::string_view(content).substr(0, content.find('\0'));
  const std::optional<ElidedPhases> elided = take_line(pending_text);
  support::TextSource source = path == pending
                                   ? support::TextSource(pending_text, path, data_file_format, limits)
                                   : support::TextSource(path, data_file_format, limits);
  RepairResult result{.file = path};
  PhaseRescue rescue(std::move(new_file), rank_of_file(repaired_name(path, false)), result);
  if (elided) rescue.set_elided(*elided);
  rescue.read(source);
  if (!pending_text.empty() && path != pending) {
    support::TextSource more(pending_text, pending, data_file_format, limits);
    rescue.read_pending(more);
  }
  // Accept an empty file: a program that was killed early may not have written any data.
  const bool empty_stream = is_stream(path) && source.file_bytes() == 0;
  if (!empty_stream && !rescue.recognised()) throw not_a_data_file(result);
  RankWriter writer = rescue.end();
  return {std::move(result), std::move(writer)};
}

FileState file_state(const std::string& path, const support::SizeLimits& limits) {
  DamageFinder finder;
  try {
    support::TextSource source(path, data_file_format, limits);
    const auto note = [&](Diagnostic&&, bool readable) { finder.add_finding(readable); };
    DocumentParser(source, SchemaVersion::current, note, finder).parse_data_file();
    return finder.state_of_complete_text();
  } catch (const IsStatisticsFile&) {
    return FileState::unusable;
  } catch (const support::SizeLimitError&) {
    return FileState::unusable;
  } catch (const Error& error) {
    return error.kind() == ErrorKind::bad_input ? finder.state_of_damaged_text() : FileState::unusable;
  }
}

std::vector<std::string> losses(const RepairResult& result) {
  std::vector<std::string> lines;
  if (result.torn)
    lines.push_back(
        (result.torn_phase ? fmt::format("incomplete phase {}", *result.torn_phase) : "an incomplete phase") +
        (result.cut ? " and any later phases" : ""));
  if (result.damage && !result.cut)
    lines.push_back(fmt::format("all data from byte {} on: {}", *result.damage->byte, result.damage->what));
  else if (result.damage && !result.torn)
    lines.push_back(fmt::format("any data after byte {}, where the text ends", *result.damage->byte));
  if (result.unreadable_phases > 0)
    lines.push_back(phases_text(result.unreadable_phases) + " violating the schema");
  if (result.repeated_phases > 0)
    lines.push_back(phases_text(result.repeated_phases) + " with a duplicate ID");
  if (result.metadata_lost) lines.emplace_back("metadata (skipped and identical phases, attributes)");
  if (result.identical_lost) lines.emplace_back("the list of phases identical to possibly lost phases");
  for (const Diagnostic& finding : result.findings) lines.push_back(to_string(finding));
  return lines;
}

}  // namespace plimsoll::lbdata
