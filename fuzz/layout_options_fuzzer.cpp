// Feeds text to the readers of command-line input: totals, objectives, files of extra options, and command
// templates.

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/pelayout/submission.hpp>
#include <plimsoll/pelayout/sweep.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "pelayout/pes/commands.hpp"

namespace pelayout = plimsoll::pelayout;

namespace {

void check_totals(std::string_view text) {
  const std::vector<std::int64_t> totals = pelayout::parse_totals(text);
  if (totals.empty() || totals.front() < 1 || totals.size() > 100'000) std::abort();
  if (std::ranges::adjacent_find(totals, std::ranges::greater_equal()) != totals.end()) std::abort();
}

void check_objective(std::string_view text) {
  const double weight = pelayout::parse_objective(text).weight_of_time;
  if (!(weight >= 0 && weight <= 1)) std::abort();
}

void check_extra_options(std::string_view text) {
  for (const auto& [name, value] : pelayout::parse_extra_options(text, "options"))
    if (name.empty() || (name + value).find('\n') != std::string::npos) std::abort();
}

void check_template(std::string_view text) {
  const std::vector<std::string> words = pelayout::split_words(text);
  const pelayout::TemplateValues values = {{"case", "a case"}, {"pesize", "{case}"}};
  if (pelayout::fill_in(words, values, "S").size() != words.size()) std::abort();
  // Splitting the shell text returns the same words. Words with unprintable characters are written as $'...',
  // which split_words() does not read.
  const bool is_plain = std::ranges::all_of(
      words, [](const std::string& word) { return plimsoll::support::printable(word) == word; });
  if (is_plain && pelayout::split_words(pelayout::to_shell({words, ""})) != words) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto check : {check_totals, check_objective, check_extra_options, check_template}) {
    try {
      check(text);
    } catch (const plimsoll::Error&) {
    }
  }
  return 0;
}
