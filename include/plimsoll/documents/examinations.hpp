#pragma once

#include <span>

#include <plimsoll/documents/description.hpp>
#include <plimsoll/support/examination.hpp>

namespace plimsoll::PLIMSOLL_ABI::documents {

/// What `plimsoll doctor` examined.
struct DoctorInfo {
  std::span<const support::Examination> examinations;
};

}  // namespace plimsoll::documents
