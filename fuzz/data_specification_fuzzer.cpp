// Feeds text to the reader of data specifications. The files of an accepted one must be readable.

#include <cstdlib>
#include <string>
#include <string_view>

#include <plimsoll/lbdata/data_specification.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/error.hpp>

namespace lbdata = plimsoll::lbdata;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  lbdata::Dataset dataset;
  try {
    dataset = lbdata::parse_data_specification(text, "spec.yaml");
  } catch (const plimsoll::Error&) {
    return 0;
  }
  for (const lbdata::RankData& rank : dataset.ranks) {
    const std::string phase = lbdata::to_json(rank.phases.at(0), lbdata::RecordTables(dataset));
    lbdata::read_text(R"({"type":"LBDatafile","phases":[)" + phase + "]}", "written");
  }
  return 0;
}
