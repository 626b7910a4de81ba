#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

PesFile parse_pes_file(std::string_view, const std::string&) {
  throw support::usage_error("unfinished");
}
PesFile read_pes_file(const std::string&) {
  throw support::usage_error("unfinished");
}
PesEntry select_pes(const PesFile&, const PesQuery&) {
  throw support::usage_error("unfinished");
}
std::string to_xml(const std::vector<PesEntry>&) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
