#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Buffer size that write_double() needs.
inline constexpr std::size_t max_double_chars = 32;

/// Writes a finite double in the fewest digits that read back as the same double. It always writes a fraction
/// or an exponent so that JSON readers do not treat it as an integer: 1.0, 1000000.0, 1e-05, 1.5e+16.
/// nlohmann::json, and therefore vt, uses the same format. Returns the end of the text.
char* write_double(char* output, double value);

/// Appends a double in the format of write_double(). NaN and infinities, which JSON does not support, become
/// "null".
void append_double(std::string& output, double value);

/// Appends text as a JSON string with its quotes (RFC 8259). Bytes that are not UTF-8 become U+FFFD, so that
/// the result is always UTF-8. Characters for which is_printable() is false are escaped, so that a terminal
/// may show the result.
void append_json_string(std::string& output, std::string_view text);

/// Appends the name of a member to a JSON pointer (RFC 6901) for display: "/name", with '~' and '/' escaped
/// and control characters as '?'. At most the first 100 bytes of the name are appended, in whole characters.
void append_pointer_name(std::string& pointer, std::string_view name);

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
    PLIMSOLL_EXPECT(size <= capacity);
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
    PLIMSOLL_EXPECT(text.size() <= capacity - size_);
    text.copy(end(), text.size());
    size_ += text.size();
  }
  template <class Integer>
  void put_integer(Integer value) {
    PLIMSOLL_EXPECT(number_room <= capacity - size_);
    advance_to(std::to_chars(end(), end() + number_room, value).ptr);
  }
  void put_double(double value) {
    PLIMSOLL_EXPECT(number_room <= capacity - size_);
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
