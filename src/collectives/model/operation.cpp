#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}
std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = lower(letter);
  return result;
}
char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

}  // namespace

std::string Operation::name() const {
  std::string name = lower_case_name();
  name.front() = upper(name.front());
  return name;
}

std::string Operation::lower_case_name() const {
  constexpr const char* exchanges[] = {"alltoall", "alltoallv", "alltoallw", "allgatherv"};
  std::string name = mode == Mode::nonblocking ? "i" : "";
  if (neighborhood) name += "neighbor_";
  name += exchanges[static_cast<std::size_t>(exchange)];
  if (mode == Mode::persistent) name += "_init";
  return name;
}

std::optional<Operation> Operation::named(std::string_view name) {
  const std::string wanted = lower(name);
  for (std::size_t index = 0; index < count; ++index)
    if (at(index).lower_case_name() == wanted) return at(index);
  return std::nullopt;
}

Operation operation_named(const std::string& name) {
  const bool has_prefix = name.starts_with("MPI_") || name.starts_with("mpi_");
  const std::string wanted = lower(has_prefix ? name.substr(4) : name);
  if (const auto operation = Operation::named(wanted)) return *operation;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < Operation::count; ++k) names.push_back(Operation::at(k).name());
  throw support::unknown_name("operation", wanted, names);
}

}  // namespace plimsoll::collectives
