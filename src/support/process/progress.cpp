#include <plimsoll/support/progress.hpp>

namespace plimsoll::inline v0_1::support {

Progress& Progress::none() {
  static Progress sink;
  return sink;
}

}  // namespace plimsoll::support
