#include <plimsoll/pelayout/plan.hpp>
