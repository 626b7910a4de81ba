#include <plimsoll/pelayout/scaling_model.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

ModelKind model_kind(std::string_view) {
  throw support::usage_error("unfinished");
}
const char* to_string(ModelKind) {
  throw support::usage_error("unfinished");
}
bool ScalingModel::extrapolates(std::int64_t) const {
  throw support::usage_error("unfinished");
}
std::unique_ptr<ScalingModel> make_scaling_model(ModelKind, const Component&, std::int64_t, std::int64_t) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
