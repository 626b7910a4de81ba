#include <plimsoll/pelayout/prediction.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

double ComponentPrediction::error() const {
  throw support::usage_error("unfinished");
}
Prediction predict(const Planner&, const TimingFile&) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
