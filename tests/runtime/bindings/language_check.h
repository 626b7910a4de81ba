#ifndef PLIMSOLL_LANGUAGE_CHECK_H
#define PLIMSOLL_LANGUAGE_CHECK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Checks that the files of the C and Fortran tests are valid and contain the recorded data. Prints all
 * differences and returns their number. */
int plimsoll_check_written(const char* folder, int ranks);

/* Returns the number of phases in the valid, complete files of all ranks in `folder`/`subfolder`, or -1. */
int plimsoll_phases_written(const char* folder, const char* subfolder, int ranks);

/* Redirects stderr to a temporary file. */
void plimsoll_begin_capture(void);
/* Restores stderr. Returns how often the redirected text contains `text`. */
int plimsoll_end_capture(const char* text);

#ifdef __cplusplus
}
#endif

#endif
