/* plimsoll.h is C99, and needs nothing before it. */
#include <plimsoll.h>

int plimsoll_c99_header_test(plimsoll_recorder* recorder);

int plimsoll_c99_header_test(plimsoll_recorder* recorder) {
  const plimsoll_spec spec = plimsoll_default_spec();
  return plimsoll_register(recorder, 0, 0, &spec) != 0;
}
