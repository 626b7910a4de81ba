#include <plimsoll/support/progress.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

Progress& Progress::none() {
  static Progress sink;
  return sink;
}

}  // namespace plimsoll::support
