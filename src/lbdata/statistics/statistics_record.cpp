#include <filesystem>
#include <utility>

#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/support/error.hpp>

#include "lbdata/json/data_file_format.hpp"
#include "lbdata/json/line_numbers.hpp"
#include "lbdata/reading/document_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

class NoFindings : public FindingSink {
 public:
  void add(Diagnostic&&, bool) override {}
};

class FirstFinding : public FindingSink {
 public:
  void add(Diagnostic&& finding, bool readable) override {
    if (!readable) throw Error(ErrorKind::bad_input, std::move(finding));
  }
};

/// Exception that stops the search for the type.
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

/// Reads a file up to its type or its first phase.
Type type_of(const std::string& path, const support::SizeLimits& limits) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return Type::unknown;
  support::TextSource source(path, data_file_format, limits);
  NoFindings findings;
  UntilType records;
  try {
    DocumentParser(source, SchemaVersion::current, findings, records).parse_data_file();
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
  FirstFinding findings;
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

}  // namespace plimsoll::lbdata
