#include "interpose/lifecycle/shared_settings.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <plimsoll/support/hash.hpp>

#include "interpose/lifecycle/packed_values.hpp"
#include "interpose/lifecycle/roll_call.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

std::string working_folder() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

std::string text_of(const SharedSettings& settings) {
  Packer pack;
  pack(settings.folder);
  for (const auto& [name, value] : settings.variables) {
    pack(name);
    pack(value);
  }
  return pack.take();
}

void read_text(std::string_view bytes, SharedSettings& settings) {
  Unpacker unpack(bytes);
  unpack(settings.folder);
  while (!unpack.is_empty()) {
    std::string name;
    unpack(name);
    unpack(settings.variables[name]);
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
