#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

void contract_broken(const char* kind, const char* condition, const SourceLocation& place) {
  std::fprintf(stderr, "%s:%u: in %s: %s(%s) does not hold (a bug in Plimsoll)\n", place.file, place.line,
               place.function, kind, condition);
  std::abort();
}

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
  return printable(text);
}

Error::Error(ErrorKind kind, Diagnostic diagnostic, SourceLocation origin)
    : std::runtime_error(to_string(diagnostic)),
      kind_(kind),
      diagnostic_(std::move(diagnostic)),
      origin_(origin) {}

Error bad_input(std::string what, std::string file, std::string suggestion, SourceLocation origin) {
  return {ErrorKind::bad_input,
          {.what = std::move(what), .file = std::move(file), .suggestion = std::move(suggestion)},
          origin};
}

Error usage_error(std::string what, std::string suggestion, SourceLocation origin) {
  return {ErrorKind::usage, {.what = std::move(what), .suggestion = std::move(suggestion)}, origin};
}

Error usage_error(std::string what, std::string file, std::string suggestion, SourceLocation origin) {
  return {ErrorKind::usage,
          {.what = std::move(what), .file = std::move(file), .suggestion = std::move(suggestion)},
          origin};
}

Error system_error(std::string what, std::string file, int errno_value, std::string suggestion,
                   SourceLocation origin) {
  what += ": " + std::generic_category().message(errno_value);
  return {ErrorKind::system,
          {.what = std::move(what), .file = std::move(file), .suggestion = std::move(suggestion)},
          origin};
}

Error current_error() {
  PLIMSOLL_EXPECT(std::current_exception() != nullptr);
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::system, {.what = "out of memory"}};
  } catch (const std::exception& error) {
    return {ErrorKind::system, {.what = error.what()}};
  } catch (...) {
    return {ErrorKind::system, {.what = "an exception of unknown type"}};
  }
}

}  // namespace plimsoll::support
