#include "lbdata/repair/phase_rescue.hpp"

#include <algorithm>
#include <utility>

#include <plimsoll/support/error.hpp>

#include "lbdata/reading/document_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

constexpr const char* data_file = "LBDatafile";

const PhaseSelection& every_phase() {
  static const PhaseSelection all = PhaseSelection::all();
  return all;
}

void correct_type(std::optional<std::string>& type) {
  if (type) type = data_file;
}

/// Removes members that were only read in part, because a replacement value would be invented.
void remove_broken(RankMetadata& metadata, const std::set<std::string>& broken) {
  if (broken.contains("/metadata/attributes")) metadata.attributes.reset();
  if (broken.contains("/metadata/phases")) metadata.phases.reset();
  if (broken.contains("/metadata/rank_alpha")) metadata.rank_alpha.reset();
  if (broken.contains("/metadata/shared_node")) metadata.shared_node.reset();
}

}  // namespace

PhaseRescue::PhaseRescue(support::OutputFile file, std::optional<std::int64_t> rank, RepairResult& result)
    : DatasetBuilder(every_phase()), new_file_(std::move(file)), rank_(rank), result_(result) {}

void PhaseRescue::read(support::TextSource& source) {
  result_.damage = parse(source);
  if (!result_.damage) return;
  result_.cut = cut_;
  result_.torn = in_phase_;
  if (in_phase_) result_.torn_phase = id_;
  if (!metadata_.present) result_.metadata_lost = true;
}

void PhaseRescue::read_pending(support::TextSource& source) {
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

std::optional<Diagnostic> PhaseRescue::parse(support::TextSource& source) {
  in_phase_ = in_iteration_ = cut_ = false;
  id_.reset();
  bool statistics = false;
  std::optional<Diagnostic> damage;
  try {
    DocumentParser(source, SchemaVersion::current, *this, *this).parse_data_file();
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

bool PhaseRescue::recognised() const {
  return metadata_.type == data_file || metadata_.top_level_type == data_file || result_.phases > 0 ||
         result_.whole();
}

void PhaseRescue::metadata_so_far(const RankMetadata& metadata) {
  if (reads_metadata_) metadata_ = metadata;
}

void PhaseRescue::begin_phase(RecordPlace place) {
  DatasetBuilder::begin_phase(place);
  in_phase_ = true;
  phase_byte_ = place.byte;
  id_.reset();
}

void PhaseRescue::begin_iteration(RecordPlace place) {
  DatasetBuilder::begin_iteration(place);
  in_iteration_ = true;
}

void PhaseRescue::id(std::int64_t id) {
  if (!in_iteration_) id_ = id;
}

void PhaseRescue::end_iteration(PhaseHeader&& header) {
  DatasetBuilder::end_iteration(std::move(header));
  in_iteration_ = false;
}

void PhaseRescue::end_phase(PhaseHeader&& header, bool complete) {
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

bool PhaseRescue::kept(std::optional<std::int64_t> phase) const {
  return phase && kept_.contains(static_cast<std::uint64_t>(*phase));
}

void PhaseRescue::keep(const PhaseRecord& phase) {
  if (!writer_) begin_file();
  writer_->write(phase);
  kept_.insert(static_cast<std::uint64_t>(phase.id));
  ascending_ = ascending_ && (!result_.last_phase || *result_.last_phase < phase.id);
  if (!result_.first_phase) result_.first_phase = phase.id;
  result_.last_phase = phase.id;
  ++result_.phases;
  if (pending_) ++result_.pending_phases;
}

void PhaseRescue::add(Diagnostic&& finding, bool readable) {
  if (readable) return;
  const std::string pointer = finding.pointer.value_or("");
  if (reads_metadata_ && (pointer.starts_with("/metadata") || pointer == "/type")) {
    broken_metadata_.insert(pointer.substr(0, pointer.find('/', sizeof "/metadata")));
    result_.metadata_lost = true;
  }
  if (result_.findings.size() < RepairResult::most_findings) result_.findings.push_back(std::move(finding));
}

RankMetadata PhaseRescue::sound_metadata() const {
  RankMetadata metadata = metadata_;
  correct_type(metadata.type);
  correct_type(metadata.top_level_type);
  remove_broken(metadata, broken_metadata_);
  if (result_.metadata_lost) {
    metadata.present = true;
    metadata.type = data_file;
    if (!metadata.rank) metadata.rank = rank_;
  }
  return metadata;
}

void PhaseRescue::begin_file() {
  RankMetadata metadata = sound_metadata();
  const auto& phases = metadata.phases;
  metadata_last_ = !metadata.present || (phases && (phases->count || !phases->identical_to_previous.empty()));
  if (metadata_last_) metadata.top_level_type = data_file;
  writer_.emplace(std::move(new_file_), std::move(metadata),
                  RecordTables(file().entities, file().resources, file().categories), metadata_last_);
}

void PhaseRescue::close() {
  end_file();
  writer_->close();
}

void PhaseRescue::finish() {
  end_file();
  writer_->finish();
}

void PhaseRescue::end_file() {
  if (!writer_) begin_file();
  RankMetadata metadata = sound_metadata();
  restore_elided(metadata);
  const bool phases_lost = !elided_ && (result_.damage || result_.unreadable_phases > 0);
  if (phases_lost && metadata.phases) {
    metadata.phases->count.reset();
    restrict_identical(metadata.phases->identical_to_previous);
  }
  writer_->set_metadata(std::move(metadata));
}

/// Replaces lost lists of elided phases. Without all written phases, it is unknown which others were elided.
void PhaseRescue::restore_elided(RankMetadata& metadata) {
  if (metadata.phases) elided_.reset();
  if (!elided_) return;
  metadata.phases = elided_->lists([this](std::int64_t phase) { return kept(phase); });
  result_.identical_lost = !metadata.phases;
}

/// Restricts the list of identical phases. Keeps a listed phase only if it is certain to which phase it is
/// identical. This requires that no phase was lost up to the last kept one, and that the listed phase is not
/// later.
void PhaseRescue::restrict_identical(PhaseNumbers& identical) {
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

}  // namespace plimsoll::lbdata
