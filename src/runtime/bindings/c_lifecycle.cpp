// Start and end of a recorder in the C interface, plimsoll.h.
#include <plimsoll.h>

#include <memory>
#include <string_view>
#include <utility>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "runtime/bindings/c_recorder.hpp"
#include "runtime/bindings/program_defaults.hpp"

namespace {

using plimsoll::runtime::is_rank_0;
using plimsoll::runtime::Language;
using plimsoll::runtime::last_error;
using plimsoll::runtime::ProgramDefaults;
using plimsoll::runtime::status_of;
using plimsoll::runtime::status_with;
using plimsoll::runtime::status_without_recorder;
using plimsoll::support::usage_error;

ProgramDefaults& program_defaults() {
  static ProgramDefaults defaults;
  return defaults;
}

int start(plimsoll_recorder** recorder, Language language, MPI_Comm communicator, int* argc, char** argv) {
  if (recorder != nullptr) *recorder = nullptr;
  const auto work = [&] {
    if (recorder == nullptr)
      throw plimsoll::support::usage_error("plimsoll_start() called without a place for the recorder",
                                           "pass the address of a plimsoll_recorder*");
    int none = 0;
    char* no_words[] = {nullptr};
    const bool has_words = argc != nullptr && argv != nullptr;
    plimsoll::Settings defaults = program_defaults().settings();
    defaults.sink = [language](std::string_view text) {
      plimsoll::support::say(plimsoll::runtime::in_language(text, language));
    };
    *recorder = new plimsoll_recorder(language, has_words ? *argc : none, has_words ? argv : no_words,
                                      communicator, defaults);
  };
  return status_of(
      language, [communicator] { return is_rank_0(communicator); }, work);
}

}  // namespace

extern "C" {

int plimsoll_set_default(const char* name, const char* value) {
  return status_without_recorder([&] {
    if (name == nullptr || value == nullptr)
      throw usage_error("the name or the value of a setting is NULL", "specify strings");
    program_defaults().set(name, value);
  });
}

int plimsoll_start(plimsoll_recorder** recorder, MPI_Comm communicator, int* argc, char** argv) {
  return start(recorder, Language::c, communicator, argc, argv);
}

int plimsoll_start_fortran(plimsoll_recorder** recorder, MPI_Fint communicator, int* argc, char** argv) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0) return start(recorder, Language::fortran, MPI_Comm_f2c(communicator), argc, argv);
  *recorder = nullptr;
  return status_without_recorder(&plimsoll::runtime::mpi_is_not_initialised);
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

}  // extern "C"
