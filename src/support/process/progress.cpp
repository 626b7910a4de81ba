#include <plimsoll/support/progress.hpp>

namespace plimsoll::support {

Progress& Progress::none() {
  static Progress sink;
  return sink;
}

}  // namespace plimsoll::support
