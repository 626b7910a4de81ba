#include "lbdata/converting/phase_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Phase with data in the input.
struct Available {
  std::int64_t id;
  std::size_t record;  ///< position of its record in RankData::phases
};

/// Calls `visit` for each phase of the ranges. The last phase may be the maximum integer.
template <class Visit>
void for_each_phase(const std::vector<PhaseRange>& ranges, const Visit& visit) {
  for (const auto& [first, last] : ranges)
    for (std::int64_t phase = first;; ++phase) {
      visit(phase);
      if (phase == last) break;
    }
}

/// Returns the recorded phases and the phases listed as identical, ascending, as RankData::resolve() finds
/// them.
std::vector<Available> available_phases(const std::vector<PhaseRecord>& records,
                                        const PhaseMetadata& listed) {
  std::vector<Available> phases;
  for (std::size_t record = 0; record < records.size(); ++record)
    phases.push_back({records[record].id, record});
  const std::vector<PhaseRange> skipped = listed.skipped.ranges();
  auto skip = skipped.begin();
  std::size_t next = 0;
  for_each_phase(listed.identical_to_previous.ranges(), [&](std::int64_t phase) {
    while (skip != skipped.end() && skip->last < phase) ++skip;
    while (next < records.size() && records[next].id < phase) ++next;
    const bool is_skipped = skip != skipped.end() && skip->first <= phase;
    const bool is_recorded = next < records.size() && records[next].id == phase;
    if (next > 0 && !is_skipped && !is_recorded) phases.push_back({phase, next - 1});
  });
  std::ranges::sort(phases, {}, &Available::id);
  return phases;
}

class Planner {
 public:
  Planner(const RankData& rank, const RecordTables& tables, const ConvertOptions& options,
          const std::string& name)
      : rank_(rank), tables_(tables), options_(options), name_(name) {
    if (rank.metadata.phases) listed_ = *rank.metadata.phases;
  }

  PhasePlan plan() {
    for (const Available& phase : available_phases(rank_.phases, listed_)) {
      if (!options_.phases.contains(phase.id)) {
        skip(phase.id);
        continue;
      }
      const std::int64_t id = new_id(phase.id);
      plan_.with_data.append(id);
      if (is_identical_to_previous(phase))
        identical_.append(id);
      else
        write(phase.record, id);
    }
    plan_.metadata = metadata();
    return std::move(plan_);
  }

 private:
  /// Returns the new id of a phase; empty if the offset makes it negative or exceeds 64 bits.
  std::optional<std::int64_t> shifted(std::int64_t id) const {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(id, options_.phase_offset, &sum)) return std::nullopt;
    if (sum < 0 && options_.phase_offset != 0) return std::nullopt;
    return sum;
  }

  std::int64_t new_id(std::int64_t id) const {
    if (const auto shifted_id = shifted(id)) return *shifted_id;
    throw support::bad_input(fmt::format("phase {} cannot be renumbered by {}", id, options_.phase_offset),
                             name_, "use an offset that leaves all selected phases >= 0");
  }

  void skip(std::int64_t phase) {
    if (const auto id = shifted(phase)) skipped_.push_back({*id, *id});
  }

  bool is_identical_to_previous(const Available& phase) {
    if (options_.identical == IdenticalPhases::expanded) return false;
    if (!plan_.written.empty() && phase.record == plan_.written.back().record) return true;
    if (options_.identical != IdenticalPhases::elided) return false;
    std::string content = content_of(rank_.phases[phase.record]);
    const bool is_same = content == previous_content_;
    previous_content_ = std::move(content);
    return is_same;
  }

  /// Returns the content of a record without its id, as text: equal texts mean equal phases, to the last bit
  /// of each load.
  std::string content_of(PhaseRecord record) const {
    record.id = 0;
    return to_json(record, tables_);
  }

  void write(std::size_t record, std::int64_t id) {
    if (!plan_.written.empty() && plan_.written.back().record == record) count_repetition(record);
    plan_.written.push_back({record, id});
  }

  /// Bounds the size of the file, because a few bytes of the input can list many phases as identical.
  void count_repetition(std::size_t record) {
    if (repeated_ != record) {
      repeated_ = record;
      record_bytes_ = 0;
      emit_json(rank_.phases[record], tables_,
                [this](std::string_view text) { record_bytes_ += text.size(); });
    }
    repeated_bytes_ += record_bytes_;
    if (repeated_bytes_ <= options_.limits.max_bytes) return;
    throw support::bad_input(fmt::format("the identical phases, written in full, exceed the limit of {}",
                                         support::format_bytes(options_.limits.max_bytes)),
                             name_, "select fewer phases, or increase the maximum size");
  }

  RankMetadata metadata() {
    RankMetadata metadata = rank_.metadata;
    const bool keeps_phases = options_.phases.is_all() && options_.phase_offset == 0 &&
                              options_.identical == IdenticalPhases::as_found;
    if (keeps_phases || (!metadata.phases && identical_.empty() && skipped_.empty())) return metadata;
    for_each_phase(listed_.skipped.ranges(), [this](std::int64_t phase) { skip(phase); });
    PhaseMetadata phases{.count = std::nullopt, .skipped = {}, .identical_to_previous = identical_};
    for_each_phase(joined(std::move(skipped_)), [&](std::int64_t phase) { phases.skipped.append(phase); });
    if (listed_.count) {
      phases.count = 0;
      for (const PhaseNumbers* numbers : {&plan_.with_data, &phases.skipped})
        for (const PhaseRange& range : numbers->ranges()) *phases.count += range.size();
    }
    metadata.phases = std::move(phases);
    if (!metadata.present) metadata.type = "LBDatafile";
    metadata.present = true;
    return metadata;
  }

  const RankData& rank_;
  const RecordTables& tables_;
  const ConvertOptions& options_;
  const std::string& name_;
  PhaseMetadata listed_;  // lists of the input
  PhasePlan plan_;
  PhaseNumbers identical_;
  std::vector<PhaseRange> skipped_;
  std::string previous_content_;
  std::optional<std::size_t> repeated_;  // record whose size is record_bytes_
  std::uint64_t record_bytes_ = 0;
  std::uint64_t repeated_bytes_ = 0;
};

}  // namespace

PhasePlan plan_phases(const RankData& rank, const RecordTables& tables, const ConvertOptions& options,
                      const std::string& name) {
  return Planner(rank, tables, options, name).plan();
}

void write_phases(RankData& rank, const RecordTables& tables, PhasePlan plan, support::OutputFile file,
                  bool metadata_last) {
  RankWriter writer(std::move(file), std::move(plan.metadata), tables, metadata_last);
  for (const auto& [record, id] : plan.written) {
    rank.phases[record].id = id;
    writer.write(rank.phases[record]);
  }
  writer.finish();
}

}  // namespace plimsoll::lbdata
