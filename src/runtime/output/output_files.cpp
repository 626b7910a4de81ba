#include "runtime/output/output_files.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/output_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& file) {
  const std::string folder = fs::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string name_of(const std::string& file) {
  return fs::path(file).filename().string();
}

bool shares_folder_of_rank_0(const Settings& settings, int rank) {
  return folder_of(data_file_path(settings, rank)) == folder_of(data_file_path(settings, 0));
}

support::FolderLock lock_folder(const std::string& folder, const Settings& settings) {
  support::make_folder(folder);
  return support::FolderLock(folder, {.name = lbdata::set_of_pattern(data_file_pattern(settings)),
                                      .may_have_threads = mpi::Environment::allows_threads()});
}

/// Returns the files of ranks that this run does not have, in all directories. An earlier run on more ranks
/// left them.
std::vector<std::string> files_of_higher_ranks(const Settings& settings, int ranks) {
  std::vector<std::string> files;
  for (int rank = ranks;; ++rank) {
    files.push_back(data_file_path(settings, rank));
    if (!support::identity(files.back())) break;
  }
  files.pop_back();
  return files;
}

void remove_file(const std::string& path) {
  std::error_code code;
  fs::remove(path, code);
  if (code)
    throw support::system_error("cannot remove the file of an earlier run", path, code.value(), "remove it");
}

void remove_stream(const std::string& file) {
  const std::string stream = file + ".partial";
  // Throws if another program is writing the file. While the file is open here, no other program can begin to
  // write it.
  const support::Descriptor held = support::create_file(stream, true);
  for (const std::string& path : {file + ".pending", stream}) remove_file(path);
}

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("{:%Y-%m-%d-%H-%M-%S}", local);
}

support::FolderLock lock_file(const std::filesystem::path& file, bool may_overwrite, bool may_have_threads) {
  support::OutputFile::check(file.string(), {.overwrite = may_overwrite});
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  support::make_folder(folder);
  return support::FolderLock(folder,
                             {.name = file.filename().string(), .may_have_threads = may_have_threads});
}

/// Removes the locks that killed runs have left. With %t in the name of the statistics file, no later run has
/// the same name, so that they would stay for ever.
void remove_abandoned_locks(const Settings& settings) {
  const std::string file = fs::path(settings.lb_statistics_file).filename().string();
  const std::string prefix = file.substr(0, file.find("%t"));
  if (prefix == file || prefix.empty()) return;
  const std::string folder = folder_of(statistics_file_path(settings, "", 1));
  if (!support::identity(folder)) return;
  for (const std::string& name : support::locks_in(folder)) {
    if (!name.starts_with(prefix)) continue;
    try {
      // Takes the place of a holder that has ended, and then ends itself.
      const support::FolderLock lock(folder, {.name = name, .may_have_threads = false});
    } catch (const Error&) {
      // It is in use or cannot be removed. This run uses another name.
    }
  }
}

constexpr const char* incomplete = "the statistics file is incomplete";

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
  if (balancing.migrations > 0 && balancing.predicted_price_s > 0)
    text += fmt::format(" (price {}, predicted {})", support::format_seconds(balancing.price_s),
                        support::format_seconds(balancing.predicted_price_s));
  if (!balancing.remark.empty()) text += ". " + balancing.remark;
  return text;
}

}  // namespace

std::optional<support::FolderLock> lock_output_folders(const mpi::Communicator& communicator,
                                                       const Settings& settings) {
  std::optional<support::FolderLock> lock;
  const int rank = communicator.rank();
  mpi::agreed(communicator, [&] {
    if (settings.lb_data && (rank == 0 || !shares_folder_of_rank_0(settings, rank)))
      lock = lock_folder(folder_of(data_file_path(settings, rank)), settings);
  });
  return lock;
}

void remove_streams_of_higher_ranks(const Settings& settings, int ranks) {
  if (!settings.lb_data || !settings.lb_data_overwrite) return;
  for (int rank = ranks;; ++rank) {
    const std::string file = data_file_path(settings, rank);
    const bool has_stream = support::identity(file + ".partial") || support::identity(file + ".pending");
    if (has_stream) remove_stream(file);
    if (!has_stream && !support::identity(file)) return;
  }
}

void publish_data_files(const mpi::Communicator& communicator, const Settings& settings,
                        const std::optional<support::FolderLock>& lock) {
  mpi::agreed(communicator, [&] {
    if (!lock) return;
    const int own = communicator.rank();
    std::vector<std::string> names = {name_of(data_file_path(settings, own))};
    std::vector<std::string> superseded;  // files to remove in this directory
    std::vector<std::string> elsewhere;
    if (own == 0) {
      for (int rank = 1; rank < communicator.size(); ++rank)
        if (shares_folder_of_rank_0(settings, rank)) names.push_back(name_of(data_file_path(settings, rank)));
      if (settings.lb_data_overwrite) {
        for (const std::string& path : files_of_higher_ranks(settings, communicator.size())) {
          if (folder_of(path) == lock->folder())
            superseded.push_back(name_of(path));
          else
            elsewhere.push_back(path);
        }
      }
    }
    support::publish_files(*lock, names, settings.lb_data_overwrite, superseded);
    for (const std::string& path : elsewhere) remove_file(path);
  });
}

StatisticsOutput StatisticsOutput::create(const Settings& settings, bool may_have_threads) {
  constexpr int most_names = 10'000;
  const std::string time = local_time();
  remove_abandoned_locks(settings);
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
  phase.not_balanced = balancing.not_balanced;
  writer_.write(phase);
}

void StatisticsOutput::close() {
  lock_.check();
  writer_.close();
}

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
