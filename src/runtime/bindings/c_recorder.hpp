#pragma once

#include <plimsoll.h>

#include <optional>
#include <string>
#include <utility>

#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/bindings/last_error.hpp"

/// Recorder of a C or Fortran program, with its balancer, if any.
struct plimsoll_recorder {
  template <class... Arguments>
  explicit plimsoll_recorder(plimsoll::runtime::Language its_language, Arguments&&... arguments)
      : language(its_language), recorder(std::forward<Arguments>(arguments)...) {}
  plimsoll::runtime::Language language;
  plimsoll::LoadRecorder recorder;
  std::optional<plimsoll::Balancer> balancer;
  std::string data_files =
      recorder.settings().lb_data ? plimsoll::runtime::data_file_pattern(recorder.settings()) : "";
};

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Error of the last function that returned a status.
LastError& last_error();

/// Returns whether this process prints unchecked errors that concern no recorder: rank 0 of the communicator,
/// or each process if MPI is not running.
bool is_rank_0(MPI_Comm communicator);

/// Throws Error (usage). Functions for Fortran communicators call this before MPI_Init, because MPI_Comm_f2c
/// would abort.
[[noreturn]] void mpi_is_not_initialised();

/// Runs the body of a C function that returns a status.
template <class PrintsErrors, class Work>
int status_of(Language language, const PrintsErrors& prints_errors, const Work& work) {
  last_error().print_unchecked();
  try {
    work();
    return 0;
  } catch (...) {
    const Error error = support::current_error();
    last_error().set(in_language(error.what(), language), prints_errors());
    return static_cast<int>(error.kind());
  }
}

template <class Work>
int status_without_recorder(const Work& work) {
  return status_of(
      Language::c, [] { return is_rank_0(MPI_COMM_WORLD); }, work);
}

/// Passes the recorder to the body. Without a recorder, the status is 2.
template <class Work>
int status_with(plimsoll_recorder* recorder, const Work& work) {
  if (recorder == nullptr) {
    return status_without_recorder([] {
      throw support::usage_error("the recorder is not started, or already finished", "start it first");
    });
  }
  return status_of(
      recorder->language, [&] { return recorder->recorder.rank() == 0; }, [&] { work(*recorder); });
}

/// Runs the body of a C function that returns no status. Records exceptions, and does nothing without a
/// recorder.
template <class Work>
auto with(plimsoll_recorder* recorder, const Work& work) {
  using Result = decltype(work(recorder->recorder));
  if (recorder == nullptr) return Result();
  try {
    return work(recorder->recorder);
  } catch (...) {
    recorder->recorder.note(support::current_error());
    return Result();
  }
}

}  // namespace plimsoll::runtime
