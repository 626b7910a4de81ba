#include <plimsoll/support/error.hpp>

#include "models.hpp"

namespace plimsoll::pelayout {

std::unique_ptr<ScalingModel> make_fitted_model(const Component&, std::int64_t) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
