#include <plimsoll/balance/load_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

std::string ComposedModel::text(const LoadModel* bottom) const {
  if (base_.get() == bottom) return own_text();
  const std::string below = base_->text(bottom);
  const std::string own = own_text();
  const bool goes_without_saying =
      below == "NaivePersistence" || (below == "RawData" && own == "NaivePersistence");
  return goes_without_saying ? own : below + " | " + own;
}

}  // namespace plimsoll::balance
