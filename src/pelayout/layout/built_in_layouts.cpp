#include <plimsoll/pelayout/layout.hpp>
