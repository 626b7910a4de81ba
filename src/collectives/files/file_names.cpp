#include "collectives/files/file_names.hpp"

#include <fmt/format.h>

#include <charconv>

#include "collectives/files/number_lists.hpp"

namespace plimsoll::collectives {

namespace {

bool skip(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

template <class Number>
bool skip_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

/// The operation whose name the text begins with, up to a separator that is skipped too.
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
  if (skip(name, "send-")) {
    result.direction = Direction::send;
  } else if (skip(name, "recv-")) {
    result.direction = Direction::recv;
  } else {
    return std::nullopt;
  }
  if (skip(name, "counters")) {
    result.content = Content::counts;
  } else if (skip(name, "displs")) {
    result.content = Content::displacements;
  } else {
    return std::nullopt;
  }
  const bool rest = skip(name, ".job") && skip_number(name, result.job) && skip(name, ".rank") &&
                    skip_number(name, result.rank) && name == ".txt";
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
  if (!skip(name, "counts")) return std::nullopt;
  const std::string_view separator = name.substr(0, 1);
  if (separator != "-" && separator != ".") return std::nullopt;
  skip(name, separator);
  result.operation = skip_operation(name, separator);
  const bool rest = skip(name, "rank") && skip_number(name, result.rank) && skip(name, "_call") &&
                    skip_number(name, result.call) && name == ".md" && result.call <= largest_id;
  return rest ? std::optional(result) : std::nullopt;
}

std::string ProfileFileName::to_string() const {
  return fmt::format("profile_{}_job{}.rank{}.md", operation.lower_case_name(), job, rank);
}

std::optional<ProfileFileName> ProfileFileName::parse(std::string_view name) {
  ProfileFileName result{};
  if (!skip(name, "profile_")) return std::nullopt;
  const std::optional<Operation> operation = skip_operation(name, "_job");
  if (!operation) return std::nullopt;
  result.operation = *operation;
  const bool rest =
      skip_number(name, result.job) && skip(name, ".rank") && skip_number(name, result.rank) && name == ".md";
  return rest ? std::optional(result) : std::nullopt;
}

}  // namespace plimsoll::collectives
