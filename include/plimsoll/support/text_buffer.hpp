#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include <plimsoll/support/json_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Buffer of fixed size that collects text and numbers, and passes them to a sink when full. Calling the sink
/// for each number would cost more than formatting it. Memory does not grow with the amount of text. append()
/// makes room itself. Functions such as put() write without a check into room reserved by make_room(), so
/// that one check serves many pieces.
class TextBuffer {
 public:
  /// Function that receives the text of a full buffer.
  using Sink = std::function<void(std::string_view)>;

  explicit TextBuffer(Sink sink) : sink_(std::move(sink)) {}

  /// Makes room for `size` bytes, up to `capacity`.
  void make_room(std::size_t size) {
    if (size > capacity - size_) drain();
  }
  /// Appends a text of any size.
  void append(std::string_view text) {
    if (text.size() > capacity) {
      drain();
      sink_(text);
      return;
    }
    make_room(text.size());
    put(text);
  }
  void append(std::integral auto number) {
    make_room(number_room);
    put_integer(number);
  }
  /// Passes the collected text to the sink; must be called at the end.
  void drain() {
    // Empty the buffer first, so that a failing sink does not get the same text again.
    const std::size_t size = std::exchange(size_, 0);
    if (size > 0) sink_({buffer_.get(), size});
  }

  // Functions that write into reserved room: reserve the size of a text, or `number_room` for a number.
  void put(std::string_view text) {
    text.copy(end(), text.size());
    size_ += text.size();
  }
  template <class Integer>
  void put_integer(Integer value) {
    advance_to(std::to_chars(end(), end() + number_room, value).ptr);
  }
  void put_double(double value) {
    // JSON supports neither NaN nor infinities.
    if (!(value - value == 0)) return put("null");
    advance_to(write_double(end(), value));
  }

  static constexpr std::size_t capacity = std::size_t{256} << 10;
  static constexpr std::size_t number_room = max_double_chars;

 private:
  char* end() { return buffer_.get() + size_; }
  void advance_to(const char* position) { size_ = static_cast<std::size_t>(position - buffer_.get()); }

  Sink sink_;
  std::unique_ptr<char[]> buffer_ = std::make_unique_for_overwrite<char[]>(capacity);
  std::size_t size_ = 0;
};

}  // namespace plimsoll::support
