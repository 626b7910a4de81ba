#include "lbdata/json/json_path.hpp"

namespace plimsoll::lbdata {

std::string JsonPath::pointer() const {
  if (parent_ == nullptr) return {};
  std::string text = parent_->pointer() + '/';
  if (is_element_) return text + std::to_string(element_);
  for (const char byte : member_) {
    if (byte == '~') {
      text += "~0";
    } else if (byte == '/') {
      text += "~1";
    } else {
      text += byte;
    }
  }
  return text;
}

}  // namespace plimsoll::lbdata
