#include <plimsoll/pelayout/dynamic_programme.hpp>
