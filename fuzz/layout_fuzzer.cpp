// Feeds text to the readers of layout expressions and layout files. An accepted expression must be unchanged
// after writing and reading it again.

#include <cstdlib>
#include <string>
#include <string_view>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/support/error.hpp>

namespace pelayout = plimsoll::pelayout;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto expect_round_trip = [](const pelayout::LayoutExpression& expression) {
    if (pelayout::parse_layout(pelayout::to_string(expression)) != expression) std::abort();
    if (pelayout::components(expression).empty()) std::abort();
  };
  try {
    expect_round_trip(pelayout::parse_layout(text));
  } catch (const plimsoll::Error&) {
  }
  try {
    expect_round_trip(pelayout::parse_layout_file(text, "layout.yaml").expression);
  } catch (const plimsoll::Error&) {
  }
  return 0;
}
