#include "collectives/launching/appfile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstddef>
#include <string_view>

#include <plimsoll/support/parse.hpp>

#include "collectives/launching/mpi_command.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

bool is_program(const std::string& word) {
  const std::string path = find_program(word);
  return !path.empty() && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

// A word that follows an option is its value or the program. Options after the program belong to it.
std::string* find_appfile(std::vector<std::string>& words) {
  bool has_option = false;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string& word = words[k];
    const bool is_option = word.starts_with("-");
    if ((word == "--app" || word == "-app") && k + 1 < words.size()) return &words[k + 1];
    if (!is_option && (!has_option || is_program(word))) return nullptr;
    has_option = has_option || is_option;
  }
  return nullptr;
}

// mpirun separates words by spaces only, and knows no quotes.
std::string with_changed_lines(const std::string& text,
                               const std::function<void(std::vector<std::string>&)>& change) {
  std::string changed;
  for (support::LineReader lines(text); !lines.at_end(); lines.advance()) {
    std::vector<std::string> words;
    for (const std::string_view word : support::split(lines.line().substr(0, lines.line().find('#')), ' '))
      if (!word.empty()) words.emplace_back(word);
    if (words.empty()) continue;
    change(words);
    changed += fmt::format("{}\n", fmt::join(words, " "));
  }
  return changed;
}

}  // namespace plimsoll::collectives
