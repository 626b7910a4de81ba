// Feeds text to the importers. The first byte selects the format. Imported data sets must be valid.

#include <cstddef>
#include <cstdlib>
#include <string_view>

#include <plimsoll/lbdata/import.hpp>
#include <plimsoll/support/error.hpp>

namespace lbdata = plimsoll::lbdata;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto format = lbdata::import_formats[data[0] % std::size(lbdata::import_formats)].value;
  try {
    const lbdata::ImportedData imported = lbdata::import_text(text, "input", format);
    if (imported.dataset.ranks.empty() || imported.phases < 1 || imported.objects < 1) std::abort();
  } catch (const plimsoll::Error&) {
  }
  return 0;
}
