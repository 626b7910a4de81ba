#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Probability that the next bit is 0, learnt from the bits so far.
class BitModel {
 public:
  static constexpr int total_bits = 12;

  std::uint32_t of_zero() const { return of_zero_; }
  void learn(bool bit) {
    constexpr int slowness = 5;
    if (bit)
      of_zero_ = static_cast<std::uint16_t>(of_zero_ - (of_zero_ >> slowness));
    else
      of_zero_ = static_cast<std::uint16_t>(of_zero_ + (((1U << total_bits) - of_zero_) >> slowness));
  }

 private:
  std::uint16_t of_zero_ = 1U << (total_bits - 1);
};

/// Encodes bits in about as many bits as their entropy. Sources: Martin, "Range encoding: an algorithm for
/// removing redundancy from a digitised message" (1979); the binary form with adaptive models and delayed
/// carries is that of LZMA (Pavlov).
class RangeEncoder {
 public:
  void encode(bool bit, BitModel& model) {
    const std::uint32_t bound = (range_ >> BitModel::total_bits) * model.of_zero();
    choose(bit, bound);
    model.learn(bit);
  }
  /// Encodes a bit that is equally likely to be 0 or 1.
  void encode(bool bit) { choose(bit, range_ >> 1); }

  std::vector<std::byte> finish() {
    for (int k = 0; k < 5; ++k) shift();
    return std::move(bytes_);
  }

 private:
  void choose(bool bit, std::uint32_t bound) {
    if (bit) {
      low_ += bound;
      range_ -= bound;
    } else {
      range_ = bound;
    }
    while (range_ < 1U << 24) {
      range_ <<= 8;
      shift();
    }
  }

  // Writes the highest byte, unless a later carry may still change it.
  void shift() {
    if (low_ < 0xff000000U || low_ > UINT32_MAX) {
      const auto carry = static_cast<std::uint8_t>(low_ >> 32);
      if (has_highest_) bytes_.push_back(static_cast<std::byte>(highest_ + carry));
      for (; pending_ > 0; --pending_) bytes_.push_back(static_cast<std::byte>(0xff + carry));
      highest_ = static_cast<std::uint8_t>(low_ >> 24);
      has_highest_ = true;
    } else {
      ++pending_;
    }
    low_ = (low_ & 0x00ffffffU) << 8;
  }

  std::uint64_t low_ = 0;
  std::uint32_t range_ = UINT32_MAX;
  std::uint8_t highest_ = 0;
  bool has_highest_ = false;
  std::uint64_t pending_ = 0;
  std::vector<std::byte> bytes_;
};

/// Decodes what a RangeEncoder with the same models encoded. Other bytes decode to arbitrary bits.
class RangeDecoder {
 public:
  explicit RangeDecoder(std::span<const std::byte> bytes) : bytes_(bytes) {
    for (int k = 0; k < 4; ++k) code_ = code_ << 8 | next_byte();
  }

  bool decode(BitModel& model) {
    const bool bit = choose((range_ >> BitModel::total_bits) * model.of_zero());
    model.learn(bit);
    return bit;
  }
  bool decode() { return choose(range_ >> 1); }

 private:
  bool choose(std::uint32_t bound) {
    const bool bit = code_ >= bound;
    if (bit) {
      code_ -= bound;
      range_ -= bound;
    } else {
      range_ = bound;
    }
    while (range_ < 1U << 24) {
      range_ <<= 8;
      code_ = code_ << 8 | next_byte();
    }
    return bit;
  }

  std::uint32_t next_byte() {
    return position_ < bytes_.size() ? static_cast<std::uint32_t>(bytes_[position_++]) : 0;
  }

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  std::uint32_t code_ = 0;
  std::uint32_t range_ = UINT32_MAX;
};

}  // namespace plimsoll::collectives
