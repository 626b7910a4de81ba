#include <limits>
#include <utility>

#include <plimsoll/objects/collection_base.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

ElementBase& ElementTable::add(std::unique_ptr<ElementBase> element) {
  if (rows_.size() >= std::numeric_limits<std::uint32_t>::max() - 1)
    throw support::usage_error("too many elements of one collection on one rank", "use more ranks");
  rows_.push_back(std::move(element));
  try {
    add_to_index(static_cast<std::uint32_t>(rows_.size() - 1));
  } catch (...) {
    rows_.pop_back();
    throw;
  }
  return *rows_.back();
}

std::unique_ptr<ElementBase> ElementTable::remove(std::uint64_t number) {
  const std::uint32_t row = index_.find(support::mix_bits(number), [&](std::uint32_t k) {
    return rows_[k] != nullptr && rows_[k]->number_ == number;
  });
  if (row == Index::none) return nullptr;
  ++n_removed_;
  return std::move(rows_[row]);
}

void ElementTable::compact() {
  if (2 * n_removed_ <= rows_.size()) return;
  std::erase(rows_, nullptr);
  rows_.shrink_to_fit();
  n_removed_ = 0;
  index_.clear();
  for (std::uint32_t row = 0; row < rows_.size(); ++row) add_to_index(row);
}

void ElementTable::add_to_index(std::uint32_t row) {
  index_.insert(support::mix_bits(rows_[row]->number_), row);
}

}  // namespace plimsoll::objects
