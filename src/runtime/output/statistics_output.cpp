#include "runtime/output/statistics_output.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace plimsoll::inline v0_1::runtime {

namespace {

std::string local_time() {
  return fmt::format("{:%Y-%m-%d-%H-%M-%S}", fmt::localtime(std::time(nullptr)));
}

}  // namespace

StatisticsOutput::StatisticsOutput(const Settings& settings)
    : phases_apart_(settings.lb_statistics_freq),
      writer_(statistics_file_path(settings, local_time()),
              {.compress = settings.lb_statistics_compress, .overwrite = settings.lb_data_overwrite}) {}

void StatisticsOutput::add(const PhaseSummary& summary) {
  if (summary.phase % phases_apart_ != 0) return;
  writer_.write({.id = summary.phase,
                 .pre_lb = {{"Object_comm", summary.object_comm_bytes},
                            {"Object_load_modeled", summary.object_load_modeled_s},
                            {"Object_load_raw", summary.object_load_s},
                            {"Rank_comm", summary.rank_comm_bytes},
                            {"Rank_load_modeled", summary.rank_load_modeled_s},
                            {"Rank_load_raw", summary.rank_load_s}}});
}

void StatisticsOutput::close() {
  writer_.close();
}

}  // namespace plimsoll::runtime
