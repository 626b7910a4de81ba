#include <fmt/format.h>

#include <cmath>
#include <utility>

#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "lbdata/writing/output_options.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

// Text written together with the first phase: an empty file is useless, and the next run may replace it.
constexpr std::string_view begin = R"({"metadata":{"type":"LBStatsfile"},"phases":[)";

void append_statistics(support::JsonWriter& json, const NamedStatistics& all) {
  json.begin_object();
  for (const auto& [name, statistics] : all) {
    json.key(name).begin_object();
    for (const auto& [quantity, value] : statistics.quantities()) json.member(quantity, value);
    json.end_object();
  }
  json.end_object();
}

void check_finite(const NamedStatistics& all, std::int64_t phase, const std::string& file) {
  for (const auto& [name, statistics] : all) {
    for (const auto& [quantity, value] : statistics.quantities()) {
      if (std::isfinite(value)) continue;
      throw support::bad_input(fmt::format("phase {}: {} of {} is not finite", phase, quantity, name), file,
                               "check the loads for values that are not finite or too large to be summed");
    }
  }
}

}  // namespace

StatisticsFileWriter::StatisticsFileWriter(std::string path, const WriteOptions& options)
    : file_(std::move(path), output_options(options)) {}

void StatisticsFileWriter::write(const StatisticsPhase& phase) {
  check_finite(phase.pre_lb, phase.id, file_.path());
  if (phase.post_lb) check_finite(*phase.post_lb, phase.id, file_.path());
  file_.write(std::exchange(has_phase_, true) ? "," : begin);
  file_.write(to_json(phase));
  file_.flush();
}

void StatisticsFileWriter::close() {
  if (!has_phase_) file_.write(begin);
  file_.write("]}");
  file_.close();
}

std::string to_json(const StatisticsPhase& phase) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object().member("id", phase.id);
  if (phase.migration_count) json.member("migration count", *phase.migration_count);
  if (phase.post_lb) append_statistics(json.key("post-LB"), *phase.post_lb);
  append_statistics(json.key("pre-LB"), phase.pre_lb);
  json.end_object();
  return text;
}

}  // namespace plimsoll::lbdata
