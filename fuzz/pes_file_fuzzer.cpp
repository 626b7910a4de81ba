// Feeds text to the reader of PE files. Accepted files must be unchanged after writing and reading them
// again. Selecting from them must terminate for any regular expressions.

#include <cstdlib>
#include <string>
#include <string_view>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/support/error.hpp>

namespace pelayout = plimsoll::pelayout;

namespace {

bool alike(const pelayout::PesEntry& a, const pelayout::PesEntry& b) {
  return a.grid == b.grid && a.machine == b.machine && a.compset == b.compset && a.pesize == b.pesize &&
         a.comment == b.comment && a.components == b.components && a.variables == b.variables;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  pelayout::PesFile file;
  try {
    file = pelayout::parse_pes_file(text, "pes.xml");
  } catch (const plimsoll::Error&) {
    return 0;
  }
  const pelayout::PesFile again = pelayout::parse_pes_file(pelayout::to_xml(file.entries), "again.xml");
  if (again.entries.size() != file.entries.size() || !again.warnings.empty()) std::abort();
  for (std::size_t k = 0; k < file.entries.size(); ++k)
    if (!alike(again.entries[k], file.entries[k])) std::abort();
  for (const pelayout::PesQuery& query :
       {pelayout::PesQuery{"a%ne30np4_l%r05_oi%oEC60to30", "anvil", "2000_EAM%CMIP6_ELM_MPASSI", "L"}, {}}) {
    try {
      pelayout::select_pes(file, query);
    } catch (const plimsoll::Error&) {
    }
  }
  return 0;
}
