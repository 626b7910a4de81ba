#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <system_error>

#include <plimsoll/support/error.hpp>

namespace plimsoll::support {

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "error";
}

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file;
  if (diagnostic.line) text += fmt::format(":{}", *diagnostic.line);
  if (diagnostic.byte) text += fmt::format("{}(byte {})", text.empty() ? "" : " ", *diagnostic.byte);
  if (!text.empty()) text += ": ";
  if (diagnostic.pointer)
    text += fmt::format("{}: ", diagnostic.pointer->empty() ? "/" : *diagnostic.pointer);
  text += diagnostic.what;
  if (!diagnostic.check.empty()) text += fmt::format(" [{}]", diagnostic.check);
  if (!diagnostic.suggestion.empty()) text += "; " + diagnostic.suggestion;
  return text;
}

Error::Error(ErrorKind kind, Diagnostic diagnostic)
    : std::runtime_error(to_string(diagnostic)), kind_(kind), diagnostic_(std::move(diagnostic)) {}

Error bad_input(std::string what, std::string file, std::string suggestion) {
  return {ErrorKind::bad_input,
          {.what = std::move(what), .file = std::move(file), .suggestion = std::move(suggestion)}};
}

Error usage_error(std::string what, std::string suggestion) {
  return {ErrorKind::usage, {.what = std::move(what), .suggestion = std::move(suggestion)}};
}

Error system_error(std::string what, std::string file, int errno_value, std::string suggestion) {
  what += ": " + std::generic_category().message(errno_value);
  return {ErrorKind::system,
          {.what = std::move(what), .file = std::move(file), .suggestion = std::move(suggestion)}};
}

namespace {

std::size_t edit_distance(const std::string& left, const std::string& right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const bool same = std::tolower(left[i]) == std::tolower(right[j]);
      const std::size_t substituted = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace plimsoll::support
