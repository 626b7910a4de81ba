#include "pelayout/timing/timing_formats.hpp"

#include <algorithm>
#include <iterator>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/timing/compressed_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr std::size_t start_bytes = 4096;

/// Format of the text of one run.
struct RunFormat {
  TimingFormat format;
  bool (*recognise)(std::string_view start);
  TimingFile (*parse)(std::string_view text, const std::string& path,
                      std::optional<std::int64_t> steps_per_day);
};

constexpr RunFormat run_formats[] = {
    {TimingFormat::profile, is_timing_profile,
     [](std::string_view text, const std::string& path, std::optional<std::int64_t>) {
       return parse_timing_file(text, path);
     }},
    {TimingFormat::statistics, is_timing_statistics, parse_timing_statistics},
};

TimingFormat format_of_text(std::string_view text) {
  for (const RunFormat& known : run_formats)
    if (known.recognise(text)) return known.format;
  return is_tar(text) ? TimingFormat::archive : TimingFormat::other;
}

void read_archive(const std::string& path, const std::function<void(const RunText&)>& use) {
  bool any = false;
  for_each_tar_member(read_gzip_or_plain(path), path, [&](const std::string& name, std::string_view content) {
    const TimingFormat format = format_of_text(content);
    if (format == TimingFormat::archive || format == TimingFormat::other) return;
    any = true;
    use({.path = path + ":" + name, .text = content, .format = format});
  });
  if (!any)
    throw support::bad_input("no timing profile or GPTL statistics in the archive", path,
                             "use archives such as timing.<log id>.tar.gz with model_timing_stats");
}

}  // namespace

TimingFormat format_of(const std::string& path) {
  return format_of_text(read_start_of_gzip_or_plain(path, start_bytes));
}

void for_each_run_text(const std::string& path, TimingFormat format,
                       const std::function<void(const RunText&)>& use) {
  if (format == TimingFormat::archive) return read_archive(path, use);
  const std::string text = read_gzip_or_plain(path);
  use({.path = path, .text = text, .format = format});
}

TimingFile parse_run(const RunText& text, std::optional<std::int64_t> steps_per_day) {
  const auto* const known = std::ranges::find(run_formats, text.format, &RunFormat::format);
  const RunFormat& format = known == std::end(run_formats) ? run_formats[0] : *known;
  return format.parse(text.text, text.path, steps_per_day);
}

namespace {

constexpr std::string_view word = "_timing";
constexpr std::string_view digits = "0123456789";

/// Returns the text after "_timing" in current file names. Empty for other names.
std::string_view after_timing_word(std::string_view name) {
  const std::size_t place = name.find(word);
  if (place == 0 || place == std::string_view::npos) return {};
  return name.substr(place + word.size());
}

/// Returns the digits of "_0001" at the front of a text, which runs with several drivers have in their file
/// names; empty for other texts.
std::string_view driver_digits(std::string_view text) {
  constexpr std::size_t length = 4;
  const bool present =
      text.size() > length + 1 && text[0] == '_' && text.find_first_not_of(digits, 1) == length + 1;
  return present ? text.substr(1, length) : std::string_view{};
}

bool is_number(std::string_view text) {
  return text.find_first_not_of(digits) == std::string_view::npos;
}

}  // namespace

bool names_timing_of(std::string_view name, const std::string& case_start) {
  std::string_view rest = after_timing_word(name);
  if (const std::string_view driver = driver_digits(rest); !driver.empty())
    rest.remove_prefix(1 + driver.size());
  return name.starts_with("timing." + case_start) || rest.starts_with("." + case_start);
}

bool names_statistics(std::string_view name) {
  if (name.find("timing") == std::string_view::npos) return false;
  return name.find("_stats") != std::string_view::npos || name.ends_with(".tar.gz") ||
         name.ends_with(".tgz") || name.ends_with(".tar");
}

std::string_view run_time_in(std::string_view path) {
  constexpr std::size_t half = 6;
  const auto is_digit = [&](std::size_t place) {
    return place < path.size() && is_number(path.substr(place, 1));
  };
  for (std::size_t dash = path.rfind('-'); dash != std::string_view::npos && dash >= half;
       dash = path.rfind('-', dash - 1)) {
    const std::size_t begin = dash - half;
    const std::string_view time = path.substr(begin, 2 * half + 1);
    const bool is_whole = time.size() == 2 * half + 1 && !is_digit(begin - 1) && !is_digit(dash + half + 1);
    if (is_whole && is_number(time.substr(0, half)) && is_number(time.substr(half + 1))) return time;
  }
  return {};
}

std::int64_t driver_in(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of("/:") + 1);
  const std::string_view driver = driver_digits(after_timing_word(name));
  return support::parse_number<std::int64_t>(driver).value_or(0);
}

}  // namespace plimsoll::pelayout
