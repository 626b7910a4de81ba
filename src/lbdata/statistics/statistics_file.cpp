#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "lbdata/reading/document_parser.hpp"
#include "lbdata/writing/data_set_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

struct IsDataFile {};

class UntilType : public RecordSink {
 public:
  void metadata_so_far(const RankMetadata& metadata) override {
    if ((metadata.type ? metadata.type : metadata.top_level_type) == "LBStatsfile") throw IsStatisticsFile{};
    if (metadata.type) throw IsDataFile{};
  }
  void begin_phase(RecordPlace) override { throw IsDataFile{}; }
};

enum class Type { unknown, data, statistics };

Type type_of(const std::string& path, const support::SizeLimits& limits) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return Type::unknown;
  support::TextSource source(path, data_file_format, limits);
  UntilType records;
  try {
    DocumentParser(
        source, SchemaVersion::current, [](Diagnostic&&, bool) {}, records)
        .parse_data_file();
  } catch (const IsStatisticsFile&) {
    return Type::statistics;
  } catch (const IsDataFile&) {
    return Type::data;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
  }
  return Type::unknown;
}

class StatisticsRecords : public RecordSink {
 public:
  void statistics(StatisticsRecord&& record) override { records.push_back(std::move(record)); }
  std::vector<StatisticsRecord> records;
};

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

void append_reason(support::JsonWriter& json, const NotBalanced& reason) {
  json.begin_object();
  for (const auto& [name, value] : reason.numbers) json.member(name, value);
  json.member("reason", reason.reason).member("text", reason.text);
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

RecordedStatistics recorded(const Statistics& statistics) {
  return {.average = statistics.average(),
          .count = static_cast<double>(statistics.count()),
          .imbalance = statistics.imbalance(),
          .kurtosis = statistics.kurtosis(),
          .maximum = statistics.maximum(),
          .minimum = statistics.minimum(),
          .nonzero_count = static_cast<double>(statistics.nonzero_count()),
          .skewness = statistics.skewness(),
          .standard_deviation = statistics.standard_deviation(),
          .sum = statistics.sum(),
          .variance = statistics.variance()};
}

bool is_statistics_file(const std::string& path, const support::SizeLimits& limits) {
  return type_of(path, limits) == Type::statistics;
}

bool is_data_file(const std::string& path, const support::SizeLimits& limits) {
  return type_of(path, limits) == Type::data;
}

bool is_readable_statistics_file(const std::string& path) {
  try {
    return is_statistics_file(path);
  } catch (const Error&) {
    return false;
  }
}

std::vector<StatisticsRecord> read_statistics_file(const std::string& path,
                                                   const support::SizeLimits& limits) {
  const OpenSource open = [&] { return support::TextSource(path, data_file_format, limits); };
  support::TextSource source = open();
  const FindingSink findings = [](Diagnostic&& finding, bool readable) {
    if (!readable) throw Error(ErrorKind::bad_input, std::move(finding));
  };
  StatisticsRecords result;
  try {
    DocumentParser(source, SchemaVersion::current, findings, result).parse_statistics_file();
  } catch (const Error& error) {
    const bool is_cut = dynamic_cast<const support::TruncatedError*>(&error) != nullptr;
    if (is_cut && path.ends_with(".partial")) return std::move(result.records);
    Diagnostic diagnostic = error.diagnostic();
    if (diagnostic.file.empty()) diagnostic.file = path;
    add_line_numbers(open, {&diagnostic});
    if (diagnostic.suggestion.empty()) diagnostic.suggestion = "use 'plimsoll validate' to list all errors";
    throw Error(error.kind(), std::move(diagnostic));
  }
  return std::move(result.records);
}

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
  if (phase.not_balanced) append_reason(json.key("not balanced"), *phase.not_balanced);
  if (phase.post_lb) append_statistics(json.key("post-LB"), *phase.post_lb);
  append_statistics(json.key("pre-LB"), phase.pre_lb);
  json.end_object();
  return text;
}

}  // namespace plimsoll::lbdata
