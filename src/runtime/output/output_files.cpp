#include "runtime/output/output_files.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/output_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

std::string local_time() {
  return fmt::format("{:%Y-%m-%d-%H-%M-%S}", fmt::localtime(std::time(nullptr)));
}

support::FolderLock lock_file(const std::filesystem::path& file, bool may_overwrite, bool may_have_threads) {
  support::OutputFile::check(file.string(), {.overwrite = may_overwrite});
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  support::make_folder(folder);
  return support::FolderLock(folder,
                             {.name = file.filename().string(), .may_have_threads = may_have_threads});
}

}  // namespace

StatisticsOutput StatisticsOutput::create(const Settings& settings, bool may_have_threads) {
  constexpr int most_names = 10'000;
  const std::string time = local_time();
  for (int number = 1;; ++number) {
    try {
      return {settings, statistics_file_path(settings, time, number), may_have_threads};
    } catch (const Error& error) {
      const bool is_taken = error.kind() == ErrorKind::usage;
      if (!is_taken || number == most_names) throw;
    }
  }
}

StatisticsOutput::StatisticsOutput(const Settings& settings, const std::string& path, bool may_have_threads)
    : phases_apart_(settings.lb_statistics_freq),
      lock_(lock_file(path, settings.lb_data_overwrite, may_have_threads)),
      writer_(path, {.compress = settings.lb_statistics_compress, .overwrite = settings.lb_data_overwrite}) {}

void StatisticsOutput::add(const PhaseSummary& summary) {
  if (summary.phase % phases_apart_ != 0) return;
  lock_.touch();
  lbdata::StatisticsPhase phase{.id = summary.phase,
                                .pre_lb = {{"Object_comm", summary.object_comm_bytes},
                                           {"Object_load_modeled", summary.object_load_modeled_s},
                                           {"Object_load_raw", summary.object_load_s},
                                           {"Rank_comm", summary.rank_comm_bytes},
                                           {"Rank_load_modeled", summary.rank_load_modeled_s},
                                           {"Rank_load_raw", summary.rank_load_s}}};
  const BalancingSummary& balancing = summary.balancing;
  if (!balancing.strategy.empty()) {
    phase.migration_count = balancing.migrations;
    phase.post_lb = phase.pre_lb;  // objects and messages are those of the phase, as in vt
    (*phase.post_lb)["Rank_load_modeled"] = balancing.rank_load_modeled_s;
    (*phase.post_lb)["Rank_load_raw"] = balancing.rank_load_s;
  }
  writer_.write(phase);
}

void StatisticsOutput::close() {
  lock_.check();
  writer_.close();
}

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

namespace {

std::string text_of(const BalancingSummary& balancing) {
  const std::string decision = support::format_seconds(balancing.decision_s);
  std::string text;
  if (balancing.migrations == 0)
    text = fmt::format("{}: no migrations, decision {}", balancing.strategy, decision);
  else
    text =
        fmt::format("{}: {} migration{}, new imbalance {:.4f}, decision {}, migration {}", balancing.strategy,
                    support::format_count(static_cast<std::uint64_t>(balancing.migrations)),
                    balancing.migrations == 1 ? "" : "s", balancing.rank_load_modeled_s.imbalance(), decision,
                    support::format_seconds(balancing.migration_s));
  if (!balancing.remark.empty()) text += ". " + balancing.remark;
  return text;
}

}  // namespace

std::string summary_line(const PhaseSummary& summary) {
  std::string line = fmt::format(
      "phase {}: {}, rank load max {}, mean {}, imbalance {:.4f}, {} objects", summary.phase,
      support::format_seconds(summary.duration_s), support::format_seconds(summary.rank_load_s.maximum()),
      support::format_seconds(summary.rank_load_s.average()), summary.rank_load_s.imbalance(),
      support::format_count(summary.object_load_s.count()));
  if (!summary.balancing.strategy.empty()) line += "; " + text_of(summary.balancing);
  return line;
}

}  // namespace plimsoll::runtime
