// Feeds bytes to the repair of files. All repaired files must be valid according to the schema.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/error.hpp>

namespace lbdata = plimsoll::lbdata;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const std::string input = std::filesystem::temp_directory_path() / "plimsoll-repair-fuzzer.partial";
  static const std::string output = std::filesystem::temp_directory_path() / "plimsoll-repair-fuzzer.json";
  std::ofstream(input, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    lbdata::repair(input,
                   {.output = output, .overwrite = true, .limits = {.max_bytes = std::size_t{1} << 20}});
  } catch (const plimsoll::Error&) {
    return 0;
  }
  lbdata::ValidateOptions schema;
  schema.checks.clear();
  if (!lbdata::validate({{0, output}}, schema).valid()) std::abort();
  return 0;
}
