#include <algorithm>
#include <queue>

#include <plimsoll/collectives/number_list.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/model/number_codes.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::take;
using support::take_number;

void append_number(std::uint64_t number, std::vector<std::uint8_t>& code) {
  for (; number >= 0x80; number >>= 7) code.push_back(static_cast<std::uint8_t>(number | 0x80));
  code.push_back(static_cast<std::uint8_t>(number));
}

void skip_blanks(std::string_view& text) {
  while (take(text, " ") || take(text, "\t")) {
  }
}

std::optional<std::uint64_t> take_number_and_blanks(std::string_view& text) {
  skip_blanks(text);
  std::uint64_t number = 0;
  if (!take_number(text, number)) return std::nullopt;
  skip_blanks(text);
  return number;
}

void append_text(NumberList::Run run, std::string& text) {
  text += std::to_string(run.first);
  if (run.last != run.first) text += '-' + std::to_string(run.last);
}

/// The runs of lists in order of their first numbers. Merges the parts of lists that ascend.
class Merge {
 public:
  void add(const NumberList& list) {
    NumberList::RunIterator begin = list.runs().begin();
    std::uint64_t length = 0;
    std::uint64_t last = 0;
    for (NumberList::RunIterator next = begin; next != NumberList::RunIterator(); ++next) {
      if (length > 0 && next->first <= last) {
        parts_.push({begin, length});
        begin = next;
        length = 0;
      }
      ++length;
      last = next->last;
    }
    if (length > 0) parts_.push({begin, length});
  }

  bool empty() const { return parts_.empty(); }
  const NumberList::Run& run() const { return *parts_.top().next; }
  void next() {
    Part part = parts_.top();
    parts_.pop();
    ++part.next;
    if (--part.runs > 0) parts_.push(part);
  }

 private:
  struct Part {
    NumberList::RunIterator next;
    std::uint64_t runs;
    bool operator<(const Part& other) const { return next->first > other.next->first; }
  };
  std::priority_queue<Part> parts_;
};

}  // namespace

NumberList NumberList::up_to(std::uint64_t count) {
  NumberList list;
  if (count > 0) list.append({0, count - 1});
  return list;
}

void NumberList::append(Run run) {
  PLIMSOLL_EXPECT(run.first <= run.last);
  size_ += run.size();
  if (has_last_ && run.first != 0 && last_.last + 1 == run.first) {
    last_.last = run.last;
    return;
  }
  if (runs_ > 0) ascends_ = ascends_ && run.first > (has_last_ ? last_.last : coded_);
  append_last_code();
  last_ = run;
  has_last_ = true;
  ++runs_;
}

void NumberList::append_last_code() {
  if (has_last_) append_code(last_);
  has_last_ = false;
}

void NumberList::append_code(Run given) {
  const std::uint64_t distance = folded_distance(given.first - coded_);
  if (distance > UINT64_MAX >> kind_bits) {
    append_number(code_of(CodeKind::far_away), code_);
    append_number(given.first, code_);
    append_number(given.last, code_);
  } else {
    append_number(code_of(given.size() == 1 ? CodeKind::single : CodeKind::run, distance), code_);
    if (given.size() != 1) append_number(given.size() - 2, code_);
  }
  coded_ = given.last;
}

void NumberList::append(const NumberList& other) {
  for (const Run& run : other.runs()) append(run);
}

void NumberList::append(const NumberList& period, std::uint64_t rounds, std::uint64_t step) {
  if (rounds == 1) return append(period);
  if (period.empty() || rounds == 0) return;
  std::vector<Run> runs(period.runs().begin(), period.runs().end());
  PLIMSOLL_EXPECT(period.ascends_ && runs.back().last - runs.front().first < step);
  if (runs.back().last + 1 != runs.front().first + step) return append_rounds(runs, rounds, step);
  // The last run of each round continues in the next one.
  if (runs.size() == 1) return append({runs[0].first, runs[0].last + (rounds - 1) * step});
  const Run first = runs.front();
  append(first);
  const std::vector<Run> last_round(runs.begin() + 1, runs.end());
  runs.erase(runs.begin());
  runs.back().last = first.last + step;
  append_rounds(runs, rounds - 1, step);
  const std::uint64_t shift = (rounds - 1) * step;
  for (const Run& run : last_round) append({run.first + shift, run.last + shift});
}

/// Appends the first and the last round run by run, because they may be joined to other runs.
void NumberList::append_rounds(std::span<const Run> period_runs, std::uint64_t rounds, std::uint64_t step) {
  const auto append_round = [&](std::uint64_t round) {
    for (const Run& run : period_runs) append({run.first + round * step, run.last + round * step});
  };
  constexpr std::uint64_t few = 4;
  if (rounds <= few) {
    for (std::uint64_t round = 0; round < rounds; ++round) append_round(round);
    return;
  }
  append_round(0);
  append_last_code();
  const std::uint64_t coded_rounds = rounds - 2;
  append_number(code_of(CodeKind::period, period_runs.size()), code_);
  append_number(coded_rounds, code_);
  append_number(step, code_);
  for (const Run& run : period_runs) {
    append_code({run.first + step, run.last + step});
    size_ += run.size() * coded_rounds;
  }
  runs_ += period_runs.size() * coded_rounds;
  coded_ += (coded_rounds - 1) * step;
  append_round(rounds - 1);
}

std::uint64_t NumberList::RunIterator::take() {
  std::uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint8_t byte = list_->code_[position_++];
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return number;
  }
}

NumberList::RunIterator& NumberList::RunIterator::operator++() {
  if (rounds_ > 0) {
    if (period_run_ == period_runs_) {
      period_run_ = 0;
      if (++round_ == rounds_) {
        rounds_ = round_ = 0;
      } else {
        position_ = period_begin_;
        number_ = period_number_ += step_;
      }
    }
    if (rounds_ > 0) {
      ++period_run_;
      take_run();
      return *this;
    }
  }
  if (position_ < list_->code_.size()) {
    take_run();
  } else if (list_->has_last_ && !is_at_last_) {
    is_at_last_ = true;
    run_ = list_->last_;
  } else {
    *this = RunIterator();
  }
  return *this;
}

void NumberList::RunIterator::take_run() {
  std::uint64_t code = take();
  if (code_kind(code) == CodeKind::period) {
    period_runs_ = code >> kind_bits;
    rounds_ = take();
    step_ = take();
    period_begin_ = position_;
    period_number_ = number_;
    period_run_ = 1;
    code = take();
  }
  if (code_kind(code) == CodeKind::far_away) {
    run_.first = take();
    run_.last = take();
    // Rounds of a period are shifted.
    run_.first += round_ * step_;
    run_.last += round_ * step_;
  } else {
    run_.first = number_ + unfolded_distance(code >> kind_bits);
    run_.last = run_.first + (code_kind(code) == CodeKind::single ? 0 : take() + 1);
  }
  number_ = run_.last;
}

NumberList NumberList::ascending() const {
  if (ascends_) return *this;
  NumberList list;
  Merge merge;
  merge.add(*this);
  for (; !merge.empty(); merge.next()) list.append(merge.run());
  return list;
}

std::optional<std::uint64_t> NumberList::first_duplicate(std::span<const NumberList* const> lists) {
  Merge merge;
  for (const NumberList* list : lists) merge.add(*list);
  std::optional<std::uint64_t> last;
  for (; !merge.empty(); merge.next()) {
    if (last && merge.run().first <= *last) return merge.run().first;
    last = merge.run().last;
  }
  return std::nullopt;
}

bool NumberList::contains(std::uint64_t number) const {
  return std::any_of(runs().begin(), runs().end(), [&](const Run& run) { return run.contains(number); });
}

std::uint64_t NumberList::front() const {
  return runs().begin()->first;
}

std::uint64_t NumberList::min() const {
  PLIMSOLL_EXPECT(!empty());
  std::uint64_t smallest = front();
  if (!ascends_)
    for (const Run& run : runs()) smallest = std::min(smallest, run.first);
  return smallest;
}

std::uint64_t NumberList::max() const {
  PLIMSOLL_EXPECT(!empty());
  std::uint64_t largest = last_.last;
  if (!ascends_)
    for (const Run& run : runs()) largest = std::max(largest, run.last);
  return largest;
}

std::uint64_t NumberList::operator[](std::uint64_t k) const {
  PLIMSOLL_EXPECT(k < size_);
  for (const Run& run : runs()) {
    if (k < run.size()) return run.first + k;
    k -= run.size();
  }
  return 0;
}

std::string NumberList::to_string(std::string_view separator) const {
  std::string text;
  format(
      false, [&](std::string_view part) { text += part; }, separator);
  return text;
}

std::string NumberList::to_short_string() const {
  std::string text;
  format(true, [&](std::string_view part) { text += part; });
  return text;
}

void NumberList::format(bool is_short, const std::function<void(std::string_view)>& add,
                        std::string_view separator) const {
  std::string part;
  bool is_first = true;
  for (RunIterator next = runs().begin(); next != RunIterator(); ++next) {
    part = is_first ? "" : separator;
    is_first = false;
    if (is_short && next.rounds_ > 0)
      append_period(next, part);
    else
      append_text(*next, part);
    add(part);
  }
}

/// Appends the text of a period, and moves to its last run in its last round.
void NumberList::append_period(RunIterator& next, std::string& text) {
  text += '[';
  append_text(*next, text);
  while (next.period_run_ < next.period_runs_) {
    ++next;
    text += ", ";
    append_text(*next, text);
  }
  text += "]*" + std::to_string(next.rounds_) + '+' + std::to_string(next.step_);
  next.number_ += (next.rounds_ - 1) * next.step_;
  next.rounds_ = 0;
}

std::optional<NumberList> NumberList::parse(std::string_view text, std::uint64_t max_size) {
  NumberList list;
  NumberList period;
  bool is_in_period = false;
  skip_blanks(text);
  while (true) {
    if (!is_in_period && take(text, "[")) is_in_period = true;
    const std::optional<std::uint64_t> first = take_number_and_blanks(text);
    if (!first) return std::nullopt;
    const std::optional<std::uint64_t> last = take(text, "-") ? take_number_and_blanks(text) : first;
    if (!last || *last < *first || *last - *first >= max_size - list.size() - period.size())
      return std::nullopt;
    (is_in_period ? period : list).append({*first, *last});
    if (is_in_period && take(text, "]")) {
      skip_blanks(text);
      const auto rounds = take(text, "*") ? take_number_and_blanks(text) : std::nullopt;
      const auto step = rounds && take(text, "+") ? take_number_and_blanks(text) : std::nullopt;
      constexpr std::uint64_t max_number = std::uint64_t{1} << 62;
      if (!step || *rounds == 0 || !period.ascends_ || period.max() - period.min() >= *step ||
          period.max() > max_number || *rounds > (max_number - period.max()) / *step + 1 ||
          *rounds > (max_size - list.size()) / period.size())
        return std::nullopt;
      list.append(std::exchange(period, {}), *rounds, *step);
      is_in_period = false;
    }
    if (text.empty() && !is_in_period) return list;
    if (!take(text, ",")) return std::nullopt;
    skip_blanks(text);
  }
}

bool operator==(const NumberList& one, const NumberList& other) {
  return one.size_ == other.size_ && one.runs_ == other.runs_ &&
         std::equal(one.runs().begin(), one.runs().end(), other.runs().begin());
}

}  // namespace plimsoll::collectives
