#include <plimsoll/documents/examinations.hpp>

#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using support::Examination;

namespace {

bool is_fit(const DoctorInfo& info) {
  return support::is_fit(info.examinations);
}

}  // namespace

template <>
inline constexpr std::array fields<Examination> = {
    member<&Examination::subject>("what was examined"),
    member<&Examination::verdict>("`ok`, `no` or `unknown`"),
    field<&Examination::is_needed>("needed", "false if Plimsoll works without it"),
    member<&Examination::found>("facts; those that are guesses or bounds say so"),
    member<&Examination::remedy>("what to do; `null` unless `verdict` is `no`").or_null(),
};

template <>
inline constexpr std::array fields<DoctorInfo> = {
    field<is_fit>("fit", "true if all that is needed is `ok`; the exit status is then 0, else 1"),
    member<&DoctorInfo::examinations>("one per line of the text"),
};

template const Structure& structure<DoctorInfo>();

}  // namespace plimsoll::documents
