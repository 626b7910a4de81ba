#include <plimsoll/pelayout/solution.hpp>
