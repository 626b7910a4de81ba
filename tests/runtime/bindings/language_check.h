#ifndef PLIMSOLL_LANGUAGE_CHECK_H
#define PLIMSOLL_LANGUAGE_CHECK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Whether what the tests of C and Fortran have written is valid and what they have recorded. Prints what is
 * not; returns how much. */
int plimsoll_check_written(const char* folder, int ranks);

#ifdef __cplusplus
}
#endif

#endif
