// Feeds bytes to the reader and the validator, neither of which may crash. If the reader accepts plain text,
// simdjson must accept it as JSON too.

#include <simdjson.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/error.hpp>

namespace lbdata = plimsoll::lbdata;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  lbdata::ReadOptions options;
  options.limits.max_bytes = std::size_t{1} << 20;
  lbdata::ValidateOptions validate_options;
  validate_options.limits = options.limits;
  lbdata::validate_text(content, "input", validate_options);
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
