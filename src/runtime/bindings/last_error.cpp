#include "runtime/bindings/last_error.hpp"

#include <string>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

std::string without_digits(std::string text) {
  std::erase_if(text, [](char letter) { return letter >= '0' && letter <= '9'; });
  return text;
}

}  // namespace

LastError::~LastError() {
  if (process_ == ::getpid()) print_unchecked();
}

void LastError::set(std::string text, bool is_ours) {
  text_ = std::move(text);
  is_unchecked_ = is_ours;
}

void LastError::set_checked(std::string text) {
  set(std::move(text), false);
}

const std::string& LastError::check() {
  is_unchecked_ = false;
  return text_;
}

void LastError::print_unchecked() {
  if (!std::exchange(is_unchecked_, false)) return;
  const std::string problem = without_digits(text_);
  if (problem == printed_) return;
  printed_ = problem;
  print_("unchecked error: " + text_);
}

}  // namespace plimsoll::runtime
