// The functions of fmt's library, compiled from its headers: the modules' objects call them, and a profiled program may
// have libfmt in another version.
#include <fmt/format.h>
