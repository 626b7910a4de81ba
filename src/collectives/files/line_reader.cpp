#include "collectives/files/line_reader.hpp"

#include <charconv>

namespace plimsoll::collectives {

namespace {

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\r';
}

}  // namespace

void LineReader::advance() {
  if (rest_.empty()) {
    line_ = {};
    at_end_ = true;
    return;
  }
  const std::size_t end = rest_.find('\n');
  line_ = trimmed(rest_.substr(0, end));
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++number_;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text = trimmed(text.substr(beginning.size()));
  return true;
}

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace plimsoll::collectives
