#include "pelayout/pes/command_template.hpp"

#include <fmt/format.h>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n';
}

Error unfinished(std::string_view line, const char* what) {
  return support::usage_error(fmt::format("invalid command template {}: {}", support::in_quotes(line), what));
}

/// Reader of a template's words, from left to right.
class Words {
 public:
  explicit Words(std::string_view line) : line_(line) {}

  bool skip_blanks() {
    while (!at_end() && is_blank(line_[next_])) ++next_;
    return !at_end();
  }
  std::string take_word() {
    std::string word;
    while (!at_end() && !is_blank(line_[next_])) {
      if (const char letter = line_[next_]; letter == '\'' || letter == '"')
        take_quoted(word);
      else
        word += take_letter(true);
    }
    return word;
  }

 private:
  bool at_end() const { return next_ == line_.size(); }
  char take_letter(bool backslash_keeps) {
    if (backslash_keeps && line_[next_] == '\\' && ++next_ == line_.size())
      throw unfinished(line_, "the line ends after \\");
    return line_[next_++];
  }
  void take_quoted(std::string& word) {
    const char quote = line_[next_++];
    while (!at_end() && line_[next_] != quote) word += take_letter(quote == '"');
    if (at_end()) throw unfinished(line_, "missing closing quotation mark");
    ++next_;
  }

  std::string_view line_;
  std::size_t next_ = 0;
};

std::string filled_in(const std::string& word, const TemplateValues& values, const std::string& owner) {
  std::string text;
  for (std::size_t next = 0;;) {
    const std::size_t open = word.find('{', next);
    text += word.substr(next, open - next);
    if (open == std::string::npos) return text;
    const std::size_t close = word.find('}', open);
    if (close == std::string::npos)
      throw support::usage_error(
          fmt::format("missing }} in {} of the command template", support::in_quotes(word)));
    const std::string name = word.substr(open + 1, close - open - 1);
    const auto value = values.find(name);
    if (value == values.end())
      throw support::bad_input(
          fmt::format("unknown {{{}}} in the command template: {} does not set it", name, owner), {},
          "use {case}, {folder}, {pesize}, and variables of the PE file such as {NTASKS_ATM}");
    text += value->second;
    next = close + 1;
  }
}

}  // namespace

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> list;
  for (Words words(line); words.skip_blanks();) list.push_back(words.take_word());
  if (list.empty()) throw support::usage_error("the command template is empty");
  return list;
}

std::vector<std::string> fill_in(const std::vector<std::string>& words, const TemplateValues& values,
                                 const std::string& owner) {
  std::vector<std::string> arguments;
  arguments.reserve(words.size());
  for (const std::string& word : words) arguments.push_back(filled_in(word, values, owner));
  return arguments;
}

}  // namespace plimsoll::pelayout
