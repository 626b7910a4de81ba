#pragma once

#include <plimsoll/documents/placements.hpp>

#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

template <>
inline constexpr std::array fields<LoadSource> = {
    field<&LoadSource::field>("load_field",
                              "field that was used as load (`--load`); `null` for the recorded loads")
        .or_null(),
    field<&LoadSource::model>("load_model",
                              "load model that predicts the loads, as a pipeline "
                              "([load-models.md](load-models.md)); `NaivePersistence`: measured loads"),
};

}  // namespace plimsoll::documents
