#include "collectives/files/file_names.hpp"

#include <fmt/format.h>

#include <plimsoll/support/parse.hpp>

#include "collectives/files/call_list.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::take;
using support::take_number;

/// Removes an operation's name and the following separator from the front of the text, and returns the
/// operation.
std::optional<Operation> skip_operation(std::string_view& text, std::string_view separator) {
  const std::size_t end = text.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::optional<Operation> operation = Operation::named(text.substr(0, end));
  if (operation) text.remove_prefix(end + separator.size());
  return operation;
}

}  // namespace

std::string BlocksFileName::to_string() const {
  return fmt::format("{}-{}.job{}.rank{}.txt", direction == Direction::send ? "send" : "recv",
                     content == Content::counts ? "counters" : "displs", job, rank);
}

std::optional<BlocksFileName> BlocksFileName::parse(std::string_view name) {
  BlocksFileName result{};
  if (take(name, "send-")) {
    result.direction = Direction::send;
  } else if (take(name, "recv-")) {
    result.direction = Direction::recv;
  } else {
    return std::nullopt;
  }
  if (take(name, "counters")) {
    result.content = Content::counts;
  } else if (take(name, "displs")) {
    result.content = Content::displacements;
  } else {
    return std::nullopt;
  }
  const bool rest = take(name, ".job") && take_number(name, result.job) && take(name, ".rank") &&
                    take_number(name, result.rank) && name == ".txt";
  return rest ? std::optional(result) : std::nullopt;
}

std::string CallFileName::to_string(bool dotted) const {
  const char separator = dotted ? '.' : '-';
  std::string name = "counts";
  if (operation) name += separator + operation->lower_case_name();
  return fmt::format("{}{}rank{}_call{}.md", name, separator, rank, call);
}

std::optional<CallFileName> CallFileName::parse(std::string_view name) {
  CallFileName result{};
  if (!take(name, "counts")) return std::nullopt;
  const std::string_view separator = name.substr(0, 1);
  if (separator != "-" && separator != ".") return std::nullopt;
  take(name, separator);
  result.operation = skip_operation(name, separator);
  const bool rest = take(name, "rank") && take_number(name, result.rank) && take(name, "_call") &&
                    take_number(name, result.call) && name == ".md" && result.call <= largest_id;
  return rest ? std::optional(result) : std::nullopt;
}

std::string ProfileFileName::to_string() const {
  return fmt::format("profile_{}_job{}.rank{}.md", operation.lower_case_name(), job, rank);
}

std::optional<ProfileFileName> ProfileFileName::parse(std::string_view name) {
  ProfileFileName result{};
  if (!take(name, "profile_")) return std::nullopt;
  const std::optional<Operation> operation = skip_operation(name, "_job");
  if (!operation) return std::nullopt;
  result.operation = *operation;
  const bool rest =
      take_number(name, result.job) && take(name, ".rank") && take_number(name, result.rank) && name == ".md";
  return rest ? std::optional(result) : std::nullopt;
}

}  // namespace plimsoll::collectives
