#include "collectives/companions/companions.hpp"

namespace plimsoll::collectives {

void append_companions(const Profile&, std::vector<NamedText>&) {}
bool is_companion(std::string_view) { return false; }
bool names_job(std::string_view) { return false; }
void read_companion(const std::string&, std::string_view, std::string_view, Profile&,
                    std::vector<Diagnostic>&, const ReadLimits&) {}

}  // namespace plimsoll::collectives
