#include "interpose/lifecycle/shared_settings.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <plimsoll/support/hash.hpp>

#include "interpose/lifecycle/roll_call.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

std::string working_folder() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

// Joins strings that end with a null character: the directory, then names and values.
std::string text_of(const SharedSettings& settings) {
  std::string text = settings.folder + '\0';
  for (const auto& [name, value] : settings.variables) {
    text += name;
    text += '\0';
    text += value;
    text += '\0';
  }
  return text;
}

void read_text(std::string_view text, SharedSettings& settings) {
  const auto next = [&] {
    const auto end = text.find('\0');
    std::string part(text.substr(0, end));
    text.remove_prefix(end + 1);
    return part;
  };
  settings.folder = next();
  while (!text.empty()) {
    const std::string name = next();
    settings.variables[name] = next();
  }
}

}  // namespace

SharedSettings agreed_settings(MPI_Comm communicator) {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  SharedSettings settings;
  std::string text;
  if (rank == 0) {
    settings = {run_id_of_rank_0(), working_folder(), known_variables()};
    text = text_of(settings);
  }
  std::uint64_t id_and_size[] = {settings.run_id, text.size()};
  PMPI_Bcast(id_and_size, 2, MPI_UINT64_T, 0, communicator);
  text.resize(id_and_size[1]);
  PMPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, communicator);
  if (rank != 0) {
    settings.run_id = id_and_size[0];
    read_text(text, settings);
  }
  return settings;
}

SharedSettings own_settings() {
  return {support::hash_bytes(world_name()), working_folder(), known_variables()};
}

}  // namespace plimsoll::interpose
