#include <cstdlib>
#include <filesystem>

#include <plimsoll/pelayout/submission.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace fs = std::filesystem;

std::string absolute_folder(const std::string& folder) {
  return (fs::absolute(folder).lexically_normal() / "").parent_path().string();
}

std::string cime_scripts_folder(const std::string& root, bool must_exist) {
  std::string cime = root;
  for (const char* variable : {"CIMEROOT", "CIME_DIR"})
    if (const char* value = std::getenv(variable); cime.empty() && value != nullptr) cime = value;
  if (cime.empty())
    throw support::usage_error("the directory of CIME is not set",
                               "set CIMEROOT to the directory that contains scripts/create_newcase");
  std::string folder = absolute_folder(cime) + "/scripts";
  if (must_exist && !fs::exists(folder + "/create_newcase"))
    throw support::usage_error("CIME's create_newcase is not in " + folder,
                               "use the directory of CIME itself, which contains scripts");
  return folder;
}

}  // namespace plimsoll::pelayout
