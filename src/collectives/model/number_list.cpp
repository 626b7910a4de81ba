#include <algorithm>

#include <plimsoll/collectives/number_list.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::take;
using support::take_number;

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

}  // namespace

NumberList NumberList::up_to(std::uint64_t count) {
  NumberList list;
  if (count > 0) list.append({0, count - 1});
  return list;
}

void NumberList::append(Run run) {
  PLIMSOLL_EXPECT(run.first <= run.last);
  size_ += run.size();
  if (!runs_.empty() && run.first != 0 && runs_.back().last + 1 == run.first) {
    runs_.back().last = run.last;
  } else {
    runs_.push_back(run);
  }
}

void NumberList::append(std::uint64_t first, std::uint64_t count, std::uint64_t step) {
  if (step == 1 && count > 0) return append({first, first + count - 1});
  for (std::uint64_t k = 0; k < count; ++k) push_back(first + k * step);
}

void NumberList::append(const NumberList& other) {
  for (const Run& run : other.runs_) append(run);
}

NumberList NumberList::ascending() const {
  std::vector<Run> runs = runs_;
  std::ranges::sort(runs, {}, &Run::first);
  NumberList list;
  for (const Run& run : runs) list.append(run);
  return list;
}

bool NumberList::contains(std::uint64_t number) const {
  return std::ranges::any_of(runs_, [&](const Run& run) { return run.contains(number); });
}

std::uint64_t NumberList::min() const {
  PLIMSOLL_EXPECT(!empty());
  return std::ranges::min(runs_, {}, &Run::first).first;
}

std::uint64_t NumberList::max() const {
  PLIMSOLL_EXPECT(!empty());
  return std::ranges::max(runs_, {}, &Run::last).last;
}

std::uint64_t NumberList::operator[](std::uint64_t k) const {
  PLIMSOLL_EXPECT(k < size_);
  for (const Run& run : runs_) {
    if (k < run.size()) return run.first + k;
    k -= run.size();
  }
  return 0;
}

std::string NumberList::to_string(std::string_view separator) const {
  std::string text;
  for (const Run& run : runs_) {
    if (!text.empty()) text += separator;
    text += std::to_string(run.first);
    if (run.last != run.first) text += '-' + std::to_string(run.last);
  }
  return text;
}

std::optional<NumberList> NumberList::parse(std::string_view text, std::uint64_t max_size) {
  NumberList list;
  skip_blanks(text);
  while (true) {
    const std::optional<std::uint64_t> first = take_number_and_blanks(text);
    if (!first) return std::nullopt;
    const std::optional<std::uint64_t> last = take(text, "-") ? take_number_and_blanks(text) : first;
    if (!last || *last < *first || *last - *first >= max_size - list.size()) return std::nullopt;
    list.append({*first, *last});
    if (text.empty()) return list;
    if (!take(text, ",")) return std::nullopt;
  }
}

}  // namespace plimsoll::collectives
