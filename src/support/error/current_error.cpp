#include <exception>
#include <new>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::system, {.what = "out of memory"}};
  } catch (const std::exception& error) {
    return {ErrorKind::system, {.what = error.what()}};
  } catch (...) {
    return {ErrorKind::system, {.what = "an exception of unknown type"}};
  }
}

}  // namespace plimsoll::support
