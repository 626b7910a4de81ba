// Phases in the C interface, plimsoll.h.
#include <plimsoll.h>

#include <cstddef>

#include <plimsoll/runtime/load_recorder.hpp>

#include "runtime/bindings/c_recorder.hpp"
#include "runtime/bindings/c_structures.hpp"

namespace {

using plimsoll::LoadRecorder;
using plimsoll::runtime::PhaseSummary;
using plimsoll::runtime::RoomyStructure;
using plimsoll::runtime::status_with;
using plimsoll::runtime::StructureName;
using plimsoll::runtime::with;
using plimsoll::runtime::write_structure;

// New members must not be placed where earlier programs have padding.
static_assert(offsetof(plimsoll_summary, migration_s) + sizeof(plimsoll_summary::migration_s) ==
              sizeof(plimsoll_summary));

constexpr StructureName summary_name = {"plimsoll_summary", "PLIMSOLL_SUMMARY_INIT"};

plimsoll_summary summary_of(const PhaseSummary& summary) {
  return {.struct_size = sizeof(plimsoll_summary),
          .phase = summary.phase,
          .total_s = summary.times.total_s,
          .objects_s = summary.times.objects_s,
          .background_s = summary.times.background_s,
          .idle_s = summary.times.idle_s,
          .duration_s = summary.duration_s,
          .rank_load_max_s = summary.rank_load_s.maximum(),
          .rank_load_mean_s = summary.rank_load_s.average(),
          .imbalance = summary.rank_load_s.imbalance(),
          .objects = summary.object_load_s.count(),
          .migrations = summary.balancing.migrations,
          .decision_s = summary.balancing.decision_s,
          .migration_s = summary.balancing.migration_s};
}

}  // namespace

extern "C" {

int plimsoll_next_phase(plimsoll_recorder* recorder, plimsoll_summary* summary) {
  return status_with(recorder, [&](plimsoll_recorder& self) {
    with(recorder, [&](LoadRecorder&) {
      if (summary != nullptr) write_structure({}, summary, summary_name);
    });
    const PhaseSummary ended = self.recorder.next_phase();
    if (summary != nullptr) write_structure(summary_of(ended), summary, summary_name);
  });
}

int64_t plimsoll_phase(const plimsoll_recorder* recorder) {
  return recorder == nullptr ? 0 : recorder->recorder.phase();
}

void plimsoll_on_phase_end(plimsoll_recorder* recorder, plimsoll_phase_end_hook hook, void* context) {
  if (hook == nullptr) return;
  with(recorder, [&](LoadRecorder& self) {
    self.on_phase_end([hook, context](const PhaseSummary& summary) {
      hook(RoomyStructure(summary_of(summary)).get(), context);
    });
  });
}

void plimsoll_on_phase_start(plimsoll_recorder* recorder, plimsoll_phase_start_hook hook, void* context) {
  if (hook == nullptr) return;
  with(recorder, [&](LoadRecorder& self) {
    self.on_phase_start([hook, context](std::int64_t phase) { hook(phase, context); });
  });
}

}  // extern "C"
