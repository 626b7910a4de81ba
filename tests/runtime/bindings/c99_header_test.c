/* Compiles only if plimsoll.h is valid C99 and needs no other header before it. */
#include <plimsoll.h>

int plimsoll_c99_header_test(plimsoll_recorder* recorder);

int plimsoll_c99_header_test(plimsoll_recorder* recorder) {
  const plimsoll_spec spec = PLIMSOLL_SPEC_INIT;
  const plimsoll_object object = plimsoll_register(recorder, 0, 0, &spec);
  plimsoll_set_integer(recorder, PLIMSOLL_PHASE, PLIMSOLL_NO_OBJECT, "a", 1);
  return object.number != 0;
}
