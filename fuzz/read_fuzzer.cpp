// Feeds bytes to the reader and the validator, neither of which may crash. If the reader accepts plain text,
// simdjson must accept it as JSON too. The fast path of the parser must give the same data and findings as
// the general one.

#include <simdjson.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/error.hpp>

#include "lbdata/model/dataset_builder.hpp"
#include "lbdata/reading/document_parser.hpp"
#include "lbdata/reading/entity_numbering.hpp"

namespace lbdata = plimsoll::lbdata;

namespace {

void add(const plimsoll::Diagnostic& finding, std::string& text) {
  text +=
      finding.what + '@' + std::to_string(finding.byte.value_or(0)) + finding.pointer.value_or("-") + '\n';
}

/// Returns findings and data of a document as text.
std::string parse(std::string_view content, const plimsoll::support::SizeLimits& limits,
                  lbdata::ReadingPath path) {
  std::string text;
  const lbdata::PhaseSelection all_phases = lbdata::PhaseSelection::all();
  lbdata::DatasetBuilder builder(all_phases);
  lbdata::EntityNumbering records(builder.file().entities, builder);
  try {
    plimsoll::support::TextSource source(content, "input", lbdata::data_file_format, limits);
    lbdata::DocumentParser(
        source, lbdata::SchemaVersion::current,
        [&text](plimsoll::Diagnostic&& finding, bool) { add(finding, text); }, records, path)
        .parse_data_file();
  } catch (const plimsoll::Error& error) {
    add(error.diagnostic(), text);
  } catch (const lbdata::IsStatisticsFile&) {
    return text + "statistics";
  }
  lbdata::Dataset dataset;
  append_rank(dataset, builder.take());
  for (const lbdata::PhaseRecord& phase : dataset.ranks.front().phases)
    text += to_json(phase, lbdata::RecordTables(dataset));
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  lbdata::ReadOptions options;
  options.limits.max_bytes = std::size_t{1} << 20;
  lbdata::ValidateOptions validate_options;
  validate_options.limits = options.limits;
  lbdata::validate_text(content, "input", validate_options);
  if (parse(content, options.limits, lbdata::ReadingPath::fast) !=
      parse(content, options.limits, lbdata::ReadingPath::general))
    std::abort();
  try {
    lbdata::read_text(content, "input", options);
  } catch (const plimsoll::Error&) {
    return 0;
  }
  const bool plain = content.find_first_not_of(" \t\r\n") != std::string_view::npos &&
                     content[content.find_first_not_of(" \t\r\n")] == '{';
  simdjson::dom::parser parser;
  if (plain && parser.parse(std::string(content)).error() != simdjson::SUCCESS) std::abort();
  return 0;
}
