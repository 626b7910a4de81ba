#include "runtime/output/output_files.hpp"

#include <fmt/format.h>

#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/output/output_folders.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr const char* incomplete = "the statistics file is incomplete";

}  // namespace

OutputFiles::OutputFiles(const Session& session, NodeLBData& data, std::optional<support::FolderLock> lock)
    : session_(session), data_(data), lock_(std::move(lock)) {
  if (!session.settings().lb_statistics || session.rank() != 0) return;
  write_statistics("no statistics file is written", [&] {
    statistics_ = StatisticsOutput::create(session.settings(), mpi::Environment::allows_threads());
  });
}

void OutputFiles::phase_ended(const EndedPhase& phase) {
  write([&] {
    data_.write(phase.record);
    if (lock_) lock_->touch();
  });
  write_statistics(incomplete, [&] {
    if (statistics_) statistics_->add(phase.summary);
  });
}

void OutputFiles::close() {
  if (all_have_stopped_) return;
  write([&] {
    mpi::agreed(session_.communicator(), [&] { end(); });
    publish_data_files(session_.communicator(), session_.settings(), lock_);
    data_.published();
  });
  lock_.reset();
  write_statistics(incomplete, [&] {
    if (statistics_) statistics_->close();
    statistics_.reset();
  });
}

void OutputFiles::end() {
  if (stopped_by_) throw Error(*stopped_by_);
  data_.end();
}

void OutputFiles::write(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    stop();
    if (!stopped_by_) stopped_by_ = support::current_error();
    if (session_.settings().lb_data_on_write_error == OnWriteError::stop) throw;
    failure_ = support::current_error();
  }
}

void OutputFiles::write_statistics(const char* consequence, const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    statistics_.reset();
    session_.tell(fmt::format("{}: {}", consequence, support::current_error().what()));
  }
}

void OutputFiles::act_on_all_ranks() {
  const std::optional<Error> mine = std::exchange(failure_, std::nullopt);
  stop();
  lock_.reset();
  all_have_stopped_ = true;
  try {
    mpi::agree(session_.communicator(), mine);
  } catch (const Error& error) {
    session_.tell(fmt::format("writing of LB data has stopped: {}", error.what()));
  }
}

void OutputFiles::stop() {
  data_.stop_writing();
  statistics_.reset();
}

}  // namespace plimsoll::runtime
