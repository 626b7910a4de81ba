#include <plimsoll/collectives/number_list.hpp>

#include "collectives/model/number_codes.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Reads the codes of untrusted bytes, and follows the runs that they describe.
class CodeReader {
 public:
  explicit CodeReader(std::span<const std::uint8_t> code) : code_(code) {}

  bool at_end() const { return position_ == code_.size(); }

  std::optional<std::uint64_t> number() {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 64 && !at_end(); shift += 7) {
      const std::uint8_t byte = code_[position_++];
      if (shift == 63 && byte > 1) return std::nullopt;
      number |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return number;
    }
    return std::nullopt;
  }

  /// Reads the rest of the code of a run.
  std::optional<NumberList::Run> run(std::uint64_t code) {
    NumberList::Run run;
    if (code_kind(code) == CodeKind::far_away) {
      const auto first = number();
      const auto last = number();
      if (!first || !last) return std::nullopt;
      run = {*first, *last};
    } else {
      run.first = before_ + unfolded_distance(code >> kind_bits);
      run.last = run.first;
      if (code_kind(code) == CodeKind::run) {
        const auto more = number();
        if (!more || *more >= UINT64_MAX - run.first) return std::nullopt;
        run.last += *more + 1;
      }
    }
    if (run.last < run.first || run.size() == 0) return std::nullopt;
    before_ = run.last;
    return run;
  }

  void shift(std::uint64_t distance) { before_ += distance; }
  std::uint64_t before() const { return before_; }

 private:
  std::span<const std::uint8_t> code_;
  std::size_t position_ = 0;
  std::uint64_t before_ = 0;  // last number so far
};

/// Sums of the runs so far.
struct Totals {
  std::uint64_t size = 0;
  std::uint64_t run_count = 0;
  std::uint64_t last = 0;
  bool ascends = true;

  /// Adds a run, `rounds` times. Returns false if there are more than `max_size` numbers.
  bool add(NumberList::Run run, std::uint64_t rounds, std::uint64_t max_size) {
    if (run.size() > (max_size - size) / rounds) return false;
    ascends = ascends && (run_count == 0 || run.first > last);
    size += run.size() * rounds;
    run_count += rounds;
    last = run.last;
    return true;
  }
};

/// Reads the rest of the code of runs that repeat.
bool read_period(CodeReader& reader, std::uint64_t run_count, std::uint64_t max_size, Totals& totals) {
  const auto rounds = reader.number();
  const auto step = reader.number();
  if (!rounds || !step || *rounds == 0 || run_count == 0) return false;
  Totals of_period;
  std::uint64_t begin = 0;
  for (std::uint64_t k = 0; k < run_count; ++k) {
    const auto code = reader.number();
    if (!code || code_kind(*code) == CodeKind::period) return false;
    const auto run = reader.run(*code);
    if (!run || !of_period.add(*run, 1, max_size) || !totals.add(*run, *rounds, max_size)) return false;
    if (k == 0) begin = run->first;
  }
  if (!of_period.ascends || of_period.last - begin >= *step) return false;
  if (*rounds - 1 > (UINT64_MAX - of_period.last) / *step) return false;
  reader.shift((*rounds - 1) * *step);
  totals.last = reader.before();
  return true;
}

}  // namespace

std::optional<NumberList> NumberList::from_code(std::vector<std::uint8_t> code, Run last,
                                                std::uint64_t max_size) {
  CodeReader reader(code);
  Totals totals;
  while (!reader.at_end()) {
    const auto word = reader.number();
    if (!word) return std::nullopt;
    if (code_kind(*word) == CodeKind::period) {
      if (!read_period(reader, *word >> kind_bits, max_size, totals)) return std::nullopt;
      continue;
    }
    const auto run = reader.run(*word);
    if (!run || !totals.add(*run, 1, max_size)) return std::nullopt;
  }
  const std::uint64_t coded = totals.last;
  if (last.last < last.first || last.size() == 0 || !totals.add(last, 1, max_size)) return std::nullopt;
  NumberList list;
  list.code_ = std::move(code);
  list.last_ = last;
  list.has_last_ = true;
  list.ascends_ = totals.ascends;
  list.coded_ = coded;
  list.size_ = totals.size;
  list.runs_ = totals.run_count;
  return list;
}

}  // namespace plimsoll::collectives
