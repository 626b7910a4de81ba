#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

namespace plimsoll::collectives {

/// Gathers text and numbers, and hands them on in large pieces: what a call per number would cost is more
/// than the numbers do. Whatever is left goes by drain().
class TextOutput {
 public:
  using Sink = std::function<void(std::string_view)>;
  explicit TextOutput(Sink sink) : sink_(std::move(sink)) {}

  void append(std::string_view text) {
    if (text.size() > buffer_.size() - used_) drain();
    if (text.size() > buffer_.size()) return sink_(text);
    used_ += text.copy(buffer_.data() + used_, text.size());
  }

  void append(std::integral auto number) {
    constexpr std::size_t longest = 20;  // -9223372036854775808
    if (buffer_.size() - used_ < longest) drain();
    char* const begin = buffer_.data() + used_;
    used_ = static_cast<std::size_t>(std::to_chars(begin, begin + longest, number).ptr - buffer_.data());
  }

  /// Each number and a blank.
  template <class Numbers>
  void append_row(const Numbers& numbers) {
    for (const auto number : numbers) {
      if (number < 0 || number > 9) {
        append(number);
        append(" ");
      } else {
        const char digit_and_blank[] = {static_cast<char>('0' + number), ' '};
        append(std::string_view(digit_and_blank, 2));
      }
    }
    append("\n");
  }

  void drain() {
    if (used_ > 0) sink_({buffer_.data(), std::exchange(used_, 0)});
  }

 private:
  Sink sink_;
  std::array<char, 65536> buffer_;
  std::size_t used_ = 0;
};

}  // namespace plimsoll::collectives
