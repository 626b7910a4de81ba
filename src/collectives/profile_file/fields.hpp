#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/number_list.hpp>

#include "collectives/files/findings.hpp"
#include "collectives/profile_file/checked_stream.hpp"

/// Fields of a profile file. A number is a LEB128: seven bits per byte, the lowest ones first. A signed
/// number is folded to a number: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... A text is the number of its bytes,
/// and these.
///
/// Arrays of numbers are coded in groups of 64 by their differences from the smallest number of the group
/// (frame of reference; Goldstein, Ramakrishnan, Shaft, "Compressing relations and indexes", ICDE 1998): this
/// number (signed), the number of bits per difference (one byte), and the differences in that many bits each,
/// the lowest bits first. Counts up to 10^5 take 17 bits, and 64 zeros two bytes.
namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Writes fields.
class FieldWriter {
 public:
  explicit FieldWriter(CheckedWriter& output) : output_(output) {}

  void number(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) output_.put(static_cast<std::byte>(number | 0x80));
    output_.put(static_cast<std::byte>(number));
  }
  void signed_number(std::int64_t number);
  /// Writes eight bytes, little endian.
  void word(std::uint64_t word);
  void text(std::string_view text);
  void list(const NumberList& list);
  void numbers(std::span<const std::int64_t> numbers);
  void numbers(std::span<const std::uint64_t> numbers);

 private:
  CheckedWriter& output_;
};

/// Maximum quotient of the numbers of an array and its bytes.
inline constexpr std::uint64_t max_numbers_per_byte = 32;

/// Reads fields. Throws the errors of CheckedReader. The memory that an array takes is limited by the size of
/// the file, and all of them together by the budget.
class FieldReader {
 public:
  /// Both must outlive this object.
  FieldReader(CheckedReader& input, Budget& budget)
      : input_(input), budget_(budget), max_list_size_(budget.left()) {}

  std::uint64_t number() {
    std::uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(input_.get());
      if (shift == 63 && byte > 1) fail("a number has more than 64 bits");
      number |= (byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
  }
  /// Returns a number up to `most`; `what` is used in errors.
  std::uint64_t number(std::uint64_t most, std::string_view what);
  std::uint32_t number32(std::string_view what) {
    return static_cast<std::uint32_t>(number(UINT32_MAX, what));
  }
  std::int64_t signed_number();
  std::uint64_t word();
  std::string text();
  /// Returns a list of numbers up to `largest`. It takes no more memory than its bytes in the file, and is
  /// not taken from the budget; the budget at first limits its length.
  NumberList list(std::uint64_t largest = UINT64_MAX);
  std::vector<std::int64_t> numbers(std::uint64_t count);
  std::vector<std::uint64_t> unsigned_numbers(std::uint64_t count);

  /// Returns an upper bound of the number of bytes that follow.
  std::uint64_t remaining() const { return input_.remaining(); }
  /// Takes numbers from the budget.
  void take(std::uint64_t numbers);
  [[noreturn]] void fail(std::string what) const { input_.fail(std::move(what)); }

 private:
  template <class Number>
  std::vector<Number> read_numbers(std::uint64_t count);

  CheckedReader& input_;
  Budget& budget_;
  std::uint64_t max_list_size_;
};

}  // namespace plimsoll::collectives
