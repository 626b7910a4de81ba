#include "collectives/model/packed_words.hpp"

#include <algorithm>
#include <bit>

#include "collectives/model/range_coder.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr int step_bits = 32;
constexpr int width_bits = 6;

/// Encodes and decodes have the same steps: `Coder` has a function code(bit, model...) that returns the bit.
struct Encoding {
  RangeEncoder coder;
  bool code(bool bit, BitModel& model) {
    coder.encode(bit, model);
    return bit;
  }
  bool code(bool bit) {
    coder.encode(bit);
    return bit;
  }
};

struct Decoding {
  RangeDecoder coder;
  bool code(bool /*bit*/, BitModel& model) { return coder.decode(model); }
  bool code(bool /*bit*/) { return coder.decode(); }
};

template <class Coder>
class WordCoder {
 public:
  explicit WordCoder(Coder coder) : coder_(std::move(coder)) {}

  /// Codes the range of steps.
  void begin(std::uint64_t smallest, std::uint64_t largest) {
    next_new_ = smallest_ = plain(smallest, step_bits);
    width_ = std::min(step_bits, static_cast<int>(plain(std::bit_width(largest - smallest), width_bits)));
    // More models than words would never learn.
    modelled_bits_ = std::min(width_, 12);
    models_.resize(std::size_t{1} << modelled_bits_);
  }

  std::uint64_t word(std::uint64_t word) {
    if (!coder_.code(word % 2 == 1, is_repetition_)) return 2 * step(word / 2 - 1) + 2;
    return 2 * number(word / 2) + 1;
  }
  std::uint64_t count(std::uint64_t count) { return number(count); }
  Coder& coder() { return coder_; }

 private:
  std::uint64_t step(std::uint64_t step) {
    // Steps are numbered in order of their first use.
    if (coder_.code(step == next_new_, is_new_)) return next_new_++;
    const std::uint64_t difference = step - smallest_;
    std::uint64_t coded = 0;
    std::size_t node = 1;
    for (int bit = width_ - 1; bit >= width_ - modelled_bits_; --bit) {
      const bool value = coder_.code((difference >> bit & 1) != 0, models_[node]);
      node = 2 * node + (value ? 1 : 0);
      coded = 2 * coded + (value ? 1 : 0);
    }
    return smallest_ + (coded << (width_ - modelled_bits_) | plain(difference, width_ - modelled_bits_));
  }

  /// Codes a number as the number of its bits, and these.
  std::uint64_t number(std::uint64_t number) {
    return plain(number, static_cast<int>(plain(std::bit_width(number), width_bits)));
  }

  std::uint64_t plain(std::uint64_t number, int bits) {
    std::uint64_t coded = 0;
    for (int bit = bits - 1; bit >= 0; --bit)
      coded = 2 * coded + (coder_.code((number >> bit & 1) != 0) ? 1 : 0);
    return coded;
  }

  Coder coder_;
  std::uint64_t smallest_ = 0;
  int width_ = 0;
  int modelled_bits_ = 0;
  std::uint64_t next_new_ = 0;
  BitModel is_repetition_;
  BitModel is_new_;
  std::vector<BitModel> models_;
};

}  // namespace

std::vector<std::byte> pack(std::span<const std::uint64_t> words) {
  std::uint64_t smallest = UINT32_MAX;
  std::uint64_t largest = 0;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] % 2 == 1) {
      ++k;
      continue;
    }
    smallest = std::min(smallest, words[k] / 2 - 1);
    largest = std::max(largest, words[k] / 2 - 1);
  }
  WordCoder<Encoding> coder({});
  coder.begin(std::min(smallest, largest), largest);
  for (std::size_t k = 0; k < words.size(); ++k)
    if (coder.word(words[k]) % 2 == 1 && ++k < words.size()) coder.count(words[k]);
  return coder.coder().coder.finish();
}

void unpack(std::span<const std::byte> bytes, std::uint32_t count, std::vector<std::uint64_t>& words) {
  WordCoder<Decoding> coder({RangeDecoder(bytes)});
  coder.begin(0, 0);
  for (std::uint32_t k = 0; k < count; ++k) {
    words.push_back(coder.word(0));
    if (words.back() % 2 == 1 && ++k < count) words.push_back(coder.count(0));
  }
}

}  // namespace plimsoll::collectives
