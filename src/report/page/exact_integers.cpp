#include <algorithm>

#include <plimsoll/report/html_page.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

bool is_rounded_by_javascript(std::string_view number) {
  constexpr std::string_view max_exact = "9007199254740992";  // 2^53
  if (number.starts_with('-')) number.remove_prefix(1);
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return false;  // no integer
  return number.size() > max_exact.size() || (number.size() == max_exact.size() && number > max_exact);
}

/// Returns the length of the string with which the text begins, including its quotes.
std::size_t length_of_string(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return end + 1;
}

}  // namespace

std::string with_exact_integers(std::string_view json) {
  std::string result;
  while (!json.empty()) {
    const std::size_t other = std::min(json.find_first_of("\"-0123456789"), json.size());
    result += json.substr(0, other);
    json.remove_prefix(other);
    if (json.empty()) break;
    const bool is_string = json.front() == '"';
    const std::size_t length = is_string ? length_of_string(json) : json.find_first_not_of("+-.0123456789eE");
    const std::string_view token = json.substr(0, length);
    const char* const quote = !is_string && is_rounded_by_javascript(token) ? "\"" : "";
    result.append(quote).append(token).append(quote);
    json.remove_prefix(token.size());
  }
  return result;
}

}  // namespace plimsoll::report
