#include <algorithm>

#include <plimsoll/collectives/operation.hpp>

namespace plimsoll::collectives {

namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
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
  std::string wanted(name);
  std::ranges::transform(wanted, wanted.begin(), lower);
  for (std::size_t index = 0; index < count; ++index)
    if (at(index).lower_case_name() == wanted) return at(index);
  return std::nullopt;
}

}  // namespace plimsoll::collectives
