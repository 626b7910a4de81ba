#include "runtime/output/output_files.hpp"

#include <fmt/format.h>

#include <utility>

#include <plimsoll/mpi/error_agreement.hpp>
#include <plimsoll/support/current_error.hpp>

namespace plimsoll::runtime {

OutputFiles::OutputFiles(const Session& session, NodeLBData& data) : session_(session), data_(data) {
  if (session.settings().lb_statistics && session.rank() == 0) statistics_.emplace(session.settings());
}

void OutputFiles::phase_ended(const EndedPhase& phase) {
  write([&] {
    data_.write(phase.record);
    if (statistics_) statistics_->add(phase.summary);
  });
}

void OutputFiles::close() {
  write([&] {
    data_.close();
    if (statistics_) statistics_->close();
  });
}

void OutputFiles::write(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    stop();
    if (session_.settings().lb_data_on_write_error == OnWriteError::stop) throw;
    failure_ = support::current_error();
  }
}

void OutputFiles::act_on_all_ranks() {
  const std::optional<Error> mine = std::exchange(failure_, std::nullopt);
  stop();
  try {
    mpi::agree(session_.communicator(), mine);
  } catch (const Error& error) {
    session_.tell(fmt::format("LB data are no longer written: {}", error.what()));
  }
}

void OutputFiles::stop() {
  data_.stop_writing();
  statistics_.reset();
}

}  // namespace plimsoll::runtime
