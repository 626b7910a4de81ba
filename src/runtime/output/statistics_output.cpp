#include "runtime/output/statistics_output.hpp"

#include <fmt/chrono.h>

#include <ctime>
#include <filesystem>

#include <plimsoll/support/files.hpp>
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

}  // namespace plimsoll::runtime
