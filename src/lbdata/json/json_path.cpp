#include "lbdata/json/json_path.hpp"

#include <plimsoll/support/json_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

std::string JsonPath::pointer() const {
  if (parent_ == nullptr) return {};
  std::string text = parent_->pointer();
  if (is_element_) return text + '/' + std::to_string(element_);
  support::append_pointer_name(text, member_);
  return text;
}

}  // namespace plimsoll::lbdata
