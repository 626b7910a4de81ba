// A recorder and its phases in the C interface, plimsoll.h.

#include "runtime/bindings/c_recorder.hpp"

#include <plimsoll.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "runtime/configuration/setting_table.hpp"

using namespace plimsoll;
using namespace plimsoll::runtime;

namespace plimsoll::PLIMSOLL_ABI::runtime {

LastError& last_error() {
  static LastError error([](const std::string& text) { support::say(text); });
  return error;
}

bool is_rank_0(MPI_Comm communicator) {
  if (!mpi::initialised() || mpi::finalised()) return support::may_be_rank_0();
  int rank = 0;
  MPI_Comm_rank(communicator == MPI_COMM_NULL ? MPI_COMM_WORLD : communicator, &rank);
  return rank == 0;
}

void mpi_is_not_initialised() {
  throw support::usage_error("MPI is not initialised", "call MPI_Init first");
}

}  // namespace plimsoll::runtime

namespace {

ProgramDefaults& program_defaults() {
  static ProgramDefaults defaults;
  return defaults;
}

int start(plimsoll_recorder** recorder, Language language, MPI_Comm communicator, int* argc, char** argv) {
  if (recorder != nullptr) *recorder = nullptr;
  const auto work = [&] {
    if (recorder == nullptr)
      throw support::usage_error("plimsoll_start() called without a place for the recorder",
                                 "pass the address of a plimsoll_recorder*");
    int none = 0;
    char* no_words[] = {nullptr};
    const bool has_words = argc != nullptr && argv != nullptr;
    Settings defaults = program_defaults().settings();
    defaults.sink = [language](std::string_view text) { support::say(in_language(text, language)); };
    *recorder = new plimsoll_recorder(language, has_words ? *argc : none, has_words ? argv : no_words,
                                      communicator, defaults);
  };
  return status_of(
      language, [communicator] { return is_rank_0(communicator); }, work);
}

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

int plimsoll_set_default(const char* name, const char* value) {
  return status_without_recorder([&] {
    if (name == nullptr || value == nullptr)
      throw support::usage_error("the name or the value of a setting is NULL", "specify strings");
    program_defaults().set(name, value);
  });
}

int plimsoll_start(plimsoll_recorder** recorder, MPI_Comm communicator, int* argc, char** argv) {
  return start(recorder, Language::c, communicator, argc, argv);
}

int plimsoll_start_fortran(plimsoll_recorder** recorder, MPI_Fint communicator, int* argc, char** argv) {
  if (mpi::initialised()) return start(recorder, Language::fortran, MPI_Comm_f2c(communicator), argc, argv);
  *recorder = nullptr;
  return status_without_recorder(&mpi_is_not_initialised);
}

int plimsoll_finish(plimsoll_recorder** recorder) {
  if (recorder == nullptr || *recorder == nullptr) return 0;
  const std::unique_ptr<plimsoll_recorder> owner(std::exchange(*recorder, nullptr));
  return status_with(owner.get(), [](plimsoll_recorder& self) { self.recorder.close(); });
}

const char* plimsoll_error_message(void) {
  return last_error().check().c_str();
}

const char* plimsoll_data_files(const plimsoll_recorder* recorder) {
  return recorder == nullptr ? "" : recorder->data_files.c_str();
}

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
